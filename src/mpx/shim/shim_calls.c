/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_calls.c - stand-ins for PAPI's calls that start, stop, read and reset event sets.
 *
 * They behave like PAPI's own calls, even in odd cases: reading a stopped set, for example, returns the
 * values of its stop. There are two differences: several sets may run in a thread at the same time, and a
 * value may be an estimate.
 *
 * A program written for PAPI adds up the values that it reads, so the shim never returns MPX_NEVER. Instead
 * the shim estimates the event's count from its rate in the set's other stretches. If there is no other
 * stretch, the value is 0, as from PAPI's own multiplexing. The shim then prints a line, and the report says
 * that the count is unknown.
 *
 * Terms: shim/shim.h.
 */
#include <stdlib.h>
#include <string.h>

#include "process/thread.h"
#include "shim/shim.h"
#include "shim/shim_pass.h"
#include "shim/shim_report.h"

/*
 * Start a set that PAPI counts. Refuse if a libmpx set runs in this thread with events of this component:
 * PAPI allows one running set for each thread and component, and it would be this set. The group of libmpx
 * that is on the counters would continue, since it is attached to the thread, but no other group could
 * start, so all slices would be lost.
 */
static int start_plain(int id)
{
	const struct shim_real *real = shim_real();
	int state = 0, component = real->get_eventset_component(id);

	if (real->state(id, &state) == PAPI_OK && !(state & (PAPI_ATTACHED | PAPI_CPU_ATTACHED)) &&
	    component >= 0 && shim_thread_counts(component)) {
		shim_say_once("PAPI_start of a set that PAPI counts by itself: event sets with "
			      "multiplexing run in this thread and component; stop those first");
		return PAPI_EISRUN;
	}
	return real->start(id);
}

SHIM_EXPORT int PAPI_start(int number)
{
	if (!shim_is_ours(number))
		return start_plain(number); /* a set that PAPI's high-level or rate calls have created */
	FIND(set, number);
	if (shim_is_plain(set))
		return start_plain(set->id);
	if (set->record && !set->running && shim_wants_places())
		shim_record_choose_place(set->record, __builtin_return_address(0));
	error = mpx_set_start(set->id);
	if (error == PAPI_EISRUN && !set->running)
		shim_say_once("PAPI_start, event set %d: a set that PAPI counts by itself (one of "
			      "PAPI_hl_region_begin or PAPI_overflow, say) runs in this thread and "
			      "component; stop that first",
			      set->number);
	if (error)
		return shim_explain("PAPI_start", set, error);
	set->running = true;
	set->zero = false;
	if (set->record)
		shim_record_start(set->record);
	return PAPI_OK;
}

/* Estimate the count of event i in this stretch from the event's rate in all stretches of the set, since
 * programs add up the values that they get from PAPI_stop. Return MPX_NEVER if the rate is unknown. */
static long long borrow_stretch_count(struct shim_set *set, int i)
{
	struct mpxi_pool total, stretch;
	double rate;

	if (mpxi_set_total(set->id, (unsigned)i, &total) || !mpxi_pool_rate(&total, &rate) ||
	    mpxi_set_stretch(set->id, (unsigned)i, &stretch))
		return MPX_NEVER;
	rate *= (double)stretch.time;
	return rate < 0x1p62 ? (long long)(rate + .5) : INT64_MAX;
}

static void hide_never(struct shim_set *set, long long *values)
{
	int n = shim_count_events(set), i;

	for (i = 0; values && i < n; i++) {
		if (values[i] != MPX_NEVER)
			continue;
		values[i] = borrow_stretch_count(set, i);
		if (values[i] != MPX_NEVER)
			continue;
		values[i] = 0;
		shim_say_once("event set %d: an event was in no slice yet when it was read, and its value "
			      "is 0: count for longer, or with a shorter --slice; --report names the event",
			      set->number);
	}
}

SHIM_EXPORT int PAPI_stop(int number, long long *values)
{
	OURS(set, stop, number, values);
	error = mpx_set_stop(set->id, values);
	if (error == PAPI_ENOTRUN)
		return error;
	hide_never(set, values);
	/* The set is stopped even if mpx_set_stop failed because its last slice was lost. */
	set->running = false;
	if (set->record) {
		(void)shim_note(set, NULL);
		shim_end_stretch(set);
		shim_record_stop(set->record);
	}
	return shim_explain("PAPI_stop", set, error);
}

static int read_set(struct shim_set *set, long long *values)
{
	int error;

	if (!values)
		return PAPI_EINVAL;
	if (set->zero) {
		memset(values, 0, (size_t)shim_count_events(set) * sizeof(*values));
		return PAPI_OK;
	}
	if (set->record && set->running)
		error = shim_note(set, values);
	else
		error = mpx_set_read(set->id, values);
	if (!error)
		hide_never(set, values);
	return error;
}

SHIM_EXPORT int PAPI_read(int number, long long *values)
{
	OURS(set, read, number, values);
	return read_set(set, values);
}

SHIM_EXPORT int PAPI_read_ts(int number, long long *values, long long *cycles)
{
	OURS(set, read_ts, number, values, cycles);
	if (!cycles)
		return PAPI_EINVAL;
	error = read_set(set, values);
	if (!error)
		*cycles = shim_real()->get_real_cyc();
	return error;
}

static int reset_set(struct shim_set *set)
{
	int error;

	error = mpx_set_reset(set->id);
	if (!error && set->running)
		shim_end_stretch(set);
	if (!error && !set->running)
		set->zero = true;
	return error;
}

SHIM_EXPORT int PAPI_reset(int number)
{
	OURS(set, reset, number);
	return reset_set(set);
}

static int take_running_values(struct shim_set *set, long long *found)
{
	int error = mpx_set_accum(set->id, found), n = shim_count_events(set), i;

	if (!error)
		shim_end_stretch(set);
	/* Return 0 for an unknown count; the values of later calls include the missing part. */
	for (i = 0; !error && i < n; i++)
		found[i] = found[i] == MPX_NEVER ? 0 : found[i];
	return error;
}

/* Return the values of the last stop and reset the set, as PAPI does, so that PAPI_accum adds these
 * values only once. */
static int take_stopped(struct shim_set *set, long long *found)
{
	int error = read_set(set, found);

	return error ? error : reset_set(set);
}

static int accum_set_values(struct shim_set *set, long long *values)
{
	int n = shim_count_events(set), error, i;
	long long *found = calloc(n ? (size_t)n : 1, sizeof(*found));

	if (!found)
		return PAPI_ENOMEM;
	error = set->running ? take_running_values(set, found) : take_stopped(set, found);
	for (i = 0; !error && i < n; i++)
		if (__builtin_add_overflow(values[i], found[i], &values[i]))
			values[i] = found[i] < 0 ? INT64_MIN : INT64_MAX;
	free(found);
	return error;
}

SHIM_EXPORT int PAPI_accum(int number, long long *values)
{
	OURS(set, accum, number, values);
	if (!values)
		return PAPI_EINVAL;
	return accum_set_values(set, values);
}

SHIM_EXPORT int PAPI_state(int number, int *state)
{
	OURS(set, state, number, state);
	if (!state)
		return PAPI_EINVAL;
	*state = (set->running ? PAPI_RUNNING : PAPI_STOPPED) | (set->multiplex ? PAPI_MULTIPLEXING : 0);
	return PAPI_OK;
}
