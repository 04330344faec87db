/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_set.c - the public calls that create, change and list event sets, over the sets of the core.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "event_ratio.h"
#include "event_set.h"
#include "mpx.h"
#include "process/target.h"
#include "process/thread.h"
#include "stat/level.h"

static int create_handle(int *set, bool process)
{
	struct mpxi_handle *handle;
	struct mpxi_thread *thread;
	int error;

	error = mpxi_library_check();
	if (!error && !set)
		error = mpxi_error(PAPI_EINVAL, "set is NULL");
	if (!error)
		error = mpxi_thread_get(&thread);
	if (error)
		return error;
	handle = calloc(1, sizeof(*handle));
	if (!handle)
		return mpxi_error(PAPI_ENOMEM, "out of memory for an event set");
	handle->level = MPXI_LEVEL_DEFAULT;
	error = mpxi_set_create(thread->core, &handle->set);
	if (!error && process)
		error = mpxi_process_create(thread, handle->set, &handle->process);
	if (!error)
		error = mpxi_handle_open(thread, handle);
	if (error) {
		if (handle->process)
			mpxi_process_destroy(handle->process, false);
		mpxi_set_destroy(handle->set);
		mpxi_handle_free(handle);
		return error;
	}
	*set = handle->number;
	return PAPI_OK;
}

int mpx_set_create(int *set)
{
	return create_handle(set, false);
}

int mpx_set_create_process(int *set)
{
	return create_handle(set, true);
}

int mpx_set_destroy(int *set)
{
	struct mpxi_handle *handle;
	int error = mpxi_library_check();

	if (!error && !set)
		error = mpxi_error(PAPI_EINVAL, "set is NULL");
	if (!error)
		error = mpxi_thread_find(*set, &handle);
	if (error)
		return error;
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it first", *set);
	mpxi_handle_close(mpxi_self, handle);
	if (handle->process)
		mpxi_process_destroy(handle->process, false);
	mpxi_set_destroy(handle->set);
	if (handle->target)
		mpxi_target_put(handle->target);
	mpxi_handle_free(handle);
	*set = PAPI_NULL;
	return PAPI_OK;
}

static int reserve_handle_event(struct mpxi_handle *handle)
{
	unsigned room = handle->room ? 2 * handle->room : 8;
	struct mpxi_accum *accum;
	long long *value;

	if (mpxi_set_events(handle->set) < handle->room)
		return 0;
	value = realloc(handle->value, room * sizeof(*value));
	handle->value = value ? value : handle->value;
	accum = realloc(handle->accum, room * sizeof(*accum));
	handle->accum = accum ? accum : handle->accum;
	if (!value || !accum || !mpxi_regions_reserve(&handle->regions, room))
		return mpxi_error(PAPI_ENOMEM, "out of memory for an event set");
	handle->room = room;
	return 0;
}

int mpxi_handle_check(const struct mpxi_handle *handle, struct mpxi_set *set)
{
	int conflict = mpxi_set_conflict(set);
	char name[256];

	if (conflict < 0 || conflict == (int)mpxi_set_events(set))
		return conflict < 0 ? conflict : 0;
	mpxi_papi_name(mpxi_set_event(set, (unsigned)conflict), name, sizeof(name));
	return mpxi_error(PAPI_ECNFLCT,
			  "the counters do not hold %s beside what event set %d has in every group: let "
			  "events of it take turns (mpx_set_always), or take the event or the covariate out",
			  name, handle->number);
}

int mpxi_event_check(struct mpxi_target *target, uint32_t event)
{
	struct mpxi_core *core = target ? target->core : mpxi_self->core;
	int error;

	mpxi_core_hold(core);
	error = mpxi_papi_check(target ? target->papi : mpxi_self->papi, event);
	mpxi_core_release(core);
	return error;
}

static int add_handle_event(struct mpxi_handle *handle, uint32_t code)
{
	struct mpxi_target *target = handle->target;
	const char *whose;
	uint32_t event;
	int index, conflict;

	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it before events are added",
				  handle->number);
	index = mpxi_papi_event(code, handle->domain, &event);
	if (index)
		return index;
	whose = handle->process ? mpxi_papi_counts_for(event) : NULL;
	if (whose)
		return mpxi_error(
			PAPI_ENOSUPP,
			"the event 0x%x counts for %s: each thread of a process-wide set would count it again; add it to a set of one thread (mpx_set_create)",
			code, whose);
	index = target ? mpxi_target_refuses(event) : 0;
	if (!index && target)
		index = mpxi_target_check(target);
	if (!index)
		index = reserve_handle_event(handle);
	if (!index)
		index = mpxi_event_check(target, event);
	if (!index)
		index = handle->process ? mpxi_process_add(handle->process, event)
					: mpxi_set_add(handle->set, event);
	if (index < 0)
		return index;
	conflict = handle->process ? 0 : mpxi_handle_check(handle, handle->set);
	if (conflict) {
		(void)mpxi_set_remove(handle->set, event);
		return conflict;
	}
	handle->value[index] = MPX_NEVER;
	handle->accum[index] = (struct mpxi_accum){0};
	mpxi_library_event_added();
	return PAPI_OK;
}

int mpx_set_add_event(int set, int code)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	return error ? error : add_handle_event(handle, (uint32_t)code);
}

static int take_out_handle_event(struct mpxi_handle *handle, uint32_t code);

/* Remove the last event until n are left. The set must be stopped. */
static int take_out_down_to(struct mpxi_handle *handle, unsigned n)
{
	int error = 0;

	while (!error && mpxi_set_events(handle->set) > n)
		error = take_out_handle_event(
			handle,
			mpxi_papi_code_of(mpxi_set_event(handle->set, mpxi_set_events(handle->set) - 1)));
	return error;
}

int mpx_set_add_events(int set, const int *codes, int n)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle), i;
	unsigned before;
	char why[400];

	if (error)
		return error;
	if (n < 0 || (n && !codes))
		return mpxi_error(PAPI_EINVAL, "n is %d, or codes is NULL", n);
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it before events are added", set);
	before = mpxi_set_events(handle->set);
	for (i = 0; i < n; i++) {
		error = add_handle_event(handle, (uint32_t)codes[i]);
		if (!error)
			continue;
		snprintf(why, sizeof(why), "%s", mpxi_last_message());
		(void)take_out_down_to(handle, before);
		return mpxi_error(error, "event %d of %d, 0x%x: %s", i + 1, n, (unsigned)codes[i], why);
	}
	return PAPI_OK;
}

static int find_both(int set, const char *name, struct mpxi_handle **handle, uint32_t *event)
{
	int error = mpxi_thread_find(set, handle);

	if (error)
		return error;
	return name ? mpxi_papi_code(name, event) : mpxi_error(PAPI_EINVAL, "the name is NULL");
}

int mpx_set_add_named_event(int set, const char *name)
{
	struct mpxi_handle *handle;
	uint32_t event;
	int error = find_both(set, name, &handle, &event);

	return error ? error : add_handle_event(handle, event);
}

static int take_out_handle_event(struct mpxi_handle *handle, uint32_t code)
{
	unsigned n = mpxi_set_events(handle->set), i = mpxi_handle_index(handle, code);
	uint32_t event = i < n ? mpxi_set_event(handle->set, i) : UINT32_MAX;
	int error;

	error = handle->process ? mpxi_process_remove(handle->process, event)
				: mpxi_set_remove(handle->set, event);
	if (!error) {
		memmove(handle->value + i, handle->value + i + 1, (n - i - 1) * sizeof(handle->value[0]));
		memmove(handle->accum + i, handle->accum + i + 1, (n - i - 1) * sizeof(handle->accum[0]));
		mpxi_regions_remove(&handle->regions, i, n);
		mpxi_asked_remove(handle, code);
	}
	return error;
}

int mpx_set_remove_event(int set, int code)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	return error ? error : take_out_handle_event(handle, (uint32_t)code);
}

int mpx_set_remove_named_event(int set, const char *name)
{
	struct mpxi_handle *handle;
	uint32_t event;
	int error = find_both(set, name, &handle, &event);

	return error ? error : take_out_handle_event(handle, event);
}

int mpx_set_cleanup(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it before events are removed", set);
	return take_out_down_to(handle, 0);
}

int mpx_set_num_events(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	return error ? error : (int)mpxi_set_events(handle->set);
}

int mpx_set_list_events(int set, int *codes, int *n)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle), count, i;

	if (error)
		return error;
	if (!n || *n < 0 || (*n && !codes))
		return mpxi_error(PAPI_EINVAL, "n is NULL or negative, or codes is NULL");
	count = (int)mpxi_set_events(handle->set);
	for (i = 0; i < count && i < *n; i++)
		codes[i] = (int)mpxi_papi_code_of(mpxi_set_event(handle->set, (unsigned)i));
	*n = count;
	return PAPI_OK;
}

int mpx_set_always(int set, int code, int on)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);
	unsigned i;

	if (error)
		return error;
	if (handle->process)
		return mpxi_error(PAPI_ENOSUPP,
				  "event set %d is process-wide: events that are always counted are of sets "
				  "of one thread",
				  set);
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it first", set);
	i = mpxi_handle_index(handle, (uint32_t)code);
	if (i == mpxi_set_events(handle->set))
		return mpxi_error(PAPI_ENOEVNT, "event set %d has no event 0x%x", set, (unsigned)code);
	if (mpxi_set_is_always(handle->set, i) == (on != 0))
		return PAPI_OK;
	error = mpxi_papi_is_there();
	if (!error)
		error = mpxi_set_always(handle->set, i, on != 0);
	if (!error)
		error = mpxi_handle_check(handle, handle->set);
	if (error)
		(void)mpxi_set_always(handle->set, i, false);
	return error;
}

int mpx_set_state(int set, int *state)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	if (!state)
		return mpxi_error(PAPI_EINVAL, "state is NULL");
	*state = mpxi_set_runs(handle->set) ? PAPI_RUNNING : PAPI_STOPPED;
	return PAPI_OK;
}

int mpx_set_region(int set, int region)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN,
				  "event set %d runs: stop it before it counts for another region", set);
	if (!mpxi_regions_reserve(&handle->regions, handle->room) ||
	    !mpxi_regions_choose(&handle->regions, region))
		return mpxi_error(PAPI_ENOMEM, "out of memory for region %d of event set %d", region, set);
	return PAPI_OK;
}

int mpx_set_list_regions(int set, int *regions, int *n)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle), i;

	if (error)
		return error;
	if (!n || *n < 0 || (*n && !regions))
		return mpxi_error(PAPI_EINVAL, "n is NULL or negative, or regions is NULL");
	for (i = 0; i < *n && i < (int)handle->regions.n; i++)
		regions[i] = handle->regions.region[i].id;
	*n = (int)handle->regions.n;
	return PAPI_OK;
}

int mpx_set_confidence(int set, double level)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	/* The condition is negated so that NaN fails, too. */
	if (!(level >= MPXI_LEVEL_MIN && level <= MPXI_LEVEL_MAX))
		return mpxi_error(PAPI_EINVAL, "level is %g: a level of confidence is from %g to %g", level,
				  MPXI_LEVEL_MIN, MPXI_LEVEL_MAX);
	handle->level = level;
	return PAPI_OK;
}
