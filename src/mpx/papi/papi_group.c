/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_group.c - starts, reads and stops groups of events, which are PAPI event sets.
 *
 * In a handler, the functions that end in _sig make these calls: PAPI_is_initialized, PAPI_get_opt,
 * PAPI_set_opt, PAPI_start, PAPI_read and PAPI_stop (through papi_set.c), and clock_gettime or, for an
 * attached thread, read (timer_attached.c). PAPI looks sets up by their numbers, without a lock. As long as
 * nothing fails, none of these calls allocates, locks or prints, in PAPI 7.0 with perf_event and upc
 * (doc/reference/MPX.md).
 *
 * Terms: papi/papi_backend.h.
 */
#include <papi.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "papi/papi_group.h"

static uint64_t cpu_time_sig(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Return the counted thread's CPU time. If the group does not need it, return 0, since reading it is a
 * system call. */
static uint64_t time_for_sig(const struct mpxi_papi_group *group)
{
	const struct mpxi_papi_target *target = &group->papi->target;

	if (group->has_clock || group->beside)
		return 0;
	return target->tid ? target->cpu_sig(target->arg) : cpu_time_sig();
}

/* ---- counting ------------------------------------------------------------------------ */

/* Stop the running sets without reading their counts. */
static void abandon_sig(struct mpxi_papi_group *group)
{
	unsigned k;

	for (k = 0; k < group->sets; k++)
		if (group->set[k].running)
			(void)mpxi_papi_set_stop_sig(&group->set[k]);
}

/* Start all PAPI sets of the group, or none. */
static int start_sets_sig(struct mpxi_papi_group *group)
{
	int error = PAPI_OK;
	unsigned k;

	for (k = 0; k < group->sets && !error; k++)
		error = mpxi_papi_set_start_sig(&group->set[k]);
	if (error) {
		abandon_sig(group);
		return error;
	}
	group->running = true;
	group->began = time_for_sig(group);
	return PAPI_OK;
}

/* Stop all PAPI sets of the group and read their counts. Stop the last set first, since only that set
 * can refuse to stop, and then nothing has changed. */
static int stop_sets_sig(struct mpxi_papi_group *group)
{
	int error = PAPI_OK, failed;
	unsigned k;

	for (k = group->sets; k-- > 0;) {
		failed = mpxi_papi_set_stop_sig(&group->set[k]);
		if (failed == PAPI_EISRUN && k + 1 == group->sets)
			return failed;
		error = error ? error : failed;
	}
	group->running = false;
	return error;
}

static void fill_sig(const struct mpxi_papi_group *group, uint64_t cpu_time, struct mpxi_sample *sample)
{
	unsigned i;

	if (group->clock.value)
		sample->size = mpxi_papi_count_at_sig(&group->clock);
	else
		sample->size = group->ran + (cpu_time - group->began);
	sample->covariate = group->covariate.value ? mpxi_papi_count_at_sig(&group->covariate) : 0;
	for (i = 0; i < group->n; i++)
		sample->count[i] = mpxi_papi_count_at_sig(&group->place[i]);
}

int mpxi_papi_group_start_sig(void *handle)
{
	struct mpxi_papi_group *group = handle;
	unsigned k;

	for (k = 0; k < group->sets; k++)
		memset(group->set[k].carry, 0, group->set[k].n * sizeof(*group->set[k].carry));
	group->ran = 0;
	return start_sets_sig(group);
}

int mpxi_papi_group_read_sig(void *handle, struct mpxi_sample *sample)
{
	struct mpxi_papi_group *group = handle;
	uint64_t now = time_for_sig(group);
	unsigned k;
	int error;

	if (!group->running)
		return MPXI_ENOTRUN;
	for (k = 0; k < group->sets; k++) {
		error = mpxi_papi_set_read_sig(&group->set[k]);
		if (error)
			return error;
	}
	fill_sig(group, now, sample);
	return PAPI_OK;
}

int mpxi_papi_group_stop_sig(void *handle, struct mpxi_sample *sample)
{
	struct mpxi_papi_group *group = handle;
	uint64_t now = time_for_sig(group);
	int error = group->running ? stop_sets_sig(group) : MPXI_ENOTRUN;

	if (!error)
		fill_sig(group, now, sample);
	return error;
}

int mpxi_papi_group_try(struct mpxi_papi_group *group)
{
	int error = mpxi_papi_group_start_sig(group);

	if (!error)
		error = stop_sets_sig(group);
	if (error == PAPI_EISRUN && group->outside)
		mpxi_error(error,
			   "an event set of the program's own runs in this thread, of a component that PAPI "
			   "allows one of, as of %s: stop that one first",
			   PAPI_get_component_info(group->set[0].component)->name);
	else if (error)
		mpxi_error(error, "PAPI does not start a group of %u events: %s", group->n,
			   mpxi_papi_words(error));
	return error;
}

/* ---- pauses while a set is created --------------------------------------------------------- */

static int pause_group(struct mpxi_papi_group *group)
{
	int error = stop_sets_sig(group);
	unsigned i, k;

	if (error)
		return mpxi_error(error, "PAPI cannot stop a group of events: %s", mpxi_papi_words(error));
	for (k = 0; k < group->sets; k++)
		for (i = 0; i < group->set[k].n; i++)
			group->set[k].carry[i] += group->set[k].value[i];
	group->ran += time_for_sig(group) - group->began;
	group->paused = true;
	return PAPI_OK;
}

int mpxi_papi_pause(struct mpxi_papi *papi, bool outside)
{
	struct mpxi_papi_group *group;
	int error = PAPI_OK;

	for (group = papi->groups; group && !error; group = group->next)
		if (group->running && (!group->beside || (outside && group->outside)))
			error = pause_group(group);
	if (error)
		(void)mpxi_papi_resume(papi);
	return error;
}

int mpxi_papi_resume(struct mpxi_papi *papi)
{
	struct mpxi_papi_group *group;
	int error = PAPI_OK, failed;

	for (group = papi->groups; group; group = group->next) {
		if (!group->paused)
			continue;
		group->paused = false;
		failed = start_sets_sig(group);
		if (failed && !error)
			error = mpxi_error(failed, "PAPI cannot start a group of events again: %s",
					   mpxi_papi_words(failed));
	}
	return error;
}
