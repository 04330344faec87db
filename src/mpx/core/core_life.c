/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_life.c - creates and destroys a thread's core, with its sets, its plan and its groups.
 */
#include <stdlib.h>

#include "core/core_private.h"
#include "core/error.h"

/* Mix a seed with splitmix64, so that similar seeds, like those of a process's threads, give unrelated
 * orders of groups. Never returns zero, since a xorshift generator would stay at zero. */
static uint64_t mix_seed(uint64_t seed)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	seed ^= seed >> 31;
	return seed ? seed : 1;
}

static atomic_uint made_so_far; /* number of cores created so far; other threads add to it, too */

int mpxi_core_create(const struct mpxi_core_options *options, struct mpxi_core **made)
{
	struct mpxi_core *core = calloc(1, sizeof(*core));
	int error;

	if (!core)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a thread's master event list");
	core->options = *options;
	if (!options->cpu_sig)
		core->options.slice_ns = 0;
	core->number = 1 + atomic_fetch_add_explicit(&made_so_far, 1, memory_order_relaxed);
	core->groups.ops = options->ops;
	core->groups.backend = options->backend;
	core->plan.order.random = mix_seed(options->seed);
	error = mpxi_groups_get(&core->groups, (struct mpxi_codes){0}, (struct mpxi_codes){0},
				&core->plan.idle);
	if (error) {
		free(core);
		return error;
	}
	*made = core;
	return 0;
}

static void destroy_core(struct mpxi_core *core, bool quietly)
{
	core->groups.quiet = quietly;
	mpxi_sets_clear(core, quietly);
	mpxi_plan_clear(core);
	mpxi_groups_clear(&core->groups);
	free(core->event);
	free(core);
}

void mpxi_core_destroy(struct mpxi_core *core)
{
	if (!core)
		return;
	mpxi_core_hold(core);
	destroy_core(core, false);
}

void mpxi_core_forget(struct mpxi_core *core)
{
	if (!core)
		return;
	mpxi_core_hold(core);
	destroy_core(core, true);
}
