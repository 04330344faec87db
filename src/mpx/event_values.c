/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_values.c - the public calls on event sets that count: values that never decrease, over
 * the windows of the core.
 */
#include <math.h>
#include <papi.h>
#include <string.h>

#include "core/error.h"
#include "mpx.h"
#include "base/sized.h"
#include "process/thread.h"

static void forget_values(struct mpxi_handle *handle)
{
	unsigned i;

	for (i = 0; i < mpxi_set_events(handle->set); i++)
		handle->value[i] = MPX_NEVER;
}

static void result_of(const struct mpxi_handle *handle, unsigned i, struct mpxi_result *result)
{
	if (handle->process)
		*result = *mpxi_process_result(handle->process, i);
	else
		mpxi_result_of_window(mpxi_set_window(handle->set, i), mpxi_library_estimator(),
				      mpxi_set_lost(handle->set), result);
}

/* What a plain read gives: N_e as a whole number, not below what was given before. */
static long long settle(struct mpxi_handle *handle, unsigned i, const struct mpxi_result *result)
{
	const struct mpxi_estimate *estimate = &result->estimate;
	long long whole;

	if (estimate->never)
		return handle->value[i];
	/* A count beyond 2^53 is exact only as an integer. */
	if (estimate->exact && result->count <= INT64_MAX)
		whole = (long long)result->count;
	else
		whole = estimate->value < 0x1p63 ? llrint(estimate->value) : INT64_MAX;
	if (whole > handle->value[i])
		handle->value[i] = whole;
	return handle->value[i];
}

static void give(struct mpxi_handle *handle, long long *values)
{
	unsigned i, n = mpxi_set_events(handle->set);
	struct mpxi_result result;
	long long value;

	for (i = 0; i < n; i++) {
		result_of(handle, i, &result);
		value = settle(handle, i, &result);
		if (values)
			values[i] = value;
	}
}

/* The core passes on what PAPI says, without words. */
static int refused(int error, const struct mpxi_handle *handle, const char *verb)
{
	/* Threads that do not answer have been told of. */
	if (!error || (handle->process && error == PAPI_ESYS))
		return error;
	return mpxi_error(error, "PAPI cannot %s a group of event set %d: %s", verb, handle->number,
			  mpxi_papi_words(error));
}

int mpx_set_start(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);
	unsigned said;

	if (error)
		return error;
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs already", set);
	said = mpxi_error_count();
	error = handle->process ? mpxi_process_start(handle->process) : mpxi_set_start(handle->set);
	if (!error)
		forget_values(handle);
	/* PAPI's own codes come without words. */
	if (error == PAPI_EISRUN)
		mpxi_error(
			error,
			"PAPI does not start the events of event set %d: an event set of the program's own counts in this thread",
			set);
	else if (error && mpxi_error_count() == said)
		mpxi_error(error, "PAPI cannot start a group of event set %d: %s", set,
			   mpxi_papi_words(error));
	return error;
}

int mpx_set_stop(int set, long long *values)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);
	bool ran = !error && mpxi_set_runs(handle->set);

	if (!error)
		error = handle->process ? mpxi_process_stop(handle->process) : mpxi_set_stop(handle->set);
	if (ran) {
		give(handle, values);
		error = refused(error, handle, "stop");
	}
	return error;
}

static int bring_up(struct mpxi_handle *handle)
{
	return handle->process ? mpxi_process_read(handle->process) : mpxi_set_read(handle->set);
}

/* Without the sums that only an error bar needs. */
static int read_plainly(struct mpxi_handle *handle, long long *values)
{
	int error = refused(mpxi_set_values(handle->set, mpxi_library_estimator(), values), handle, "read");
	unsigned i, n = mpxi_set_events(handle->set);

	for (i = 0; i < n && !error; i++) {
		if (values[i] > handle->value[i])
			handle->value[i] = values[i];
		values[i] = handle->value[i];
	}
	return error;
}

int mpx_set_read(int set, long long *values)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (!error && !values)
		error = mpxi_error(PAPI_EINVAL, "values is NULL");
	if (error)
		return error;
	if (!handle->process && mpxi_set_runs(handle->set))
		return read_plainly(handle, values);
	error = refused(bring_up(handle), handle, "read");
	/* Of threads that do not answer there is what they answered last. */
	if (!error || handle->process)
		give(handle, values);
	return error;
}

int mpx_set_accum(int set, long long *values)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);
	unsigned i;

	if (error)
		return error;
	if (!values)
		return mpxi_error(PAPI_EINVAL, "values is NULL");
	if (!mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_ENOTRUN, "event set %d does not run", set);
	error = handle->process ? mpxi_process_take(handle->process) : mpxi_set_take(handle->set);
	error = refused(error, handle, "read");
	if (error && !handle->process)
		return error;
	give(handle, NULL);
	for (i = 0; i < mpxi_set_events(handle->set); i++) {
		if (values[i] == MPX_NEVER || handle->value[i] == MPX_NEVER ||
		    __builtin_add_overflow(values[i], handle->value[i], &values[i]))
			values[i] = MPX_NEVER;
	}
	forget_values(handle);
	return error;
}

int mpx_set_reset(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	error = handle->process ? mpxi_process_reset(handle->process) : mpxi_set_reset(handle->set);
	error = refused(error, handle, "read");
	/* Threads that do not answer reset when they do. */
	if (!error || handle->process)
		forget_values(handle);
	return error;
}

static unsigned flags_of(const struct mpxi_result *result)
{
	const struct mpxi_estimate *e = &result->estimate;

	return (e->exact ? MPX_EXACT : 0) | (e->never ? MPX_UNCOUNTED : 0) | (e->rough ? MPX_ROUGH : 0) |
	       (result->lost ? MPX_LOST : 0) | (result->partial ? MPX_PARTIAL : 0) |
	       (result->borrowed ? MPX_BORROWED : 0);
}

static void fill_estimate(struct mpxi_handle *handle, unsigned i, struct mpx_estimate *out)
{
	struct mpxi_result result;
	long long value;

	result_of(handle, i, &result);
	value = settle(handle, i, &result);
	if (value != MPX_NEVER)
		mpxi_estimate_include(&result.estimate, value);
	*out = (struct mpx_estimate){
		.code = (int)mpxi_set_event(handle->set, i),
		.flags = flags_of(&result),
		.value = value,
		.estimate = result.estimate.value,
		.standard_error = result.estimate.standard_error,
		.low = result.estimate.low,
		.high = result.estimate.high,
		.coverage = result.estimate.coverage,
		.count = result.count,
		.counted_time = result.size,
		.time = result.time,
		.slices = result.slices,
		.threads = result.threads,
		.missed = result.missed,
	};
}

int mpx_set_estimates(int set, struct mpx_estimate *estimates, int n)
{
	/* Two fields came behind it. */
	static const struct upci_sized sized = UPCI_SIZED(mpx_estimate, slices, mpxi_error);
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle), i;
	struct mpx_estimate mine;
	size_t size;

	if (error)
		return error;
	if (n < 0 || (n && !estimates) || (unsigned)n > mpxi_set_events(handle->set))
		return mpxi_error(PAPI_EINVAL, "n is %d, and the event set has %u events", n,
				  mpxi_set_events(handle->set));
	if (!n)
		return PAPI_OK;
	error = upci_sized_check(&sized, estimates);
	if (error)
		return error;
	size = estimates[0].size;
	error = refused(bring_up(handle), handle, "read");
	if (error && !handle->process)
		return error;
	for (i = 0; i < n; i++) {
		char *to = (char *)estimates + (size_t)i * size;

		fill_estimate(handle, (unsigned)i, &mine);
		memcpy(to, &size, sizeof(size));
		upci_sized_give(&sized, to, &mine);
	}
	return error;
}
