/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_set.c - the public calls on event sets: whose they are, and values that never
 * decrease, over the sets of the core.
 */
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mpx.h"
#include "thread.h"

#define LEAST(type, last) (offsetof(struct type, last) + sizeof(((struct type *)0)->last))

int mpx_set_create(int *set)
{
	struct mpxi_handle *handle;
	struct mpxi_thread *thread;
	int error;

	if (!set)
		return mpxi_error(PAPI_EINVAL, "set is NULL");
	error = mpxi_thread_get(&thread);
	if (error)
		return error;
	handle = calloc(1, sizeof(*handle));
	if (!handle)
		return mpxi_error(PAPI_ENOMEM, "out of memory for an event set");
	error = mpxi_set_create(thread->core, &handle->set);
	if (!error) {
		error = mpxi_handle_open(thread, handle);
		if (error)
			mpxi_set_destroy(handle->set);
	}
	if (error)
		free(handle);
	else
		*set = handle->number;
	return error;
}

int mpx_set_destroy(int *set)
{
	struct mpxi_handle *handle;
	int error;

	if (!set)
		return mpxi_error(PAPI_EINVAL, "set is NULL");
	error = mpxi_handle_find(*set, &handle);
	if (error)
		return error;
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it first", *set);
	mpxi_handle_close(mpxi_self, handle);
	mpxi_set_destroy(handle->set);
	free(handle->value);
	free(handle);
	*set = PAPI_NULL;
	return PAPI_OK;
}

static int add(struct mpxi_handle *handle, uint32_t event)
{
	unsigned room = handle->room ? 2 * handle->room : 8;
	long long *more;
	int index, error;

	if (mpxi_set_events(handle->set) == handle->room) {
		more = realloc(handle->value, room * sizeof(*more));
		if (!more)
			return mpxi_error(PAPI_ENOMEM, "out of memory for an event set");
		handle->value = more;
		handle->room = room;
	}
	error = mpxi_papi_check(mpxi_self->papi, event);
	if (error)
		return error;
	index = mpxi_set_add(handle->set, event);
	if (index < 0)
		return index;
	handle->value[index] = MPX_NEVER;
	return PAPI_OK;
}

int mpx_set_add_event(int set, int code)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);

	return error ? error : add(handle, (uint32_t)code);
}

int mpx_set_add_named_event(int set, const char *name)
{
	struct mpxi_handle *handle;
	uint32_t event;
	int error = mpxi_handle_find(set, &handle);

	if (!error)
		error = name ? mpxi_papi_code(name, &event)
			     : mpxi_error(PAPI_EINVAL, "the name is NULL");
	return error ? error : add(handle, event);
}

static int take_out(struct mpxi_handle *handle, uint32_t event)
{
	unsigned n = mpxi_set_events(handle->set), i;
	int error;

	for (i = 0; i < n && mpxi_set_event(handle->set, i) != event; i++)
		;
	error = mpxi_set_remove(handle->set, event);
	if (!error)
		memmove(handle->value + i, handle->value + i + 1,
			(n - i - 1) * sizeof(handle->value[0]));
	return error;
}

int mpx_set_remove_event(int set, int code)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);

	return error ? error : take_out(handle, (uint32_t)code);
}

int mpx_set_remove_named_event(int set, const char *name)
{
	struct mpxi_handle *handle;
	uint32_t event;
	int error = mpxi_handle_find(set, &handle);

	if (!error)
		error = name ? mpxi_papi_code(name, &event)
			     : mpxi_error(PAPI_EINVAL, "the name is NULL");
	return error ? error : take_out(handle, event);
}

int mpx_set_list_events(int set, int *codes, int *n)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle), count, i;

	if (error)
		return error;
	if (!n || *n < 0 || (*n && !codes))
		return mpxi_error(PAPI_EINVAL, "n is NULL or negative, or codes is NULL");
	count = (int)mpxi_set_events(handle->set);
	for (i = 0; i < count && i < *n; i++)
		codes[i] = (int)mpxi_set_event(handle->set, (unsigned)i);
	*n = count;
	return PAPI_OK;
}

int mpx_set_state(int set, int *state)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);

	if (error)
		return error;
	if (!state)
		return mpxi_error(PAPI_EINVAL, "state is NULL");
	*state = mpxi_set_runs(handle->set) ? PAPI_RUNNING : PAPI_STOPPED;
	return PAPI_OK;
}

/* ---- values -------------------------------------------------------------------------- */

static void forget_values(struct mpxi_handle *handle)
{
	unsigned i;

	for (i = 0; i < mpxi_set_events(handle->set); i++)
		handle->value[i] = MPX_NEVER;
}

/* What a plain read gives: N_e as a whole number, not below what was given before. */
static long long settle(struct mpxi_handle *handle, unsigned i, const struct mpxi_estimate *estimate)
{
	long long whole;

	if (estimate->never)
		return handle->value[i];
	/* A count beyond 2^53 is exact only as an integer. */
	if (estimate->exact && mpxi_set_window(handle->set, i)->sums.count <= INT64_MAX)
		whole = (long long)mpxi_set_window(handle->set, i)->sums.count;
	else
		whole = estimate->value < 0x1p63 ? llrint(estimate->value) : INT64_MAX;
	if (whole > handle->value[i])
		handle->value[i] = whole;
	return handle->value[i];
}

static void give(struct mpxi_handle *handle, long long *values)
{
	unsigned i, n = mpxi_set_events(handle->set);
	struct mpxi_estimate estimate;
	long long value;

	for (i = 0; i < n; i++) {
		mpxi_estimate(mpxi_set_window(handle->set, i), mpxi_library_estimator(), &estimate);
		value = settle(handle, i, &estimate);
		if (values)
			values[i] = value;
	}
}

int mpx_set_start(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);

	if (!error)
		error = mpxi_set_start(handle->set);
	if (!error)
		forget_values(handle);
	return error;
}

int mpx_set_stop(int set, long long *values)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);
	bool ran = !error && mpxi_set_runs(handle->set);

	if (!error)
		error = mpxi_set_stop(handle->set);
	if (ran)
		give(handle, values);
	return error;
}

int mpx_set_read(int set, long long *values)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);

	if (!error && !values)
		error = mpxi_error(PAPI_EINVAL, "values is NULL");
	if (!error)
		error = mpxi_set_read(handle->set);
	if (!error)
		give(handle, values);
	return error;
}

int mpx_set_accum(int set, long long *values)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);
	unsigned i;

	if (error)
		return error;
	if (!values)
		return mpxi_error(PAPI_EINVAL, "values is NULL");
	if (!mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_ENOTRUN, "event set %d does not run", set);
	error = mpxi_set_take(handle->set);
	if (error)
		return error;
	give(handle, NULL);
	for (i = 0; i < mpxi_set_events(handle->set); i++) {
		if (values[i] == MPX_NEVER || handle->value[i] == MPX_NEVER ||
		    __builtin_add_overflow(values[i], handle->value[i], &values[i]))
			values[i] = MPX_NEVER;
	}
	forget_values(handle);
	return PAPI_OK;
}

int mpx_set_reset(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle);

	if (!error)
		error = mpxi_set_reset(handle->set);
	if (!error)
		forget_values(handle);
	return error;
}

static void fill_estimate(struct mpxi_handle *handle, unsigned i, struct mpx_estimate *out)
{
	const struct mpxi_window *window = mpxi_set_window(handle->set, i);
	struct mpxi_estimate estimate;

	mpxi_estimate(window, mpxi_library_estimator(), &estimate);
	*out = (struct mpx_estimate){
		.code = (int)mpxi_set_event(handle->set, i),
		.flags = (estimate.exact ? MPX_EXACT : 0) | (estimate.never ? MPX_UNCOUNTED : 0) |
			 (estimate.rough ? MPX_ROUGH : 0),
		.value = settle(handle, i, &estimate),
		.estimate = estimate.value,
		.standard_error = estimate.standard_error,
		.low = estimate.low,
		.high = estimate.high,
		.coverage = estimate.coverage,
		.count = window->sums.count,
		.counted_time = window->sums.size,
		.time = window->time,
		.slices = window->sums.slices,
	};
}

int mpx_set_estimates(int set, struct mpx_estimate *estimates, int n)
{
	struct mpxi_handle *handle;
	int error = mpxi_handle_find(set, &handle), i;
	struct mpx_estimate mine;
	size_t size;

	if (error)
		return error;
	if (n < 0 || (n && !estimates) || (unsigned)n > mpxi_set_events(handle->set))
		return mpxi_error(PAPI_EINVAL, "n is %d, and the event set has %u events", n,
				  mpxi_set_events(handle->set));
	if (!n)
		return PAPI_OK;
	size = estimates[0].size;
	if (size < LEAST(mpx_estimate, slices))
		return mpxi_error(PAPI_EINVAL,
				  "the size of estimates[0] is not set: use MPX_OPTIONS_INIT");
	error = mpxi_set_read(handle->set);
	for (i = 0; !error && i < n; i++) {
		fill_estimate(handle, (unsigned)i, &mine);
		mpxi_struct_give((char *)estimates + (size_t)i * size, size, &mine, sizeof(mine),
				 LEAST(mpx_estimate, slices));
	}
	return error;
}

/* ---- the calling thread ---------------------------------------------------------------- */

int mpx_thread_end(void)
{
	if (!mpxi_library_lock())
		return PAPI_ENOINIT;
	mpxi_library_unlock();
	mpxi_thread_end();
	return PAPI_OK;
}

int mpx_thread_master_list(struct mpx_master_event *list, int n)
{
	struct mpxi_thread *thread;
	struct mpxi_master *events;
	unsigned count, i;
	int error = mpxi_thread_get(&thread);

	if (error)
		return error;
	if (n < 0 || (n && !list) || (n && list[0].size < LEAST(mpx_master_event, current)))
		return mpxi_error(PAPI_EINVAL,
				  "n is negative, or the size of list[0] is not set: use MPX_OPTIONS_INIT");
	events = calloc(n ? (size_t)n : 1, sizeof(*events));
	if (!events)
		return mpxi_error(PAPI_ENOMEM, "out of memory for a list of %d events", n);
	count = mpxi_core_master(thread->core, events, (unsigned)n);
	for (i = 0; i < count && i < (unsigned)n; i++) {
		const struct mpxi_master *e = &events[i];
		struct mpx_master_event mine = {
			.code = (int)e->event,
			.references = e->references,
			.activations = e->activations,
			.count = e->count,
			.counted_time = e->size,
			.slices = e->slices,
			.group = (int)e->group,
			.current = e->current,
		};
		size_t size = list[0].size;

		mpxi_struct_give((char *)list + i * size, size, &mine, sizeof(mine),
				 LEAST(mpx_master_event, current));
	}
	free(events);
	return (int)count;
}

int mpx_thread_get_info(struct mpx_thread_info *info)
{
	struct mpx_thread_info mine = {0};
	struct mpxi_core_info core;
	struct mpxi_thread *thread;
	int error = mpxi_thread_get(&thread);

	if (error)
		return error;
	mpxi_core_info(thread->core, &core);
	mine.clock = mpxi_papi_clock_name(thread->papi);
	mine.clock_unit = mpxi_papi_clock_unit(thread->papi);
	mine.time = core.time;
	mine.slices = core.slices;
	mine.put_off = thread->put_off;
	mine.lost = core.lost;
	mine.groups = core.groups;
	mine.events = core.events;
	mine.running = core.running;
	mine.memory = core.memory + sizeof(*thread);
	if (!mpxi_struct_give(info, info->size, &mine, sizeof(mine), LEAST(mpx_thread_info, memory)))
		return mpxi_error(PAPI_EINVAL, "the size of mpx_thread_info is not set: use MPX_OPTIONS_INIT");
	return PAPI_OK;
}
