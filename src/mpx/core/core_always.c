/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_always.c - always-counted events (mpx_set_always): they are in every ordinary group. They stay there
 * while a set that wants this runs, and afterwards until the groups change.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core_set.h"
#include "core/error.h"

/* ---- fitting events together with the always-counted ones --------------------------------- */

struct beside {
	const struct mpxi_backend_ops *ops;
	void *backend;
	const uint32_t *code;
	unsigned n;
};

static int fits_beside(void *backend, const uint32_t *event, unsigned n)
{
	const struct beside *beside = backend;
	uint32_t *all = malloc((n + beside->n + 1) * sizeof(*all));
	int fits;

	if (!all)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	if (n)
		memcpy(all, event, n * sizeof(*all));
	memcpy(all + n, beside->code, beside->n * sizeof(*all));
	fits = beside->ops->fits(beside->backend, all, n + beside->n);
	free(all);
	return fits;
}

int mpxi_always_place(const struct mpxi_core *core, struct mpxi_codes always, struct mpxi_draft *draft,
		      struct mpxi_event *const *event, unsigned n)
{
	static const struct mpxi_backend_ops ops = {.fits = fits_beside};
	struct beside beside = {core->options.ops, core->options.backend, always.code, always.n};
	int error, fits;

	if (!always.n)
		return n ? mpxi_draft_place(draft, beside.ops, beside.backend, event, n)
			 : mpxi_draft_shrink(draft, beside.ops, beside.backend);
	fits = fits_beside(&beside, NULL, 0);
	if (fits < 0)
		return fits;
	error = !fits ? MPXI_ECNFLCT
		: n   ? mpxi_draft_place(draft, &ops, &beside, event, n)
		      : mpxi_draft_shrink(draft, &ops, &beside);
	if (error != MPXI_ECNFLCT)
		return error;
	return mpxi_error(MPXI_ECNFLCT,
			  "the counters do not hold each event of the sets that run beside the %u that are "
			  "always counted (mpx_set_always): let one of these take turns, or stop a set",
			  always.n);
}

unsigned mpxi_always_wanted(const struct mpxi_core *core, struct mpxi_event **list)
{
	unsigned i, n = 0;

	for (i = 0; i < core->events; i++)
		if (core->event[i]->wishes && core->event[i]->kind == MPXI_ORDINARY)
			list[n++] = core->event[i];
	return n;
}

unsigned mpxi_always_others(const struct mpxi_core *core, struct mpxi_event **list)
{
	unsigned i, n = 0;

	for (i = 0; i < core->events; i++) {
		struct mpxi_event *event = core->event[i];

		if (event->kind == MPXI_ORDINARY && !event->wishes && (event->activations || event->pins))
			list[n++] = event;
	}
	return n;
}

/* ---- sets -------------------------------------------------------------------------------- */

int mpxi_set_always(struct mpxi_set *set, unsigned i, bool on)
{
	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs: stop it first");
	set->entry[i].always = on;
	return 0;
}

bool mpxi_set_is_always(const struct mpxi_set *set, unsigned i)
{
	return set->entry[i].always;
}

void mpxi_always_wish(struct mpxi_set *set)
{
	unsigned i;

	for (i = 0; i < set->entries; i++)
		set->event[i]->wishes += set->entry[i].always;
}

void mpxi_always_unwish(struct mpxi_set *set)
{
	unsigned i;

	for (i = 0; i < set->entries; i++)
		set->event[i]->wishes -= set->entry[i].always;
}

/* Check whether a group can hold event i together with the set's always-counted events. Return 1 or 0,
 * or a negative error. */
static int fits_one(const struct mpxi_set *set, struct beside *beside, unsigned i)
{
	if (set->event[i]->kind != MPXI_ORDINARY)
		return 1;
	return set->entry[i].always ? fits_beside(beside, NULL, 0)
				    : fits_beside(beside, &set->event[i]->code, 1);
}

/* Check whether the set's covariate fits with the clock. Later calls of ops->fits include this
 * covariate, too. */
static int fits_covariate(const struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int fits;

	mpxi_covariate_choose(core, &set->covariate);
	fits = core->options.ops->fits(core->options.backend, NULL, 0);
	return fits ? fits
		    : mpxi_error(MPXI_ECNFLCT, "the clock and the covariate cannot be counted together");
}

int mpxi_set_conflict(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	uint32_t *code = malloc((set->entries + 1) * sizeof(*code));
	struct beside beside = {core->options.ops, core->options.backend, code, 0};
	int fits = 1;
	unsigned i;

	if (!code)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	for (i = 0; i < set->entries; i++)
		if (set->entry[i].always && set->event[i]->kind == MPXI_ORDINARY)
			code[beside.n++] = set->event[i]->code;
	mpxi_core_hold(core);
	if (set->covariate.there)
		fits = fits_covariate(set);
	for (i = 0; (beside.n || set->covariate.there) && i < set->entries && fits > 0; i++)
		fits = fits_one(set, &beside, i);
	mpxi_covariate_choose(core, &core->plan.covariate);
	mpxi_core_release(core);
	free(code);
	if (fits < 0)
		return fits;
	return fits ? (int)set->entries : (int)i - 1;
}
