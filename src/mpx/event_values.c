/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_values.c - the public calls on event sets that count. They derive values that never decrease from
 * the windows of the core.
 */
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "event_ratio.h"
#include "mpx.h"
#include "base/sized.h"
#include "process/target.h"
#include "process/thread.h"
#include "stat/level.h"

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
		mpxi_result_of_window(mpxi_set_best_window(handle->set, i, mpxi_library_estimator()),
				      mpxi_library_estimator(), mpxi_set_lost(handle->set), result);
}

static long long whole_of_result(const struct mpxi_result *result)
{
	/* A count beyond 2^53 is exact only as an integer. */
	if (result->estimate.exact && result->count <= INT64_MAX)
		return (long long)result->count;
	return result->estimate.value < 0x1p63 ? llrint(result->estimate.value) : INT64_MAX;
}

/* The value of a plain read: N_e as a whole number, not below the value given before. */
static long long settle_plain_value(struct mpxi_handle *handle, unsigned i, const struct mpxi_result *result)
{
	long long whole;

	if (result->estimate.never)
		return handle->value[i];
	whole = whole_of_result(result);
	if (whole > handle->value[i])
		handle->value[i] = whole;
	return handle->value[i];
}

static void give_values(struct mpxi_handle *handle, long long *values)
{
	unsigned i, n = mpxi_set_events(handle->set);
	struct mpxi_result result;
	long long value;

	for (i = 0; i < n; i++) {
		result_of(handle, i, &result);
		value = settle_plain_value(handle, i, &result);
		if (values)
			values[i] = value;
	}
}

/* ---- over all stretches ------------------------------------------------------------- */

/* Add the current stretch to the pool. The core's windows must be up to date. */
static void add_stretch(const struct mpxi_handle *handle, unsigned i, struct mpxi_pool *pool)
{
	enum mpxi_estimator estimator = mpxi_library_estimator();

	if (handle->process)
		mpxi_pool_merge(pool, mpxi_process_pool(handle->process, i), estimator);
	else
		mpxi_pool_add(pool, mpxi_set_best_window(handle->set, i, estimator), estimator,
			      mpxi_set_lost(handle->set));
}

/* Add the stretch that just ended to the pools of the current region. */
static void keep_stretch(struct mpxi_handle *handle)
{
	struct mpxi_pool *pool = mpxi_regions_current(&handle->regions);
	unsigned i;

	for (i = 0; i < mpxi_set_events(handle->set); i++)
		add_stretch(handle, i, &pool[i]);
}

/* End the stretch, add it to the pools and begin another one. Return 0, or the core's error, after which
 * nothing has changed. */
static int next_stretch(struct mpxi_handle *handle, struct mpxi_pool *pool)
{
	enum mpxi_estimator estimator = mpxi_library_estimator();
	bool pieces;
	int error = mpxi_set_step(handle->set, &pieces);
	unsigned i;

	for (i = 0; !error && i < mpxi_set_events(handle->set); i++) {
		if (pieces)
			mpxi_pool_add_piece(&pool[i], mpxi_set_piece(handle->set, i), estimator);
		else
			add_stretch(handle, i, &pool[i]);
	}
	return error;
}

/* ---- calls -------------------------------------------------------------------------- */

/* Set a message for a PAPI error that the core returned, since the core sets none. Return error. */
static int explain_group_refusal(int error, const struct mpxi_handle *handle, const char *verb)
{
	/* mpxi_process_* has already reported threads that did not answer. */
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
	error = handle->target ? mpxi_target_check(handle->target) : 0;
	if (error)
		return error;
	said = mpxi_error_count();
	error = handle->process ? mpxi_process_start(handle->process) : mpxi_set_start(handle->set);
	if (!error)
		forget_values(handle);
	/* PAPI's own error codes have no message yet. */
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
		keep_stretch(handle);
		give_values(handle, values);
		error = explain_group_refusal(error, handle, "stop");
	}
	return error;
}

static int bring_handle_up(struct mpxi_handle *handle)
{
	return handle->process ? mpxi_process_read(handle->process) : mpxi_set_read(handle->set);
}

/* Read the values without computing the sums that only error bars need. */
static int read_plainly(struct mpxi_handle *handle, long long *values)
{
	int error = explain_group_refusal(mpxi_set_values(handle->set, mpxi_library_estimator(), values),
					  handle, "read");
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
	error = explain_group_refusal(bring_handle_up(handle), handle, "read");
	/* A thread that did not answer contributes its last answer. */
	if (!error || handle->process)
		give_values(handle, values);
	return error;
}

/*
 * Compute the amount that the last stretch adds to an accumulated value: the growth of the estimate over
 * all stretches. Later stretches thereby correct for a stretch in which the event had no turn. before is
 * the estimate without the stretch, after the estimate with it. False: there is no estimate yet.
 */
static bool find_added_value(const struct mpxi_result *before, const struct mpxi_result *after, uint64_t owed,
			     long long *value)
{
	if (after->estimate.never)
		return false;
	if (before->estimate.never) {
		/* Earlier stretches count only for the time that is still owed. */
		double part = (double)(owed + after->time - before->time) / (double)after->time;

		*value = part < 1 ? llrint(after->estimate.value * part) : whole_of_result(after);
	} else {
		*value = whole_of_result(after) - whole_of_result(before);
	}
	return true;
}

static void accumulate_value(struct mpxi_accum *accum, const struct mpxi_result *before,
			     const struct mpxi_result *after, long long *value)
{
	long long more;

	if (!find_added_value(before, after, accum->owed, &more)) {
		if (!accum->untold)
			accum->held = *value;
		accum->untold = true;
		accum->owed += after->time - before->time;
		*value = MPX_NEVER;
		return;
	}
	if (accum->untold && *value == MPX_NEVER)
		*value = accum->held;
	accum->untold = false;
	accum->owed = 0;
	/* Accumulated values never decrease. */
	more -= accum->debt;
	accum->debt = more < 0 ? -more : 0;
	if (*value == MPX_NEVER || (more > 0 && __builtin_add_overflow(*value, more, value)))
		*value = MPX_NEVER;
}

int mpx_set_accum(int set, long long *values)
{
	enum mpxi_estimator estimator = mpxi_library_estimator();
	struct mpxi_result before, after;
	struct mpxi_handle *handle;
	struct mpxi_pool *pool;
	int error = mpxi_thread_find(set, &handle);
	unsigned i;

	if (error)
		return error;
	if (!values)
		return mpxi_error(PAPI_EINVAL, "values is NULL");
	if (!mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_ENOTRUN, "event set %d does not run", set);
	error = handle->process ? mpxi_process_take(handle->process) : mpxi_set_take(handle->set);
	error = explain_group_refusal(error, handle, "read");
	if (error && !handle->process)
		return error;
	pool = mpxi_regions_current(&handle->regions);
	for (i = 0; i < mpxi_set_events(handle->set); i++) {
		mpxi_pool_result(&pool[i], estimator, &before);
		add_stretch(handle, i, &pool[i]);
		mpxi_pool_result(&pool[i], estimator, &after);
		accumulate_value(&handle->accum[i], &before, &after, &values[i]);
	}
	forget_values(handle);
	return error;
}

int mpx_set_reset(int set)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);
	bool runs;

	if (error)
		return error;
	runs = mpxi_set_runs(handle->set);
	if (handle->process)
		error = mpxi_process_reset(handle->process);
	else
		error = runs ? mpxi_set_take(handle->set) : mpxi_set_reset(handle->set);
	error = explain_group_refusal(error, handle, "read");
	/* A thread that did not answer resets its part at its next answer. */
	if (!error || handle->process) {
		if (runs)
			keep_stretch(handle);
		forget_values(handle);
	}
	return error;
}

int mpx_set_switch_region(int set, int region)
{
	struct mpxi_handle *handle;
	struct mpxi_pool *pool;
	int error = mpxi_thread_find(set, &handle), left;

	if (error)
		return error;
	if (handle->process)
		return mpxi_error(
			PAPI_ENOSUPP,
			"event set %d is process-wide, and its threads are in regions of their own: "
			"switch in sets of one thread (mpx_set_create)",
			set);
	if (!mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_ENOTRUN, "event set %d does not run: mpx_set_region, and start it",
				  set);
	left = mpxi_regions_id(&handle->regions);
	pool = mpxi_regions_current(&handle->regions);
	if (!mpxi_regions_choose(&handle->regions, region))
		return mpxi_error(PAPI_ENOMEM, "out of memory for region %d of event set %d", region, set);
	error = next_stretch(handle, pool);
	if (error) {
		(void)mpxi_regions_choose(&handle->regions, left);
		return explain_group_refusal(error, handle, "read");
	}
	forget_values(handle);
	return PAPI_OK;
}

static unsigned flags_of_result(const struct mpxi_result *result)
{
	const struct mpxi_estimate *e = &result->estimate;

	return (e->exact ? MPX_EXACT : 0) | (e->never ? MPX_UNCOUNTED : 0) | (e->rough ? MPX_ROUGH : 0) |
	       (result->lost ? MPX_LOST : 0) | (result->partial ? MPX_PARTIAL : 0) |
	       (result->borrowed ? MPX_BORROWED : 0) | (e->uneven ? MPX_UNEVEN : 0) |
	       (result->slowed ? MPX_SLOWED : 0);
}

/* Return MPX_ENDED if the attached thread has ended, even for a stopped set. */
static unsigned flags_of_target(const struct mpxi_handle *handle)
{
	return handle->target && mpxi_target_has_ended(handle->target) ? MPX_ENDED : 0;
}

static struct mpx_estimate estimate_of(const struct mpxi_handle *handle, unsigned i,
				       const struct mpxi_result *result, long long value)
{
	return (struct mpx_estimate){
		.code = (int)mpxi_papi_code_of(mpxi_set_event(handle->set, i)),
		.flags = flags_of_result(result) | flags_of_target(handle),
		.value = value,
		.estimate = result->estimate.value,
		.standard_error = result->estimate.standard_error,
		.low = result->estimate.low,
		.high = result->estimate.high,
		.coverage = result->estimate.coverage,
		.count = result->count,
		.counted_time = result->size,
		.time = result->time,
		.slices = result->slices,
		.threads = result->threads,
		.missed = result->missed,
	};
}

/* Return the estimate of the current stretch. moved has the reconciled estimate; NULL: not requested. */
static struct mpx_estimate of_stretch(struct mpxi_handle *handle, unsigned i, const struct mpxi_moved *moved)
{
	struct mpx_estimate estimate;
	struct mpxi_result result;
	long long value;

	result_of(handle, i, &result);
	if (moved && moved->by_relation)
		result.estimate = moved->estimate;
	value = settle_plain_value(handle, i, &result);
	if (!moved)
		mpxi_estimate_at_level(&result.estimate, handle->level);
	mpxi_thread_judge(mpxi_self, &result);
	if (value != MPX_NEVER)
		mpxi_estimate_include(&result.estimate, value);
	estimate = estimate_of(handle, i, &result, value);
	estimate.flags |= moved ? moved->flags : 0;
	return estimate;
}

/* Sum the pool of a region; if it is the running region, include the running stretch up to the core's last
 * update. */
static void add_up_pool(const struct mpxi_handle *handle, const struct mpxi_pool *pool, unsigned i,
			struct mpxi_pool *all)
{
	*all = pool[i];
	if (mpxi_set_runs(handle->set) && pool == mpxi_regions_current(&handle->regions))
		add_stretch(handle, i, all);
}

static struct mpx_estimate of_pool(const struct mpxi_handle *handle, const struct mpxi_pool *pool, unsigned i)
{
	struct mpxi_result result;

	mpxi_pool_result(pool, mpxi_library_estimator(), &result);
	mpxi_estimate_at_level(&result.estimate, handle->level);
	mpxi_thread_judge(mpxi_self, &result);
	if (handle->process) {
		result.threads = mpxi_process_result(handle->process, i)->threads;
		result.missed = mpxi_process_result(handle->process, i)->missed;
	} else {
		result.threads = 1;
	}
	return estimate_of(handle, i, &result, result.estimate.never ? MPX_NEVER : whole_of_result(&result));
}

static struct mpx_estimate estimate_of_region(const struct mpxi_handle *handle, const struct mpxi_pool *pool,
					      unsigned i)
{
	struct mpxi_pool all;

	add_up_pool(handle, pool, i, &all);
	return of_pool(handle, &all, i);
}

/* Store the first n estimates. pool is a region's; NULL: the stretch since the start. related: reconcile by
 * relations. */
static int give_estimates(struct mpxi_handle *handle, const struct mpxi_pool *pool, bool related,
			  struct mpx_estimate *estimates, int n)
{
	/* The structure has grown by two fields after slices: accept the older size. */
	static const struct upci_sized sized = UPCI_SIZED(mpx_estimate, slices, mpxi_error);
	struct mpxi_moved *moved = NULL;
	struct mpx_estimate mine;
	int error, i;

	if (n < 0 || (n && !estimates) || (unsigned)n > mpxi_set_events(handle->set))
		return mpxi_error(PAPI_EINVAL, "n is %d, and the event set has %u events", n,
				  mpxi_set_events(handle->set));
	if (!n)
		return PAPI_OK;
	error = upci_sized_check(&sized, estimates);
	if (error)
		return error;
	error = explain_group_refusal(bring_handle_up(handle), handle, "read");
	if (error && !handle->process)
		return error;
	if (related) {
		moved = mpxi_asked_moved(handle);
		if (!moved)
			return mpxi_error(PAPI_ENOMEM, "out of memory for relations");
	}
	for (i = 0; i < n; i++) {
		mine = pool ? estimate_of_region(handle, pool, (unsigned)i)
			    : of_stretch(handle, (unsigned)i, moved ? &moved[i] : NULL);
		upci_sized_give_to(&sized, estimates, (size_t)i, &mine);
	}
	free(moved);
	return error;
}

int mpx_set_estimates(int set, struct mpx_estimate *estimates, int n)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	return error ? error : give_estimates(handle, NULL, false, estimates, n);
}

int mpx_set_reconciled_estimates(int set, struct mpx_estimate *estimates, int n)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (!error && handle->process)
		error = mpxi_error(PAPI_ENOSUPP,
				   "event set %d is process-wide: relations are of sets of one thread", set);
	return error ? error : give_estimates(handle, NULL, true, estimates, n);
}

int mpx_set_region_estimates(int set, int region, struct mpx_estimate *estimates, int n)
{
	struct mpxi_handle *handle;
	const struct mpxi_pool *pool;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	pool = mpxi_regions_find(&handle->regions, region);
	if (!pool)
		return mpxi_error(PAPI_EINVAL, "event set %d has no region %d", set, region);
	return give_estimates(handle, pool, false, estimates, n);
}

/* Find the set by its number alone. Only pools of ended stretches are read, not the running set's windows. */
int mpx_set_kept_estimates(int set, int region, struct mpx_estimate *estimates, int n)
{
	static const struct upci_sized sized = UPCI_SIZED(mpx_estimate, slices, mpxi_error);
	int error = mpxi_library_check(), i;
	const struct mpxi_handle *handle;
	const struct mpxi_pool *pool;
	struct mpx_estimate mine;
	bool runs;

	if (error)
		return error;
	if (!mpxi_handle_owner(set))
		return mpxi_error(PAPI_ENOEVST, "there is no event set %d", set);
	handle = mpxi_handle_at(set);
	if (handle->process)
		return mpxi_error(PAPI_ENOSUPP, "event set %d is process-wide: mpx_set_region_estimates",
				  set);
	pool = mpxi_regions_find(&handle->regions, region);
	if (!pool)
		return mpxi_error(PAPI_EINVAL, "event set %d has no region %d", set, region);
	if (n < 0 || (n && !estimates) || (unsigned)n > mpxi_set_events(handle->set))
		return mpxi_error(PAPI_EINVAL, "n is %d, and the event set has %u events", n,
				  mpxi_set_events(handle->set));
	error = n ? upci_sized_check(&sized, estimates) : 0;
	runs = mpxi_set_runs(handle->set) && pool == mpxi_regions_current(&handle->regions);
	for (i = 0; i < n && !error; i++) {
		mine = of_pool(handle, &pool[i], (unsigned)i);
		mine.flags = runs ? (mine.flags & ~MPX_EXACT) | MPX_PARTIAL : mine.flags;
		upci_sized_give_to(&sized, estimates, (size_t)i, &mine);
	}
	return error;
}

int mpxi_set_total(int set, unsigned i, struct mpxi_pool *total)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	if (!error)
		add_up_pool(handle, mpxi_regions_current(&handle->regions), i, total);
	return error;
}

int mpxi_set_stretch(int set, unsigned i, struct mpxi_pool *stretch)
{
	struct mpxi_handle *handle;
	int error = mpxi_thread_find(set, &handle);

	*stretch = (struct mpxi_pool){0};
	if (!error)
		add_stretch(handle, i, stretch);
	return error;
}
