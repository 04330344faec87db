/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_count.c - starts, stops and reads event sets (MPX, section 5.2): at its start a set records the sums
 * of each of its events, and a read subtracts them from the present sums.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include "core/core_pair.h"
#include "core/core_step.h"
#include "core/error.h"

/* ---- counting ---------------------------------------------------------------------- */

int mpxi_set_sample(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error = mpxi_core_sample_begin(core);
	unsigned i;

	for (i = 0; !error && i < set->entries; i++)
		error = mpxi_core_sample_beside(core, set->event[i]);
	return error;
}

/* True if the event is counted all the time, since it takes no turns or no other group shares the
 * counters. */
static bool needs_no_turn(const struct mpxi_core *core, const struct mpxi_event *event)
{
	return !mpxi_event_is_ordinary(event) || core->active_slots <= 1;
}

static void mark_start_beside(struct mpxi_set *set, unsigned i, const struct mpxi_slice *running)
{
	const struct mpxi_core *core = set->core;
	struct mpxi_slice other;

	if (running)
		other = mpxi_slice_by_covariate(running, core->covariate, core->covariates.typical);
	mpxi_stat_start(set->entry[i].event->by_covariate, running ? &other : NULL, core->covariate,
			&set->beside[i].start);
}

void mpxi_set_mark_rest(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	struct mpxi_slice slice;
	unsigned i;

	for (i = 0; i < set->entries; i++) {
		struct mpxi_entry *entry = &set->entry[i];

		entry->whole = mpxi_core_running(core, entry->event, &slice) &&
			       (entry->event->group || core->current);
		entry->breaks = entry->event->breaks;
		entry->burden = entry->event->burden;
		entry->needs_no_turn = needs_no_turn(core, entry->event);
	}
	set->lost = core->lost;
	set->lost_time = core->lost_time;
	set->slices = core->slices;
	set->burden = core->burden;
	mpxi_core_lengths(core, &set->lengths);
	mpxi_core_covariates(core, &set->covariates);
	set->continues = set->ended_at == core->slices + 1;
	set->lines_changes = 0;
	mpxi_pairs_start(set);
}

static void mark_start(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	struct mpxi_slice slice;
	unsigned i;

	mpxi_step_forget(set);

	for (i = 0; i < set->entries; i++) {
		struct mpxi_entry *entry = &set->entry[i];
		bool runs = mpxi_core_running(core, entry->event, &slice);

		mpxi_stat_start(&entry->event->stat, runs ? &slice : NULL, core->time, &entry->start);
		if (set->beside)
			mark_start_beside(set, i, runs ? &slice : NULL);
	}
	mpxi_set_mark_rest(set);
}

static void forget_set_windows(struct mpxi_set *set)
{
	unsigned i;

	set->has_lost = false;
	for (i = 0; i < set->entries; i++)
		set->entry[i].window = (struct mpxi_window){0};
	mpxi_pairs_forget(set);
}

/* True if some group has counted all the time since the stretch began. */
static bool is_without_gaps(const struct mpxi_set *set)
{
	const struct mpxi_core *core = set->core;

	return set->lost == core->lost && !(core->options.apart && set->slices != core->slices);
}

/* True if the event was counted during the whole stretch: in one run of its group, or, for an event that
 * is counted with every group, in runs that followed each other without a gap. */
static bool is_exact(const struct mpxi_set *set, const struct mpxi_entry *entry)
{
	return entry->whole && entry->breaks == entry->event->breaks &&
	       (entry->event->group || is_without_gaps(set));
}

/* Compute the event's window by the covariate, for the same stretch as its window by the clock. */
static void bring_up_beside(struct mpxi_set *set, unsigned i, const struct mpxi_slice *running)
{
	const struct mpxi_core *core = set->core;
	const struct mpxi_window *clock = &set->entry[i].window;
	struct mpxi_window *window = &set->beside[i].window;
	struct mpxi_lengths now;
	struct mpxi_slice other;
	struct mpxi_mark end;

	if (running)
		other = mpxi_slice_by_covariate(running, core->covariate, core->covariates.typical);
	mpxi_stat_read(set->entry[i].event->by_covariate, running ? &other : NULL, core->covariate, &end);
	*window = *clock;
	window->sums = (struct mpxi_sums){0};
	window->time = window->unknown = 0;
	mpxi_window_add(window, &set->beside[i].start, &end);
	mpxi_core_covariates(core, &now);
	mpxi_lengths_between(&window->lengths, &set->covariates, &now);
	window->by_covariate = true;
	window->clock_size = clock->sums.size;
	window->clock_time = clock->time;
}

/* Extend an entry's window to the last samples. known: sampling has just succeeded for all groups. */
static void bring_entry_up(struct mpxi_set *set, unsigned i, const struct mpxi_lengths *lengths, bool known)
{
	struct mpxi_core *core = set->core;
	struct mpxi_entry *entry = &set->entry[i];
	struct mpxi_window *window = &entry->window;
	struct mpxi_slice slice;
	struct mpxi_mark end;
	bool runs = mpxi_core_running(core, entry->event, &slice);

	mpxi_stat_read(&entry->event->stat, runs ? &slice : NULL, core->time, &end);
	*window = (struct mpxi_window){0};
	mpxi_window_add(window, &entry->start, &end);
	window->exact = known && is_exact(set, entry);
	window->needs_no_turn = entry->needs_no_turn && needs_no_turn(core, entry->event);
	window->groups = core->active_slots;
	window->turn = set->slices;
	window->turns = core->slices - set->slices;
	window->source = core->number;
	window->continues = set->continues;
	window->lengths = *lengths;
	window->burden = entry->event->burden - entry->burden;
	window->burdens = core->burden - set->burden;
	window->lost = core->lost_time - set->lost_time;
	if (set->beside)
		bring_up_beside(set, i, runs ? &slice : NULL);
}

/* Compute the slice lengths since the stretch began. */
static void lengths_of(const struct mpxi_set *set, struct mpxi_lengths *lengths)
{
	struct mpxi_lengths now;

	mpxi_core_lengths(set->core, &now);
	mpxi_lengths_between(lengths, &set->lengths, &now);
}

void mpxi_set_bring_all_up(struct mpxi_set *set, bool known)
{
	struct mpxi_lengths lengths;
	unsigned i;

	mpxi_step_finish(set);
	lengths_of(set, &lengths);
	set->has_lost = set->lost != set->core->lost;
	set->ended_at = set->core->slices + 1;
	for (i = 0; i < set->entries; i++)
		bring_entry_up(set, i, &lengths, known);
	mpxi_pairs_read(set);
}

static void deactivate_set(struct mpxi_set *set)
{
	unsigned i;

	mpxi_pairs_close(set);
	for (i = 0; i < set->entries; i++)
		mpxi_plan_deactivate(set->core, set->event[i]);
}

static int count_set_events(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	unsigned i;
	int error = mpxi_set_sample(set);

	if (error)
		return error;
	for (i = 0; i < set->entries; i++)
		mpxi_plan_activate(core, set->event[i]);
	mpxi_pairs_open(set);
	if (!set->admitted)
		(void)mpxi_plan_shrink(core);
	error = mpxi_plan_settle(core);
	if (error)
		deactivate_set(set);
	return error;
}

static void unwish_set(struct mpxi_set *set)
{
	mpxi_always_unwish(set);
	mpxi_covariate_unwish(set);
}

static int start_stopped_set(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error;

	error = mpxi_covariate_wish(set);
	if (error)
		return error;
	mpxi_always_wish(set);
	error = set->admitted ? 0 : mpxi_plan_admit(core, set->event, set->entries);
	if (error) {
		unwish_set(set);
		return error;
	}
	error = count_set_events(set);
	if (error) {
		unwish_set(set);
		mpxi_plan_undo(core);
		(void)mpxi_plan_settle(core);
		return error;
	}
	mpxi_plan_keep(core);
	mark_start(set);
	forget_set_windows(set);
	set->running = true;
	core->running_sets++;
	return 0;
}

int mpxi_set_start(struct mpxi_set *set)
{
	int error;

	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs already");
	if (!set->entries)
		return mpxi_error(MPXI_EINVAL, "the event set is empty: add events first");
	mpxi_core_hold(set->core);
	error = start_stopped_set(set);
	mpxi_core_release(set->core);
	return error;
}

int mpxi_set_admit(struct mpxi_set *set)
{
	unsigned i;
	int error;

	if (set->admitted)
		return 0;
	if (!set->entries)
		return mpxi_error(MPXI_EINVAL, "the event set is empty: add events first");
	mpxi_core_hold(set->core);
	error = mpxi_plan_admit(set->core, set->event, set->entries);
	for (i = 0; !error && i < set->entries; i++)
		set->event[i]->pins++;
	set->admitted = !error;
	mpxi_plan_keep(set->core);
	(void)mpxi_plan_settle(set->core);
	mpxi_core_release(set->core);
	return error;
}

/* Handle groups that could not be read when the set stops. Halt or restart them: halting may still
 * return their last counts. If it does not, T includes the time without counts. */
static void lose_rest(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	unsigned i;

	if (core->current)
		(void)mpxi_core_halt_sig(core, core->current);
	for (i = 0; i < set->entries; i++)
		if (mpxi_event_is_steady(set->event[i]))
			mpxi_core_renew(core, set->event[i]->group);
}

int mpxi_set_stop(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error;

	if (!set->running)
		return mpxi_error(MPXI_ENOTRUN, "the event set does not run");
	mpxi_core_hold(core);
	/* The set stops even if its last counts cannot be read; the counts of earlier slices are kept. */
	error = mpxi_set_sample(set);
	if (error)
		lose_rest(set);
	else
		mpxi_core_seek_ticks(core);
	mpxi_set_bring_all_up(set, !error);
	deactivate_set(set);
	unwish_set(set);
	set->running = false;
	core->running_sets--;
	if (!set->admitted)
		(void)mpxi_plan_shrink(core);
	mpxi_plan_keep(core);
	(void)mpxi_plan_settle(core);
	mpxi_core_release(core);
	return error;
}

int mpxi_set_reset(struct mpxi_set *set)
{
	unsigned i;
	int error = 0;

	mpxi_core_hold(set->core);
	if (set->running)
		error = mpxi_set_sample(set);
	if (!error && set->running)
		mark_start(set);
	if (!error)
		forget_set_windows(set);
	/* A stopped set that was reset has counted exactly nothing. */
	for (i = 0; !set->running && i < set->entries; i++)
		set->entry[i].window.exact = true;
	mpxi_core_release(set->core);
	return error;
}

/* Reduce the number of groups if this was not possible at the last stop. */
static void tidy_plan(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;

	if (!set->admitted && mpxi_plan_shrink(core)) {
		mpxi_plan_keep(core);
		(void)mpxi_plan_settle(core);
	}
}

static int read_running_set(struct mpxi_set *set, bool restart)
{
	struct mpxi_core *core = set->core;
	int error;

	if (!set->running)
		return 0;
	mpxi_core_hold(core);
	error = mpxi_set_sample(set);
	if (!error) {
		mpxi_core_seek_ticks(core);
		mpxi_set_bring_all_up(set, true);
	}
	if (!error && restart)
		mark_start(set);
	tidy_plan(set);
	mpxi_core_release(core);
	return error;
}

int mpxi_set_read(struct mpxi_set *set)
{
	return read_running_set(set, false);
}

int mpxi_set_take(struct mpxi_set *set)
{
	return read_running_set(set, true);
}

const struct mpxi_window *mpxi_set_window_by_covariate(const struct mpxi_set *set, unsigned i)
{
	/* Lost time is added to T, but the covariate's count in that time is unknown. */
	return set->beside && !set->has_lost ? &set->beside[i].window : NULL;
}

const struct mpxi_window *mpxi_set_best_window(const struct mpxi_set *set, unsigned i,
					       enum mpxi_estimator estimator)
{
	return mpxi_window_choose(&set->entry[i].window, mpxi_set_window_by_covariate(set, i), estimator);
}

/* ---- plain reads ------------------------------------------------------------------- */

static void draw_lines(struct mpxi_set *set, enum mpxi_estimator estimator)
{
	struct mpxi_core *core = set->core;
	struct mpxi_lengths lengths;
	struct mpxi_slice slice;
	unsigned i;

	lengths_of(set, &lengths);
	if (estimator != MPXI_AUTO)
		set->lines_by = estimator;
	else if (set->beside)
		set->lines_by = MPXI_COVARIATE;
	else
		set->lines_by = mpxi_lengths_differ(&lengths) ? MPXI_RATIO : MPXI_INTERPOLATED;
	set->agains = 0;
	for (i = 0; i < set->entries; i++) {
		const struct mpxi_entry *entry = &set->entry[i];

		if (!mpxi_core_running(core, entry->event, &slice) &&
		    mpxi_stat_line(&entry->event->stat, NULL, core->time, &entry->start, set->lines_by,
				   &set->line[i]))
			continue;
		set->line[i] = (struct mpxi_line){0};
		set->again[set->agains++] = i;
	}
	set->lines_at = core->time;
	set->lines_changes = core->changes;
	set->lines_estimator = estimator;
}

static long long value_now(struct mpxi_set *set, unsigned i, enum mpxi_estimator estimator)
{
	struct mpxi_core *core = set->core;
	const struct mpxi_entry *entry = &set->entry[i];
	struct mpxi_lengths lengths;
	struct mpxi_estimate estimate;
	struct mpxi_slice slice;
	struct mpxi_line line;
	bool runs = mpxi_core_running(core, entry->event, &slice);

	if (mpxi_stat_line(&entry->event->stat, runs ? &slice : NULL, core->time, &entry->start,
			   set->lines_by, &line))
		return mpxi_line_value(&line, 0);
	lengths_of(set, &lengths);
	set->has_lost = set->lost != core->lost;
	bring_entry_up(set, i, &lengths, true);
	mpxi_estimate(mpxi_set_best_window(set, i, estimator), estimator, &estimate);
	if (estimate.never)
		return -1;
	/* Round without functions of libm, since programs that link a static PAPI may not link libm. */
	return estimate.value < 0x1p62 ? (long long)(estimate.value + 0.5) : INT64_MAX;
}

int mpxi_set_values(struct mpxi_set *set, enum mpxi_estimator estimator, long long *value)
{
	uint64_t gone_by;
	unsigned i;
	int error;

	mpxi_core_hold(set->core);
	error = mpxi_set_sample(set);
	if (!error) {
		mpxi_step_finish(set);
		if (set->lines_changes != set->core->changes || set->lines_estimator != estimator)
			draw_lines(set, estimator);
		gone_by = set->core->time - set->lines_at;
		for (i = 0; i < set->entries; i++)
			value[i] = mpxi_line_value(&set->line[i], gone_by);
		for (i = 0; i < set->agains; i++)
			value[set->again[i]] = value_now(set, set->again[i], estimator);
	}
	tidy_plan(set);
	mpxi_core_release(set->core);
	return error;
}
