/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_switch.c - ends a stretch of a running set and begins the next stretch (mpxi_set_step). A step is
 * quiet if no slice has ended since the last step, else full.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include "core/core_step.h"
#include "core/error.h"

/* Number of steps between two checks for missing ticks. Each check costs a system call. */
#define STEPS_UNSOUGHT 256

/* Begin the next stretch at the last samples. step->moment keeps the state of the last full step, except
 * for the events' running slices. */
static void go_on(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	struct mpxi_step *step = set->step;

	step->time = core->time;
	step->ran = core->current ? core->time - core->current->begin : 0;
	step->covariate = core->covariate;
	step->covariate_ran = core->current ? core->covariate - core->current->covariate : 0;
	set->lines_changes = 0;
	set->ended_at = core->slices + 1;
	set->continues = true;
}

static void mark_event(const struct mpxi_set *set, unsigned i)
{
	const struct mpxi_entry *entry = &set->entry[i];
	const struct mpxi_event *event = entry->event;
	struct mpxi_moment *moment = &set->step->moment[i];

	moment->runs = mpxi_core_running(set->core, event, &moment->running);
	moment->in_run = event->group && moment->runs ? event->group->sample.count[event->position] : 0;
	moment->stat = event->stat;
	if (event->by_covariate)
		moment->by_covariate = *event->by_covariate;
	moment->piece = (struct mpxi_piece){
		.turn = set->slices,
		.groups = set->core->active_slots,
		.source = set->core->number,
		.exact = entry->whole,
		.needs_no_turn = entry->needs_no_turn,
	};
}

static void mark_set_step(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	struct mpxi_step *step = set->step;
	unsigned i;

	mpxi_set_mark_rest(set);
	step->steady = core->current && core->current == core->plan.idle;
	for (i = 0; i < set->entries; i++) {
		step->steady &= set->event[i]->group != NULL;
		mark_event(set, i);
	}
	step->waits = true;
	step->changes = core->changes;
	step->lost = core->lost;
	step->slots = core->active_slots;
	step->lengths = core->lengths;
	step->covariates = core->covariates;
	go_on(set);
}

/* True if since the last full step no group was started or halted, no slice was lost, and no check for
 * missing ticks is due. */
static bool is_quiet(const struct mpxi_set *set)
{
	const struct mpxi_core *core = set->core;
	const struct mpxi_step *step = set->step;

	return step->waits && core->current && step->changes == core->changes && step->lost == core->lost &&
	       step->slots == core->active_slots && step->steps % STEPS_UNSOUGHT;
}

/* Extend the running slice of an event that has a group to the present T, and return the growth of the
 * event's count. covariate is the covariate's count at the last step. */
static uint64_t cut_count(const struct mpxi_core *core, const struct mpxi_event *event, uint64_t covariate,
			  struct mpxi_moment *moment)
{
	uint64_t in_run = event->group->sample.count[event->position];
	uint64_t more = in_run > moment->in_run ? in_run - moment->in_run : 0;

	moment->in_run += more;
	moment->running.count += more;
	moment->running.covariate += core->covariate - covariate;
	moment->running.end = core->time;
	return more;
}

/* Do as cut_count for an event without a group: the clock, the covariate, or an always-counted event. */
static uint64_t cut_time(const struct mpxi_core *core, const struct mpxi_event *event,
			 struct mpxi_moment *moment)
{
	uint64_t before = moment->running.count;

	(void)mpxi_core_running(core, event, &moment->running);
	return moment->running.count - before;
}

static void cut_pieces(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	struct mpxi_step *step = set->step;
	uint64_t time = core->time - step->time;
	unsigned i;

	for (i = 0; i < set->entries; i++) {
		const struct mpxi_event *event = set->event[i];
		struct mpxi_moment *moment = &step->moment[i];

		moment->piece.time = time;
		if (!moment->runs)
			continue;
		moment->piece.size = time;
		moment->piece.count = event->group ? cut_count(core, event, step->covariate, moment)
						   : cut_time(core, event, moment);
	}
	go_on(set);
}

const struct mpxi_piece *mpxi_set_piece(const struct mpxi_set *set, unsigned i)
{
	return &set->step->moment[i].piece;
}

/* Sample only the steady groups. The current group, which has only the clock, is not read, since that
 * may take as long as reading the events. */
static int sample_steady(struct mpxi_set *set)
{
	unsigned i;
	int error = 0;

	set->core->samples++;
	for (i = 0; !error && i < set->entries; i++)
		error = mpxi_core_sample_beside(set->core, set->event[i]);
	return error;
}

static int step_set(struct mpxi_set *set, bool *pieces)
{
	bool quiet = is_quiet(set);
	int error = quiet && set->step->steady ? sample_steady(set) : mpxi_set_sample(set);

	if (error)
		return error;
	set->step->steps++;
	*pieces = quiet;
	if (quiet) {
		cut_pieces(set);
		return 0;
	}
	mpxi_core_seek_ticks(set->core);
	mpxi_set_bring_all_up(set, true);
	mark_set_step(set);
	return 0;
}

int mpxi_set_step(struct mpxi_set *set, bool *pieces)
{
	int error;

	*pieces = false;
	if (!set->running)
		return mpxi_error(MPXI_ENOTRUN, "the event set does not run");
	/* A set with pairs takes full steps, since pairs have their own marks. */
	if (set->pairs)
		return mpxi_set_take(set);
	mpxi_core_hold(set->core);
	error = mpxi_step_reserve(set);
	if (!error)
		error = step_set(set, pieces);
	mpxi_core_release(set->core);
	return error;
}
