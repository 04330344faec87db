/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_calls.c - PAPI's calls on event sets, as the program makes them: counting.
 *
 * They are what PAPI's own are, down to odd cases: a set that is not empty cannot be
 * destroyed, what is read of a stopped set is what its stop found, PAPI_add_events says
 * how many it could add. What differs: the counters hold any number of events, sets of
 * a thread may run beside each other, and MPX_NEVER is a value.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"
#include "shim_pass.h"

static bool is_plain(const struct shim_set *set)
{
	return set->kind == SHIM_PLAIN;
}

/* What PAPI never says of such a call needs more words than a code has. */
static int explain(const char *call, const struct shim_set *set, int error)
{
	if (error == PAPI_ENOSUPP || error == PAPI_ESYS || error == PAPI_ENOMEM)
		shim_say_once("%s, event set %d: %s", call, set->number, mpx_last_message());
	return error;
}

static int count_events(const struct shim_set *set)
{
	int n = 0;

	return mpx_set_list_events(set->id, NULL, &n) ? 0 : n;
}

/* ---- life -------------------------------------------------------------------------------- */

static int create(int *number)
{
	int error;

	if (shim_real()->is_initialized() == PAPI_NOT_INITED)
		return PAPI_ENOINIT;
	if (!number || *number != PAPI_NULL)
		return PAPI_EINVAL;
	error = shim_begin();
	if (!error)
		error = shim_watch_thread();
	return error ? error : shim_create(number);
}

SHIM_EXPORT int PAPI_create_eventset(int *number)
{
	const struct shim_real *real = shim_real();

	/* The high-level and rate calls make sets of their own. */
	if (shim_is_papi(__builtin_return_address(0)))
		return real->create_eventset(number);
	return create(number);
}

/* Fortran's, in each form that a compiler may call it by: they are in libpapi. */
#define FORTRAN(name) \
	SHIM_EXPORT void name(int *number, int *check); \
	SHIM_EXPORT void name(int *number, int *check) \
	{ \
		*check = create(number); \
	}

FORTRAN(papif_create_eventset)
FORTRAN(papif_create_eventset_)
FORTRAN(papif_create_eventset__)
FORTRAN(PAPIF_CREATE_EVENTSET)

SHIM_EXPORT int PAPI_destroy_eventset(int *number)
{
	int id;

	if (!number)
		return PAPI_EINVAL;
	if (!shim_is_ours(*number))
		return shim_real()->destroy_eventset(number);
	FIND(set, *number);
	id = set->id;
	if (is_plain(set)) {
		error = shim_real()->destroy_eventset(&id);
	} else {
		if (set->running)
			return PAPI_EISRUN;
		if (count_events(set))
			return PAPI_EINVAL;
		error = mpx_set_destroy(&id);
	}
	if (error)
		return error;
	shim_forget(set);
	*number = PAPI_NULL;
	return PAPI_OK;
}

SHIM_EXPORT int PAPI_cleanup_eventset(int number)
{
	int *codes, n, i;

	PASS(cleanup_eventset, number);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->cleanup_eventset(set->id);
	if (set->running)
		return PAPI_EISRUN;
	n = count_events(set);
	codes = calloc(n ? (size_t)n : 1, sizeof(*codes));
	if (!codes)
		return PAPI_ENOMEM;
	error = mpx_set_list_events(set->id, codes, &n);
	for (i = n - 1; !error && i >= 0; i--)
		error = mpx_set_remove_event(set->id, codes[i]);
	free(codes);
	set->zero = true;
	if (!error)
		set->component = -1;
	return error;
}

SHIM_EXPORT void PAPI_shutdown(void)
{
	shim_forget_thread();
	if (shim_end())
		shim_real()->shutdown();
	else
		shim_say_once("PAPI_shutdown: other threads have event sets still, PAPI goes on for "
			      "them; they stop and destroy them, or end, first");
}

SHIM_EXPORT int PAPI_unregister_thread(void)
{
	/* What libmpx keeps for the thread has sets in PAPI's. */
	shim_forget_thread();
	(void)mpx_thread_end();
	return shim_real()->unregister_thread();
}

/* ---- events ------------------------------------------------------------------------------ */

static int added(struct shim_set *set, int code)
{
	char name[PAPI_HUGE_STR_LEN] = "";

	set->zero = true;
	if (!set->record)
		return PAPI_OK;
	if (shim_real()->event_code_to_name(code, name))
		name[0] = '\0';
	return shim_record_add(set->record, code, name);
}

static int add(struct shim_set *set, int code)
{
	int error = mpx_set_add_event(set->id, code);

	if (error)
		return explain("PAPI_add_event", set, error);
	error = added(set, code);
	if (error)
		(void)mpx_set_remove_event(set->id, code);
	return error;
}

SHIM_EXPORT int PAPI_add_event(int number, int code)
{
	PASS(add_event, number, code);
	FIND(set, number);
	return is_plain(set) ? shim_real()->add_event(set->id, code) : add(set, code);
}

SHIM_EXPORT int PAPI_add_named_event(int number, const char *name)
{
	int code;

	PASS(add_named_event, number, name);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->add_named_event(set->id, name);
	error = shim_real()->event_name_to_code(name, &code);
	return error ? error : add(set, code);
}

SHIM_EXPORT int PAPI_add_events(int number, int *codes, int n)
{
	int i;

	PASS(add_events, number, codes, n);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->add_events(set->id, codes, n);
	if (!codes || n <= 0)
		return PAPI_EINVAL;
	for (i = 0; i < n; i++) {
		error = add(set, codes[i]);
		if (error)
			return i ? i : error;
	}
	return PAPI_OK;
}

static int take_out(struct shim_set *set, int code)
{
	int error = mpx_set_remove_event(set->id, code);

	if (!error)
		set->zero = true;
	return error == PAPI_ENOEVNT ? PAPI_EINVAL : error; /* so says PAPI */
}

SHIM_EXPORT int PAPI_remove_event(int number, int code)
{
	PASS(remove_event, number, code);
	FIND(set, number);
	return is_plain(set) ? shim_real()->remove_event(set->id, code) : take_out(set, code);
}

SHIM_EXPORT int PAPI_remove_named_event(int number, const char *name)
{
	int code;

	PASS(remove_named_event, number, name);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->remove_named_event(set->id, name);
	error = shim_real()->event_name_to_code(name, &code);
	return error ? error : take_out(set, code);
}

SHIM_EXPORT int PAPI_remove_events(int number, int *codes, int n)
{
	int i;

	PASS(remove_events, number, codes, n);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->remove_events(set->id, codes, n);
	if (!codes || n <= 0)
		return PAPI_EINVAL;
	for (i = 0; i < n; i++) {
		error = take_out(set, codes[i]);
		if (error)
			return i ? i : error;
	}
	return PAPI_OK;
}

SHIM_EXPORT int PAPI_list_events(int number, int *codes, int *n)
{
	int room;

	PASS(list_events, number, codes, n);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->list_events(set->id, codes, n);
	if (!n || *n < 0 || (!codes && *n > 0))
		return PAPI_EINVAL;
	room = *n;
	error = mpx_set_list_events(set->id, codes, n);
	/* PAPI says how many it has written. */
	if (!error && room && *n > room)
		*n = room;
	return error;
}

SHIM_EXPORT int PAPI_num_events(int number)
{
	PASS(num_events, number);
	FIND(set, number);
	return is_plain(set) ? shim_real()->num_events(set->id) : count_events(set);
}

/* ---- counting ---------------------------------------------------------------------------- */

int shim_note(struct shim_set *set, long long *values)
{
	struct mpx_estimate small[16], *e = small;
	int n = count_events(set), error, i;

	if (n > 16) {
		e = calloc((size_t)n, sizeof(*e));
		if (!e)
			return PAPI_ENOMEM;
	}
	e[0].size = sizeof(e[0]);
	error = mpx_set_estimates(set->id, e, n);
	if (!error) {
		shim_record_note(set->record, e, (unsigned)n);
		for (i = 0; values && i < n; i++)
			values[i] = e[i].value;
	}
	if (e != small)
		free(e);
	return error;
}

/*
 * A set of PAPI's own. It would be the running set of its thread and component, of which
 * PAPI allows one: the groups of libmpx, which are attached to the thread, run on beside
 * it, but none can start, and all slices would be lost.
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
		return start_plain(number); /* of the high-level and rate calls */
	FIND(set, number);
	if (is_plain(set))
		return start_plain(set->id);
	error = mpx_set_start(set->id);
	if (error == PAPI_EISRUN && !set->running)
		shim_say_once("PAPI_start, event set %d: a set that PAPI counts by itself (one of "
			      "PAPI_hl_region_begin or PAPI_overflow, say) runs in this thread and "
			      "component; stop that first", set->number);
	if (error)
		return explain("PAPI_start", set, error);
	set->running = true;
	set->zero = false;
	if (set->record)
		shim_record_start(set->record);
	return PAPI_OK;
}

SHIM_EXPORT int PAPI_stop(int number, long long *values)
{
	PASS(stop, number, values);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->stop(set->id, values);
	error = mpx_set_stop(set->id, values);
	if (error == PAPI_ENOTRUN)
		return error;
	/* It is stopped also where its last slice was lost. */
	set->running = false;
	if (set->record) {
		(void)shim_note(set, NULL);
		shim_record_stop(set->record);
	}
	return explain("PAPI_stop", set, error);
}

static int read_set(struct shim_set *set, long long *values)
{
	if (!values)
		return PAPI_EINVAL;
	if (set->zero) {
		memset(values, 0, (size_t)count_events(set) * sizeof(*values));
		return PAPI_OK;
	}
	if (set->record && set->running)
		return shim_note(set, values);
	return mpx_set_read(set->id, values);
}

SHIM_EXPORT int PAPI_read(int number, long long *values)
{
	PASS(read, number, values);
	FIND(set, number);
	return is_plain(set) ? shim_real()->read(set->id, values) : read_set(set, values);
}

SHIM_EXPORT int PAPI_read_ts(int number, long long *values, long long *cycles)
{
	PASS(read_ts, number, values, cycles);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->read_ts(set->id, values, cycles);
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

	/* The report has what was counted, also what the program throws away. */
	if (set->record && set->running) {
		(void)shim_note(set, NULL);
		shim_record_fold(set->record);
	}
	error = mpx_set_reset(set->id);
	if (!error && !set->running)
		set->zero = true;
	return error;
}

SHIM_EXPORT int PAPI_reset(int number)
{
	PASS(reset, number);
	FIND(set, number);
	return is_plain(set) ? shim_real()->reset(set->id) : reset_set(set);
}

static int accum_running(struct shim_set *set, long long *values)
{
	if (set->record) {
		int error = shim_note(set, NULL);

		if (error)
			return error;
		shim_record_fold(set->record);
	}
	return mpx_set_accum(set->id, values);
}

/* As PAPI does: what the stop found is added, once. */
static int accum_stopped(struct shim_set *set, long long *values)
{
	int n = count_events(set), error, i;
	long long *found = calloc(n ? (size_t)n : 1, sizeof(*found));

	if (!found)
		return PAPI_ENOMEM;
	error = read_set(set, found);
	for (i = 0; !error && i < n; i++)
		if (values[i] == MPX_NEVER || found[i] == MPX_NEVER ||
		    __builtin_add_overflow(values[i], found[i], &values[i]))
			values[i] = MPX_NEVER;
	free(found);
	return error ? error : reset_set(set);
}

SHIM_EXPORT int PAPI_accum(int number, long long *values)
{
	PASS(accum, number, values);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->accum(set->id, values);
	if (!values)
		return PAPI_EINVAL;
	return set->running ? accum_running(set, values) : accum_stopped(set, values);
}

SHIM_EXPORT int PAPI_state(int number, int *state)
{
	PASS(state, number, state);
	FIND(set, number);
	if (is_plain(set))
		return shim_real()->state(set->id, state);
	if (!state)
		return PAPI_EINVAL;
	*state = (set->running ? PAPI_RUNNING : PAPI_STOPPED) |
		 (set->multiplex ? PAPI_MULTIPLEXING : 0);
	return PAPI_OK;
}
