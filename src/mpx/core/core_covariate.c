/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_covariate.c - the covariate that a set requests: an event that the backend counts in every group
 * while the set runs. The thread has one covariate at a time, since all its sets share the groups. Only the
 * sets that requested the covariate use it in their estimates.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <stdlib.h>

#include "core/core_set.h"
#include "core/error.h"

bool mpxi_covariate_is(const struct mpxi_covariate *a, const struct mpxi_covariate *b)
{
	return a->there == b->there && (!a->there || a->event == b->event);
}

void mpxi_covariate_choose(struct mpxi_core *core, const struct mpxi_covariate *covariate)
{
	if (mpxi_covariate_is(&core->groups.covariate, covariate))
		return;
	core->groups.covariate = *covariate;
	core->options.ops->choose(core->options.backend, covariate->there ? &covariate->event : NULL);
}

bool mpxi_covariate_is_missing(const struct mpxi_core *core)
{
	return core->covariate_wishes && !mpxi_covariate_is(&core->covariate_wish, &core->plan.covariate);
}

struct mpxi_covariate mpxi_covariate_wanted(const struct mpxi_core *core)
{
	return core->covariate_wishes ? core->covariate_wish : (struct mpxi_covariate){0};
}

/* Open the event's sums by the covariate. They begin at the value that the covariate's count had at the
 * begin of the event's running slice, or at its present value if no slice is running. */
static void open_by(const struct mpxi_core *core, struct mpxi_event *event)
{
	struct mpxi_slice slice;
	bool runs = mpxi_core_running(core, event, &slice);

	mpxi_stat_open(event->by_covariate, core->covariate - (runs ? slice.covariate : 0));
}

void mpxi_covariate_changed(struct mpxi_core *core)
{
	unsigned i;

	for (i = 0; i < core->events; i++)
		if (core->event[i]->by_covariate && core->event[i]->activations)
			open_by(core, core->event[i]);
	core->covariates = (struct mpxi_lengths){0};
}

/* Allocate the sums by the covariate for those of the set's events that have none yet. */
static int prepare_beside_events(struct mpxi_set *set)
{
	unsigned i;

	for (i = 0; set->beside && i < set->entries; i++) {
		struct mpxi_event *event = set->event[i];

		if (event->by_covariate)
			continue;
		event->by_covariate = calloc(1, sizeof(*event->by_covariate));
		if (!event->by_covariate)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a covariate");
		if (event->activations)
			open_by(set->core, event);
	}
	return 0;
}

int mpxi_covariate_wish(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error;

	if (!set->covariate.there)
		return 0;
	if (core->covariate_wishes && !mpxi_covariate_is(&set->covariate, &core->covariate_wish))
		return mpxi_error(MPXI_ECNFLCT,
				  "an event set that runs in this thread has another covariate, which is in "
				  "all groups: stop it first, or give both the same one");
	error = prepare_beside_events(set);
	if (error)
		return error;
	core->covariate_wish = set->covariate;
	core->covariate_wishes++;
	return 0;
}

void mpxi_covariate_unwish(struct mpxi_set *set)
{
	set->core->covariate_wishes -= set->covariate.there;
}

int mpxi_set_covariate(struct mpxi_set *set, const uint32_t *event)
{
	struct mpxi_core *core = set->core;
	struct mpxi_beside *beside = NULL;
	unsigned i;

	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs: stop it first");
	if (core->options.covariate || !core->options.ops->choose)
		return mpxi_error(MPXI_ENOSUPP, "all event sets have the same covariate");
	if (event && set->room) {
		beside = calloc(set->room, sizeof(*beside));
		if (!beside)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a covariate");
	}
	mpxi_core_hold(core);
	core->memory += beside ? set->room * sizeof(*beside) : 0;
	core->memory -= set->beside ? set->room * sizeof(*beside) : 0;
	free(set->beside);
	set->beside = beside;
	set->covariate = (struct mpxi_covariate){event != NULL, event ? *event : 0};
	for (i = 0; i < set->entries; i++)
		set->entry[i].window = (struct mpxi_window){0};
	mpxi_core_release(core);
	return 0;
}

bool mpxi_set_has_covariate(const struct mpxi_set *set, uint32_t *event)
{
	*event = set->covariate.event;
	return set->covariate.there;
}
