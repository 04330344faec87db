/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_set.c - event sets over the master event list (MPX, section 5.2): they note
 * where each of their events stands when they start, and subtract that on reading.
 */
#include <stdlib.h>
#include <string.h>

#include "core_private.h"
#include "error.h"

/* One event of a set. */
struct entry {
	struct mpxi_event *event;
	struct mpxi_mark start;
	bool whole;                /* it was counted from then on */
	uint64_t breaks;           /* the event's, then */
	struct mpxi_window window; /* as of the last read or stop */
};

struct mpxi_set {
	struct mpxi_core *core;
	struct mpxi_set *next, *previous;
	bool running;
	bool admitted; /* its events have places that are kept */
	bool has_lost; /* slices, as of the last read or stop */
	uint64_t lost; /* the core's, at the start */
	unsigned entries, room;
	struct entry *entry;
	struct mpxi_event **event; /* [entries]: the same as entry[].event */
	/* For plain reads of a set that runs: lines from the time lines_at on, good until a
	 * run of a group begins or ends. Of entries in again they say nothing. */
	struct mpxi_line *line; /* [entries] */
	unsigned *again, agains;
	uint64_t lines_at, lines_changes; /* the core's, then */
	enum mpxi_estimator lines_estimator;
};

/* ---- the master event list --------------------------------------------------------- */

static int reference(struct mpxi_core *core, uint32_t code, struct mpxi_event **found)
{
	unsigned at = mpxi_core_find(core, code), room;
	struct mpxi_event *event, **more;
	int fits;

	if (at == core->events || core->event[at]->code != code) {
		/* What no counter holds is refused here, not in the middle of a run. */
		fits = core->options.ops->fits(core->options.backend, &code, 1);
		if (fits <= 0)
			return fits ? fits
				    : mpxi_error(MPXI_ECNFLCT,
						 "no counter can hold the event 0x%x, not even alone",
						 code);
		if (core->events == core->events_room) {
			room = core->events_room ? 2 * core->events_room : 16;
			more = realloc(core->event, room * sizeof(*more));
			if (!more)
				return mpxi_error(MPXI_ENOMEM,
						  "out of memory for the master event list");
			core->event = more;
			core->events_room = room;
		}
		event = calloc(1, sizeof(*event));
		if (!event)
			return mpxi_error(MPXI_ENOMEM, "out of memory for the master event list");
		event->code = code;
		event->role = core->options.ops->role(core->options.backend, code);
		memmove(core->event + at + 1, core->event + at,
			(core->events++ - at) * sizeof(core->event[0]));
		core->event[at] = event;
	}
	core->event[at]->references++;
	*found = core->event[at];
	return 0;
}

static void unreference(struct mpxi_core *core, struct mpxi_event *event)
{
	unsigned i = mpxi_core_find(core, event->code);

	if (--event->references)
		return;
	mpxi_plan_expel(core, event);
	core->events--;
	memmove(core->event + i, core->event + i + 1,
		(core->events - i) * sizeof(core->event[0]));
	free(event);
}

/* ---- sets -------------------------------------------------------------------------- */

int mpxi_set_create(struct mpxi_core *core, struct mpxi_set **made)
{
	struct mpxi_set *set = calloc(1, sizeof(*set));

	if (!set)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	mpxi_core_hold(core);
	set->core = core;
	set->next = core->first_set;
	if (set->next)
		set->next->previous = set;
	core->first_set = set;
	core->memory += sizeof(*set);
	mpxi_core_release(core);
	*made = set;
	return 0;
}

static void destroy(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	unsigned i;

	for (i = 0; i < set->entries; i++) {
		set->event[i]->pins -= set->admitted;
		unreference(core, set->event[i]);
	}
	if (set->previous)
		set->previous->next = set->next;
	else
		core->first_set = set->next;
	if (set->next)
		set->next->previous = set->previous;
	core->memory -= sizeof(*set) + set->room * (sizeof(set->entry[0]) + sizeof(set->event[0]) +
						    sizeof(set->line[0]) + sizeof(set->again[0]));
	free(set->line);
	free(set->again);
	free(set->entry);
	free(set->event);
	free(set);
}

void mpxi_set_destroy(struct mpxi_set *set)
{
	struct mpxi_core *core;

	if (!set)
		return;
	core = set->core;
	mpxi_core_hold(core);
	if (set->running)
		(void)mpxi_set_stop(set);
	destroy(set);
	mpxi_core_release(core);
}

void mpxi_sets_clear(struct mpxi_core *core, bool quietly)
{
	while (core->first_set) {
		if (core->first_set->running && !quietly)
			(void)mpxi_set_stop(core->first_set);
		destroy(core->first_set);
	}
}

static int reserve(struct mpxi_set *set)
{
	unsigned room = set->room ? 2 * set->room : 4;
	struct mpxi_event **event;
	struct mpxi_line *line;
	struct entry *entry;
	unsigned *again;

	if (set->entries < set->room)
		return 0;
	entry = realloc(set->entry, room * sizeof(*entry));
	if (entry)
		set->entry = entry;
	event = realloc(set->event, room * sizeof(*event));
	if (event)
		set->event = event;
	line = realloc(set->line, room * sizeof(*line));
	if (line)
		set->line = line;
	again = realloc(set->again, room * sizeof(*again));
	if (again)
		set->again = again;
	if (!entry || !event || !line || !again)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	set->core->memory += (room - set->room) *
			     (sizeof(*entry) + sizeof(*event) + sizeof(*line) + sizeof(*again));
	set->room = room;
	return 0;
}

int mpxi_set_add(struct mpxi_set *set, uint32_t code)
{
	struct mpxi_event *event = NULL;
	unsigned i;
	int error;

	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs: stop it before events are added");
	for (i = 0; i < set->entries; i++)
		if (set->event[i]->code == code)
			return mpxi_error(MPXI_ECNFLCT, "the event is in the event set already");
	if (set->admitted)
		return mpxi_error(MPXI_EISRUN, "the event set's events have their places");
	mpxi_core_hold(set->core);
	error = reserve(set);
	if (!error)
		error = reference(set->core, code, &event);
	if (!error) {
		i = set->entries++;
		set->entry[i] = (struct entry){.event = event};
		set->event[i] = event;
	}
	mpxi_core_release(set->core);
	return error ? error : (int)i;
}

int mpxi_set_remove(struct mpxi_set *set, uint32_t code)
{
	unsigned i;

	if (set->running)
		return mpxi_error(MPXI_EISRUN,
				  "the event set runs: stop it before events are removed");
	for (i = 0; i < set->entries && set->event[i]->code != code; i++)
		;
	if (i == set->entries)
		return mpxi_error(MPXI_ENOEVNT, "the event is not in the event set");
	mpxi_core_hold(set->core);
	set->event[i]->pins -= set->admitted;
	unreference(set->core, set->event[i]);
	set->entries--;
	memmove(set->entry + i, set->entry + i + 1, (set->entries - i) * sizeof(set->entry[0]));
	memmove(set->event + i, set->event + i + 1, (set->entries - i) * sizeof(set->event[0]));
	mpxi_core_release(set->core);
	return 0;
}

/* ---- counting ---------------------------------------------------------------------- */

/* Samples all groups that the set's events are counted in, each once. */
static int sample(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error = mpxi_core_sample_begin(core);
	unsigned i;

	for (i = 0; !error && i < set->entries; i++)
		error = mpxi_core_sample_beside(core, set->event[i]);
	return error;
}

static void mark_start(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	struct mpxi_slice slice;
	unsigned i;

	for (i = 0; i < set->entries; i++) {
		struct entry *entry = &set->entry[i];
		bool runs = mpxi_core_running(core, entry->event, &slice);

		mpxi_stat_start(&entry->event->stat, runs ? &slice : NULL, core->time,
				core->covariate, &entry->start);
		entry->whole = runs && (entry->event->group || core->current);
		entry->breaks = entry->event->breaks;
	}
	set->lost = core->lost;
	set->lines_changes = 0;
}

static void forget(struct mpxi_set *set)
{
	unsigned i;

	set->has_lost = false;
	for (i = 0; i < set->entries; i++)
		set->entry[i].window = (struct mpxi_window){0};
}

/* Counted all the time: in one run of its group, or, what all groups count, in runs
 * none of which was lost. */
static bool is_exact(const struct mpxi_set *set, const struct entry *entry)
{
	return entry->whole && (entry->event->group ? entry->breaks == entry->event->breaks
						    : set->lost == set->core->lost);
}

/* known: all samples are of now. */
static void bring_up(struct mpxi_set *set, struct entry *entry, bool known)
{
	struct mpxi_core *core = set->core;
	struct mpxi_window *window = &entry->window;
	struct mpxi_slice slice;
	struct mpxi_mark end;
	bool runs = mpxi_core_running(core, entry->event, &slice);

	mpxi_stat_read(&entry->event->stat, runs ? &slice : NULL, core->time, core->covariate,
		       &end);
	*window = (struct mpxi_window){0};
	mpxi_window_add(window, &entry->start, &end);
	window->exact = known && is_exact(set, entry);
}

static void bring_all_up(struct mpxi_set *set, bool known)
{
	unsigned i;

	set->has_lost = set->lost != set->core->lost;
	for (i = 0; i < set->entries; i++)
		bring_up(set, &set->entry[i], known);
}

static void deactivate(struct mpxi_set *set)
{
	unsigned i;

	for (i = 0; i < set->entries; i++)
		mpxi_plan_deactivate(set->core, set->event[i]);
}

static int count(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	unsigned i;
	int error = sample(set);

	if (error)
		return error;
	for (i = 0; i < set->entries; i++)
		mpxi_plan_activate(core, set->event[i]);
	if (!set->admitted)
		(void)mpxi_plan_shrink(core);
	error = mpxi_plan_settle(core);
	if (error)
		deactivate(set);
	return error;
}

static int start(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error = set->admitted ? 0 : mpxi_plan_admit(core, set->event, set->entries);

	if (error)
		return error;
	error = count(set);
	if (error) {
		mpxi_plan_undo(core);
		(void)mpxi_plan_settle(core);
		return error;
	}
	mpxi_plan_keep(core);
	mark_start(set);
	forget(set);
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
	error = start(set);
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

int mpxi_set_stop(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	int error;

	if (!set->running)
		return mpxi_error(MPXI_ENOTRUN, "the event set does not run");
	mpxi_core_hold(core);
	/* It stops even where the last of it cannot be read: what slices gave is there. */
	error = sample(set);
	bring_all_up(set, !error);
	deactivate(set);
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
		error = sample(set);
	if (!error && set->running)
		mark_start(set);
	if (!error)
		forget(set);
	/* Of a stopped set that is all there is to say: nothing, and surely so. */
	for (i = 0; !set->running && i < set->entries; i++)
		set->entry[i].window.exact = true;
	mpxi_core_release(set->core);
	return error;
}

/* What was put off at the last stop, perhaps. */
static void tidy(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;

	if (!set->admitted && mpxi_plan_shrink(core)) {
		mpxi_plan_keep(core);
		(void)mpxi_plan_settle(core);
	}
}

static int read_now(struct mpxi_set *set, bool restart)
{
	struct mpxi_core *core = set->core;
	int error;

	if (!set->running)
		return 0;
	mpxi_core_hold(core);
	error = sample(set);
	if (!error)
		bring_all_up(set, true);
	if (!error && restart)
		mark_start(set);
	tidy(set);
	mpxi_core_release(core);
	return error;
}

int mpxi_set_read(struct mpxi_set *set)
{
	return read_now(set, false);
}

int mpxi_set_take(struct mpxi_set *set)
{
	return read_now(set, true);
}

/* ---- plain reads ------------------------------------------------------------------- */

static void draw_lines(struct mpxi_set *set, enum mpxi_estimator estimator)
{
	struct mpxi_core *core = set->core;
	struct mpxi_slice slice;
	unsigned i;

	set->agains = 0;
	for (i = 0; i < set->entries; i++) {
		const struct entry *entry = &set->entry[i];

		if (!mpxi_core_running(core, entry->event, &slice) &&
		    mpxi_stat_line(&entry->event->stat, NULL, core->time, &entry->start, estimator,
				   &set->line[i]))
			continue;
		set->line[i] = (struct mpxi_line){0};
		set->again[set->agains++] = i;
	}
	set->lines_at = core->time;
	set->lines_changes = core->changes;
	set->lines_estimator = estimator;
}

static long long value_now(struct mpxi_set *set, struct entry *entry, enum mpxi_estimator estimator)
{
	struct mpxi_core *core = set->core;
	struct mpxi_estimate estimate;
	struct mpxi_slice slice;
	struct mpxi_line line;
	bool runs = mpxi_core_running(core, entry->event, &slice);

	if (mpxi_stat_line(&entry->event->stat, runs ? &slice : NULL, core->time, &entry->start,
			   estimator, &line))
		return mpxi_line_value(&line, 0);
	bring_up(set, entry, true);
	mpxi_estimate(&entry->window, estimator, &estimate);
	if (estimate.never)
		return -1;
	/* Rounded without the library of mathematics, which users of a static PAPI do not name. */
	return estimate.value < 0x1p62 ? (long long)(estimate.value + 0.5) : INT64_MAX;
}

int mpxi_set_values(struct mpxi_set *set, enum mpxi_estimator estimator, long long *value)
{
	uint64_t gone_by;
	unsigned i;
	int error;

	mpxi_core_hold(set->core);
	error = sample(set);
	if (!error) {
		if (set->lines_changes != set->core->changes || set->lines_estimator != estimator)
			draw_lines(set, estimator);
		gone_by = set->core->time - set->lines_at;
		for (i = 0; i < set->entries; i++)
			value[i] = mpxi_line_value(&set->line[i], gone_by);
		for (i = 0; i < set->agains; i++)
			value[set->again[i]] =
				value_now(set, &set->entry[set->again[i]], estimator);
	}
	tidy(set);
	mpxi_core_release(set->core);
	return error;
}

bool mpxi_set_lost(const struct mpxi_set *set)
{
	return set->has_lost;
}

bool mpxi_set_runs(const struct mpxi_set *set)
{
	return set->running;
}

unsigned mpxi_set_events(const struct mpxi_set *set)
{
	return set->entries;
}

uint32_t mpxi_set_event(const struct mpxi_set *set, unsigned i)
{
	return set->event[i]->code;
}

const struct mpxi_window *mpxi_set_window(const struct mpxi_set *set, unsigned i)
{
	return &set->entry[i].window;
}
