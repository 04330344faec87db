/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_events.c - stand-ins for PAPI's calls that create and destroy event sets, and add and remove events.
 *
 * They behave like PAPI's own calls, even in odd cases: a set that is not empty cannot be destroyed, and
 * PAPI_add_events returns the number of events that it could add. There is one difference: a set may have
 * more events than the counters hold.
 *
 * Terms: shim/shim.h.
 */
#include <stdlib.h>

#include "shim/shim.h"
#include "shim/shim_pass.h"

int shim_explain(const char *call, const struct shim_set *set, int error)
{
	if (error == PAPI_ENOSUPP || error == PAPI_ESYS || error == PAPI_ENOMEM)
		shim_say_once("%s, event set %d: %s", call, set->number, mpx_last_message());
	return error;
}

/* ---- life -------------------------------------------------------------------------------- */

static int create_shim_set(int *number)
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

	/* PAPI's high-level and rate calls create sets for their own use. */
	if (shim_is_papi(__builtin_return_address(0)))
		return real->create_eventset(number);
	return create_shim_set(number);
}

/* Define the Fortran entry point under each name that a compiler may use. libpapi exports them all. */
#define FORTRAN(name)                                   \
	SHIM_EXPORT void name(int *number, int *check); \
	SHIM_EXPORT void name(int *number, int *check)  \
	{                                               \
		*check = create_shim_set(number);       \
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
	if (shim_is_plain(set)) {
		error = shim_real()->destroy_eventset(&id);
	} else {
		if (set->running)
			return PAPI_EISRUN;
		if (shim_count_events(set))
			return PAPI_EINVAL;
		error = mpx_set_destroy(&id);
	}
	if (error)
		return error;
	shim_forget(set);
	*number = PAPI_NULL;
	return PAPI_OK;
}

static int drop_shim_event(struct shim_set *set, int code)
{
	int error = mpx_set_remove_event(set->id, code);

	if (!error && set->record)
		shim_record_drop(set->record, code);
	return error;
}

SHIM_EXPORT int PAPI_cleanup_eventset(int number)
{
	int *codes, n, i;

	OURS(set, cleanup_eventset, number);
	if (set->running)
		return PAPI_EISRUN;
	n = shim_count_events(set);
	codes = calloc(n ? (size_t)n : 1, sizeof(*codes));
	if (!codes)
		return PAPI_ENOMEM;
	error = mpx_set_list_events(set->id, codes, &n);
	for (i = n - 1; !error && i >= 0; i--)
		error = drop_shim_event(set, codes[i]);
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
	/* The thread's libmpx sets use sets of PAPI, so the libmpx sets are destroyed first. */
	shim_forget_thread();
	(void)mpx_thread_end();
	return shim_real()->unregister_thread();
}

/* ---- events ------------------------------------------------------------------------------ */

static int note_added_event(struct shim_set *set, int code)
{
	char name[PAPI_HUGE_STR_LEN] = "";

	set->zero = true;
	if (!set->record)
		return PAPI_OK;
	if (shim_real()->event_code_to_name(code, name))
		name[0] = '\0';
	return shim_record_add(set->record, code, name);
}

static int add_shim_event(struct shim_set *set, int code)
{
	int error = mpx_set_add_event(set->id, code);

	if (error)
		return shim_explain("PAPI_add_event", set, error);
	error = note_added_event(set, code);
	if (error)
		(void)mpx_set_remove_event(set->id, code);
	return error;
}

SHIM_EXPORT int PAPI_add_event(int number, int code)
{
	OURS(set, add_event, number, code);
	return add_shim_event(set, code);
}

SHIM_EXPORT int PAPI_add_named_event(int number, const char *name)
{
	int code;

	OURS(set, add_named_event, number, name);
	error = shim_code_of(name, &code);
	return error ? error : add_shim_event(set, code);
}

/* Call act for each code, up to the first failure. Return, as PAPI does: PAPI_OK; the number of
 * successes before a failure; or the error if the first code failed. */
static int do_each(struct shim_set *set, const int *codes, int n, int (*act)(struct shim_set *set, int code))
{
	int error, i;

	if (!codes || n <= 0)
		return PAPI_EINVAL;
	for (i = 0; i < n; i++) {
		error = act(set, codes[i]);
		if (error)
			return i ? i : error;
	}
	return PAPI_OK;
}

SHIM_EXPORT int PAPI_add_events(int number, int *codes, int n)
{
	OURS(set, add_events, number, codes, n);
	return do_each(set, codes, n, add_shim_event);
}

static int take_out_shim_event(struct shim_set *set, int code)
{
	int error = drop_shim_event(set, code);

	if (!error)
		set->zero = true;
	return error == PAPI_ENOEVNT ? PAPI_EINVAL : error; /* as PAPI does */
}

SHIM_EXPORT int PAPI_remove_event(int number, int code)
{
	OURS(set, remove_event, number, code);
	return take_out_shim_event(set, code);
}

SHIM_EXPORT int PAPI_remove_named_event(int number, const char *name)
{
	int code;

	OURS(set, remove_named_event, number, name);
	error = shim_code_of(name, &code);
	return error ? error : take_out_shim_event(set, code);
}

SHIM_EXPORT int PAPI_remove_events(int number, int *codes, int n)
{
	OURS(set, remove_events, number, codes, n);
	return do_each(set, codes, n, take_out_shim_event);
}

SHIM_EXPORT int PAPI_list_events(int number, int *codes, int *n)
{
	int room;

	OURS(set, list_events, number, codes, n);
	if (!n || *n < 0 || (!codes && *n > 0))
		return PAPI_EINVAL;
	room = *n;
	error = mpx_set_list_events(set->id, codes, n);
	/* PAPI returns the number of codes that it wrote. */
	if (!error && room && *n > room)
		*n = room;
	return error;
}

SHIM_EXPORT int PAPI_num_events(int number)
{
	OURS(set, num_events, number);
	return shim_count_events(set);
}
