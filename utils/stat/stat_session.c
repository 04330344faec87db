/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_session.c - one measurement of upc_stat, from the creation of the units to the last report.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/common.h"

#define TERM_NS 5000000000 /* time between SIGTERM and SIGKILL */

/* ---- setting up -------------------------------------------------------- */

static int create_session_unit(struct stat_session *s, const struct upc_unit_options *options,
			       struct upc_unit **unit)
{
	if (upc_unit_create(s->events.catalogue, options, unit) == 0)
		return 0;
	util_error("%s", upc_last_message());
	return -1;
}

/* Create the unit of the first place, and a shared unit for the events that the places' units do not count.
 */
static int create_beside(struct stat_session *s, const struct stat_places_plan *whom)
{
	struct upc_unit_options options = whom->options;

	if (stat_places_unit(whom, s->events.catalogue, 0, &s->units.own) != 0)
		return -1;
	options.inherit = 0;
	if (options.context == UPC_CONTEXT_CPU)
		options.cpu = whom->list.number[0];
	else
		options.pid = whom->list.number[0];
	return create_session_unit(s, &options, &s->units.shared);
}

static int create_units(struct stat_session *s)
{
	struct upc_unit_options options = s->plan->whom.options;

	if (s->by_place)
		return create_beside(s, &s->plan->whom);
	if (s->plan->whom.list.n > 0)
		return stat_places_unit(&s->plan->whom, s->events.catalogue, 0, &s->units.own);
	if (!s->plan->other) {
		options.context = UPC_CONTEXT_THREAD;
		options.pid = s->run.pid;
		options.enable_on_exec = s->plan->delay == 0;
		/* The program's children are counted as well, as in perf stat. */
		options.inherit = 1;
	}
	if (s->plan->whom.by != STAT_BY_THREAD)
		return create_session_unit(s, &options, &s->units.own);
	if (stat_threads_begin(&s->threads, &s->events, s->run.pid, &s->units.own) != 0)
		return -1;
	s->tracing = s->run.tracing = true;
	options.inherit = 0;
	return create_session_unit(s, &options, &s->units.shared);
}

static int make_counts_room(struct stat_session *s)
{
	size_t n = s->events.n + 1;

	s->totals = calloc(n, sizeof(*s->totals));
	s->before = calloc(n, sizeof(*s->before));
	s->deltas = calloc(n, sizeof(*s->deltas));
	s->flags = calloc(n, sizeof(*s->flags));
	return s->totals == NULL || s->before == NULL || s->deltas == NULL || s->flags == NULL ? UPC_ENOMEM
											       : 0;
}

/* Add the wanted events that can be added. All later runs count the same events. Return 0, or -1 after
 * printing an error. */
static int add_session_events(struct stat_session *s)
{
	int added;

	if (s->totals != NULL) {
		memset(s->flags, 0, s->events.n * sizeof(*s->flags));
		memset(s->totals, 0, s->events.n * sizeof(*s->totals));
		if (stat_events_give(&s->events, s->units.own, s->units.shared) == 0)
			return 0;
		util_error("%s", upc_last_message());
		return -1;
	}
	added = stat_events_add(&s->events, s->units.own, s->units.shared);
	if (stat_events_report(&s->events) != 0)
		return -1;
	if (added == 0) {
		util_error("no event is left to count");
		return -1;
	}
	if (added > 0 && make_counts_room(s) == 0)
		return 0;
	util_error("out of memory");
	return -1;
}

static int start_units(struct stat_session *s)
{
	struct upc_unit *first = s->units.own;

	if (s->by_place) {
		s->units.own = NULL; /* the first place owns the unit from here on */
		if (stat_places_ready(&s->units.places, &s->plan->whom, &s->events, first) != 0 ||
		    stat_places_start(&s->units.places) != 0)
			return -1;
	} else if (upc_unit_start(first) != 0) {
		util_error("cannot start counting: %s", upc_last_message());
		return -1;
	}
	if (s->units.shared != NULL && upc_unit_start(s->units.shared) != 0) {
		util_error("cannot start counting: %s", upc_last_message());
		return -1;
	}
	if (!s->tracing)
		return 0;
	s->units.own = NULL; /* the first thread owns the unit from here on */
	return stat_threads_ready(&s->threads, first);
}

static void destroy_units(struct stat_units *units)
{
	upc_unit_destroy(units->own);
	upc_unit_destroy(units->shared);
	stat_places_free(&units->places);
	*units = (struct stat_units){.own = NULL};
}

/* Do everything that must precede the program's release. Return 0, or -1 after printing an error. */
static int set_up_run(struct stat_session *s)
{
	const struct stat_places_plan *whom = &s->plan->whom;
	/* Units of the previous run. They are destroyed after the new units exist: closing a tracepoint that
	 * is still counted elsewhere does not wait. */
	struct stat_units former = s->units;
	int result = 0;

	s->units = (struct stat_units){.own = NULL};
	if (s->plan->command != NULL)
		result = stat_run_spawn(&s->run, s->plan->command, NULL);
	else if (s->plan->process != 0)
		result = stat_run_watch(&s->run, &s->plan->process, 1);
	else if (whom->options.context == UPC_CONTEXT_PROCESS)
		result = stat_run_watch(&s->run, whom->list.number, whom->list.n);
	if (result == 0)
		result = create_units(s);
	if (result == 0)
		result = add_session_events(s);
	if (result == 0 && s->plan->delay == 0)
		result = start_units(s);
	destroy_units(&former);
	return result;
}

/* ---- counting ---------------------------------------------------------- */

/* Return the parts that have separate rows, or NULL. */
static struct stat_parts *get_shown_parts(struct stat_session *s)
{
	return s->tracing ? &s->threads.parts : s->by_place ? &s->units.places.rows : NULL;
}

static void read_totals(struct stat_session *s)
{
	const struct stat_events *events = &s->events;
	/* Number of events whose values are sums over the parts. The shared unit, or else the only unit,
	 * counts all other events. */
	unsigned own = 0;

	if (s->tracing) {
		stat_threads_read(&s->threads);
		stat_parts_sum(&s->threads.parts, NULL, s->threads.parts.n, s->totals, s->flags);
		own = events->n_own;
	} else if (s->by_place) {
		stat_places_read(&s->units.places);
		stat_parts_sum(&s->units.places.units, NULL, s->units.places.units.n, s->totals, s->flags);
		own = events->n_own;
	}
	if (own < events->n)
		stat_events_read(s->units.shared != NULL ? s->units.shared : s->units.own, events->code + own,
				 events->n - own, s->totals + own, s->flags + own);
}

static void print_interval(struct stat_session *s, int64_t now)
{
	struct stat_sample sample = {
		.time = (double)(now - s->start) / 1e9,
		.seconds = (double)(now - s->last) / 1e9,
		.values = s->deltas,
		.flags = s->flags,
	};
	unsigned n = s->events.n;

	read_totals(s);
	for (unsigned i = 0; i < n; i++)
		s->deltas[i] =
			s->events.info[i].kind == UPC_KIND_LEVEL ? s->totals[i] : s->totals[i] - s->before[i];
	stat_report_print(&s->report, &sample);
	memcpy(s->before, s->totals, n * sizeof(*s->before));
	if (get_shown_parts(s) != NULL)
		stat_parts_end_interval(get_shown_parts(s));
	s->last = now;
}

/* Handle --timeout. Return true if there is no program to wait for. Otherwise send SIGTERM, or SIGKILL the
 * second time, and return false. */
static bool time_out(struct stat_session *s, int64_t *end)
{
	if (s->run.pid == 0)
		return true;
	kill(s->run.pid, s->timed_out ? SIGKILL : SIGTERM);
	*end = s->timed_out ? INT64_MAX : stat_run_now() + TERM_NS;
	s->timed_out = true;
	return false;
}

static void wait_for_run_end(struct stat_session *s)
{
	const int64_t interval = s->plan->interval;
	int64_t next = interval > 0 ? s->start + interval : INT64_MAX;
	int64_t end = s->plan->timeout > 0 ? s->start + s->plan->timeout : INT64_MAX;

	for (;;) {
		const int64_t deadline = end < next ? end : next;
		int64_t now;

		switch (stat_run_wait(&s->run, deadline == INT64_MAX ? -1 : deadline)) {
		case STAT_WAKE_END:
			return;
		case STAT_WAKE_TRACE:
			if (stat_threads_serve(&s->threads))
				return;
			break;
		case STAT_WAKE_TICK:
			now = stat_run_now();
			if (now >= end && time_out(s, &end))
				return;
			if (now < next)
				break;
			print_interval(s, now);
			/* Skip ticks that were missed (this process was stopped, or the machine slept). Later
			 * ticks keep the schedule. */
			next += interval * ((now - next) / interval + 1);
			break;
		}
	}
}

static void stop_units(struct stat_session *s)
{
	if (s->units.own != NULL)
		upc_unit_stop(s->units.own);
	if (s->units.shared != NULL)
		upc_unit_stop(s->units.shared);
	stat_places_stop(&s->units.places);
	if (s->tracing)
		stat_threads_end(&s->threads);
}

/* Wait until --delay is over, then start the units. Return 0 or the exit status. */
static int start_late(struct stat_session *s)
{
	const int64_t begin = s->start + s->plan->delay;

	for (;;) {
		enum stat_wake wake = stat_run_wait(&s->run, begin);

		if (wake == STAT_WAKE_END && s->run.exec_error != 0)
			return util_cannot_run(s->plan->command[0], s->run.exec_error);
		if (wake == STAT_WAKE_END) {
			util_error("nothing was counted: the end came before --delay was over");
			return UTIL_FAILED;
		}
		if (wake == STAT_WAKE_TICK)
			break;
	}
	if (start_units(s) != 0)
		return UTIL_FAILED;
	s->start = s->last = stat_run_now();
	return UTIL_OK;
}

static double timeval_seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Reap the program, which was counted for the given seconds, and return its end. */
static struct stat_end end_program(struct stat_session *s, double seconds)
{
	struct rusage usage = {.ru_maxrss = 0};
	const int status = stat_run_reap(&s->run, &usage);
	const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return (struct stat_end){
		.seconds = {seconds, timeval_seconds(usage.ru_utime), timeval_seconds(usage.ru_stime)},
		.max_resident_kib = (uint64_t)usage.ru_maxrss,
		.status = status,
		.timed_out = s->timed_out && s->run.interrupted == 0 && (by == SIGTERM || by == SIGKILL),
	};
}

/* Do one run, from the creation of the units to the program's end. Return UTIL_OK, with the counts in totals
 * and in the sample, or the exit status. */
static int count_one_run(struct stat_session *s, struct stat_sample *sample)
{
	int64_t end;
	int status;

	*sample = (struct stat_sample){.last = true, .values = s->totals, .flags = s->flags};
	if (set_up_run(s) != 0)
		return UTIL_FAILED;
	s->report.parts = s->plan->whom.by != STAT_BY_NONE ? get_shown_parts(s) : NULL;
	s->report.run = s->runs.n + 1;
	s->start = s->last = stat_run_now();
	s->timed_out = false;
	if (s->runs.n == 0) {
		util_output_begin(&s->report.output);
		stat_report_begin(&s->report);
	}
	memset(s->before, 0, s->events.n * sizeof(*s->before));
	stat_run_release(&s->run);
	status = s->plan->delay > 0 ? start_late(s) : UTIL_OK;
	if (status != UTIL_OK)
		return status;
	wait_for_run_end(s);
	end = stat_run_now();
	if (s->run.exec_error != 0)
		return util_cannot_run(s->plan->command[0], s->run.exec_error);

	/* The program is a zombie here, so its files in /proc still exist. */
	stop_units(s);
	read_totals(s);
	sample->values = s->totals;
	sample->flags = s->flags;
	sample->time = sample->seconds = (double)(end - s->start) / 1e9;
	sample->has_program = s->run.pid != 0;
	if (sample->has_program)
		sample->end = end_program(s, sample->seconds);
	return UTIL_OK;
}

/* Do all runs. *wait_status is the status of the first failed run. */
static int repeat_runs(struct stat_session *s, int *wait_status)
{
	struct stat_sample sample;
	int status = UTIL_OK;

	*wait_status = 0;
	while (status == UTIL_OK && s->runs.n < s->plan->repeat && s->run.interrupted == 0) {
		status = count_one_run(s, &sample);
		if (status == UTIL_OK && stat_runs_add(&s->runs, &sample, s->events.n) != 0) {
			util_error("out of memory");
			status = UTIL_FAILED;
		}
		if (status == UTIL_OK && *wait_status == 0 && !sample.end.timed_out)
			*wait_status = sample.end.status;
		if (status == UTIL_OK)
			stat_report_print(&s->report, &sample);
	}
	if (s->runs.n > 0)
		stat_report_runs(&s->report, &s->runs);
	return status;
}

int stat_session_run(struct stat_session *s)
{
	struct stat_sample sample = {.has_program = s->plan->command != NULL};
	int status;

	s->by_place = s->plan->whom.list.n > 1 || s->plan->whom.by > STAT_BY_THREAD || s->plan->process != 0;
	s->report.events = &s->events;
	if (stat_run_begin(&s->run) != 0)
		return UTIL_FAILED;
	if (s->plan->repeat > 1) {
		status = repeat_runs(s, &sample.end.status);
	} else {
		status = count_one_run(s, &sample);
		if (status == UTIL_OK)
			stat_report_print(&s->report, &sample);
	}
	if (status != UTIL_OK)
		return status;
	status = util_output_end(&s->report.output);
	/* Destroy the units before a signal ends this process. Otherwise the kernel would close the
	 * tracepoints at exit, and another process would have to wait. */
	destroy_units(&s->units);
	stat_parts_free(&s->threads.parts);
	/* If --timeout ended the program, the run did not fail. */
	if (sample.end.timed_out)
		return status;
	return sample.has_program && status == UTIL_OK ? stat_run_exit_status(sample.end.status) : status;
}

void stat_session_free(struct stat_session *s)
{
	stat_run_end(&s->run);
	util_output_drop(&s->report.output);
	destroy_units(&s->units);
	stat_parts_free(&s->threads.parts);
	stat_runs_free(&s->runs);
	stat_events_free(&s->events);
	free(s->totals);
	free(s->before);
	free(s->deltas);
	free(s->flags);
}
