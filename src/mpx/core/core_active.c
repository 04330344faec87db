/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_active.c - decides which of the plan's groups run: the groups that contain an event of a running
 * set (MPX, section 5.2: the activation count).
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include "core/core_private.h"
#include "core/error.h"

/* Set the event's base to the present T and counts, so that its counts begin here. */
static void begin_active_event(const struct mpxi_core *core, struct mpxi_event *event)
{
	event->base_begin = core->time;
	event->base_covariate = core->covariate;
	if (event->role == MPXI_ALWAYS)
		event->base_count = event->always_count;
}

void mpxi_plan_activate(struct mpxi_core *core, struct mpxi_event *event)
{
	struct mpxi_group *group = event->group;

	if (event->activations++)
		return;
	mpxi_stat_open(&event->stat, core->time);
	if (event->by_covariate)
		mpxi_stat_open(event->by_covariate, core->covariate);
	begin_active_event(core, event);
	if (group) {
		/* If the group is already running, the event's counts begin at the group's counts so
		 * far. */
		event->base_run = group->running ? group->run : 0;
		event->base_count = group->running ? group->sample.count[event->position] : 0;
		group->active++;
	}
	if (!mpxi_event_is_ordinary(event)) {
		core->active_others++;
		return;
	}
	core->active_ordinary++;
	core->active_slots += group->active == 1;
	core->may_shrink = true;
}

void mpxi_plan_deactivate(struct mpxi_core *core, struct mpxi_event *event)
{
	struct mpxi_spacing spacing[2] = {{0}, {0}};
	struct mpxi_slice slice;

	if (event->activations > 1) {
		event->activations--;
		return;
	}
	/* The event's slice ends here, even if its group continues to run. */
	if (mpxi_core_running(core, event, &slice))
		mpxi_core_enter_sig(core, event, &slice, spacing);
	event->activations = 0;
	if (event->group)
		event->group->active--;
	if (!mpxi_event_is_ordinary(event)) {
		core->active_others--;
		return;
	}
	core->active_ordinary--;
	core->active_slots -= !event->group->active;
	core->may_shrink = true;
}

void mpxi_plan_join(struct mpxi_core *core, struct mpxi_event *event)
{
	event->role = MPXI_ALWAYS;
	event->group = NULL;
	if (!event->activations)
		return;
	core->active_ordinary--;
	core->active_others++;
	begin_active_event(core, event);
}

void mpxi_plan_part(struct mpxi_core *core, struct mpxi_event *event)
{
	struct mpxi_spacing spacing[2] = {{0}, {0}};
	struct mpxi_slice slice;

	if (mpxi_core_running(core, event, &slice))
		mpxi_core_enter_sig(core, event, &slice, spacing);
	event->role = event->kind;
	if (!event->activations)
		return;
	event->breaks++;
	core->active_others--;
	core->active_ordinary++;
	event->base_run = 0;
}

/* Select the current group, which advances T: an ordinary group, the idle group or none. Start or halt
 * groups accordingly. */
static int settle_current(struct mpxi_core *core)
{
	struct mpxi_group *current = core->current;
	int error;

	if (core->active_slots) {
		if (current && current != core->plan.idle && current->active)
			return 0;
		mpxi_core_pace_begin(core);
		return mpxi_core_switch_sig(core);
	}
	if (current == core->plan.idle && core->active_others)
		return 0;
	if (current)
		(void)mpxi_core_halt_sig(core, current);
	if (!core->active_others) {
		mpxi_core_pace_end(core);
		return 0;
	}
	mpxi_core_pace_begin(core);
	error = mpxi_core_run_sig(core, core->plan.idle);
	if (!error)
		core->current = core->plan.idle;
	core->pace.stalled = error && core->pace.known;
	return error;
}

static int settle_steady(struct mpxi_core *core)
{
	unsigned i;
	int failed = 0;

	for (i = 0; i < core->steadies; i++) {
		struct mpxi_group *group = core->steady[i];
		int error = 0;

		/* A handler does not start groups with MPXI_OUTSIDE events; the next ordinary call does. */
		if (group->outside && mpxi_in_handler)
			continue;
		if (group->running && !group->active)
			(void)mpxi_core_halt_sig(core, group);
		else if (!group->running && group->active)
			error = mpxi_core_run_sig(core, group);
		failed = failed ? failed : error;
	}
	return failed;
}

int mpxi_plan_settle(struct mpxi_core *core)
{
	int error = settle_current(core), failed = settle_steady(core);
	/* If no group could be started, each tick makes another attempt. */
	bool sharing = core->active_slots > 1 || (core->active_slots && !core->current);

	error = error ? error : failed;
	if (sharing == core->sharing)
		return error;
	if (sharing)
		mpxi_core_expect_ticks(core);
	failed = core->options.sharing ? core->options.sharing(core->options.arg, sharing) : 0;
	if (!failed)
		core->sharing = sharing;
	return error ? error : failed;
}
