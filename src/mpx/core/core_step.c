/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_step.c - the state that a set keeps for its steps (mpxi_set_step) from stretch to stretch.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <stdlib.h>

#include "core/core_step.h"
#include "core/error.h"

int mpxi_step_reserve(struct mpxi_set *set)
{
	struct mpxi_step *step;

	if (set->step && set->step->room >= set->entries)
		return 0;
	step = calloc(1, sizeof(*step) + set->entries * sizeof(step->moment[0]));
	if (!step)
		return mpxi_error(MPXI_ENOMEM, "out of memory for regions of an event set");
	mpxi_step_clear(set);
	step->room = set->entries;
	set->core->memory += sizeof(*step) + step->room * sizeof(step->moment[0]);
	set->step = step;
	return 0;
}

void mpxi_step_clear(struct mpxi_set *set)
{
	const struct mpxi_step *step = set->step;

	if (step)
		set->core->memory -= sizeof(*step) + step->room * sizeof(step->moment[0]);
	free(set->step);
	set->step = NULL;
}

void mpxi_step_forget(struct mpxi_set *set)
{
	if (set->step)
		set->step->waits = false;
}

static void finish_beside(struct mpxi_set *set, unsigned i)
{
	const struct mpxi_step *step = set->step;
	const struct mpxi_moment *moment = &step->moment[i];
	struct mpxi_slice other =
		mpxi_slice_by_covariate(&moment->running, step->covariate, step->covariates.typical);

	mpxi_stat_start(&moment->by_covariate, moment->runs ? &other : NULL, step->covariate,
			&set->beside[i].start);
}

void mpxi_step_finish(struct mpxi_set *set)
{
	struct mpxi_step *step = set->step;
	unsigned i;

	if (!step || !step->waits)
		return;
	step->waits = false;
	for (i = 0; i < set->entries; i++) {
		const struct mpxi_moment *moment = &step->moment[i];

		mpxi_stat_start(&moment->stat, moment->runs ? &moment->running : NULL, step->time,
				&set->entry[i].start);
		if (set->beside)
			finish_beside(set, i);
	}
	set->lengths = step->lengths;
	mpxi_lengths_add_running(&set->lengths, step->ran);
	set->covariates = step->covariates;
	mpxi_lengths_add_running(&set->covariates, step->covariate_ran);
}
