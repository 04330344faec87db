/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_open.c - opens groups of events as PAPI event sets, one set for each part, and has the table of the
 * backend's operations (core/backend.h).
 *
 * Terms: papi/papi_backend.h.
 */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "papi/papi_group.h"

static bool event_is_told(const struct mpxi_papi *papi, uint32_t event)
{
	unsigned i;

	for (i = 0; i < papi->unlimited; i++)
		if (papi->told[i] == event)
			return true;
	return false;
}

/* True if the n events are MPXI_OUTSIDE events. Checking the first suffices, since in a group either all
 * events are, or none is. */
static bool is_outside(const struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	return n && !event_is_told(papi, event[0]) && mpxi_papi_counts_for(event[0]);
}

static bool all_are_told(const struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (!event_is_told(papi, event[i]))
			return false;
	return n > 0;
}

static void append_event(uint32_t *list, unsigned *n, uint32_t event)
{
	unsigned i;

	for (i = 0; i < *n; i++)
		if (list[i] == event)
			return;
	list[(*n)++] = event;
}

/* Find the events with which the clock and the covariate are counted in a group of these n events
 * (mpxi_papi_in_domain). */
static int beside_of(const struct mpxi_papi *papi, const uint32_t *event, unsigned n, uint32_t *clock,
		     uint32_t *covariate)
{
	int error = papi->has_clock ? mpxi_papi_in_domain(papi->clock, event, n, clock) : PAPI_OK;

	if (!error && papi->has_covariate)
		error = mpxi_papi_in_domain(papi->covariate, event, n, covariate);
	return error;
}

/* List the events of a group without duplicates, including the covariate, and the clock if the clock is
 * an event. A unit's TASK-CLOCK is listed last: the first event becomes the leader of the unit's perf
 * group, and TASK-CLOCK needs no perf event of its own. */
static uint32_t *list_of(const struct mpxi_papi *papi, const uint32_t *event, unsigned n, bool beside,
			 const uint32_t *clock, uint32_t covariate, unsigned *listed)
{
	uint32_t *list = malloc((n + 2) * sizeof(*list));
	unsigned i;

	*listed = 0;
	if (!list) {
		mpxi_error(MPXI_ENOMEM, "no memory for a group of %u events", n);
		return NULL;
	}
	if (clock && !beside && papi->has_clock)
		append_event(list, listed, *clock);
	if (papi->has_covariate && !beside)
		append_event(list, listed, covariate);
	for (i = 0; i < n; i++)
		append_event(list, listed, event[i]);
	if (clock && !beside)
		append_event(list, listed, *clock);
	return list;
}

static int ops_group_fits(void *backend, const uint32_t *event, unsigned n)
{
	struct mpxi_papi *papi = backend;
	uint32_t *list, clock = 0, covariate = 0;
	unsigned listed;
	int fits = mpxi_papi_is_there();

	if (fits)
		return fits;
	if (papi->group_max && n > papi->group_max)
		return 0;
	fits = beside_of(papi, event, n, &clock, &covariate);
	if (fits)
		return fits;
	list = list_of(papi, event, n, all_are_told(papi, event, n), papi->has_clock ? &clock : NULL,
		       covariate, &listed);
	if (!list)
		return MPXI_ENOMEM;
	fits = mpxi_papi_fits(papi, list, listed);
	free(list);
	return fits;
}

static enum mpxi_role ops_event_role(void *backend, uint32_t event)
{
	struct mpxi_papi *papi = backend;
	bool wide = mpxi_papi_counts_for(event) != NULL;

	if (papi->has_clock && event == papi->clock)
		return MPXI_CLOCK;
	if (papi->has_covariate && !papi->chosen && event == papi->covariate)
		return MPXI_BESIDE;
	/* It has not been verified that the calls of components other than perf_event and upc neither
	 * allocate, lock, print nor call a driver, so no handler may make them. */
	if (wide && PAPI_get_event_component((int)event) != papi->upc)
		return MPXI_OUTSIDE;
	if (event_is_told(papi, event))
		return MPXI_UNLIMITED;
	/* If group sizes are limited, even events that take no counter have to take turns. */
	if (papi->group_max || papi->unlimited == MPXI_PAPI_UNLIMITED_MAX ||
	    !mpxi_papi_needs_no_counter(event))
		return wide ? MPXI_OUTSIDE : MPXI_ORDINARY;
	papi->told[papi->unlimited++] = event;
	return MPXI_UNLIMITED;
}

static unsigned append_parts(const struct mpxi_papi *papi, const uint32_t *list, unsigned n, bool of_upc,
			     struct mpxi_papi_part *part, unsigned count)
{
	unsigned i, k;

	for (i = 0; i < n; i++) {
		struct mpxi_papi_part p = mpxi_papi_part_of(list[i]);

		if ((p.component >= 0 && p.component == papi->upc) != of_upc)
			continue;
		for (k = 0; k < count && !mpxi_papi_same_part(part[k], p); k++)
			;
		if (k == count)
			part[count++] = p;
	}
	return count;
}

/* List the parts of a list of events, those of the component upc last. Return the number of parts. */
static unsigned parts_of_list(const struct mpxi_papi *papi, const uint32_t *list, unsigned n,
			      struct mpxi_papi_part *part)
{
	return append_parts(papi, list, n, true, part, append_parts(papi, list, n, false, part, 0));
}

static void place_event(struct mpxi_papi_group *group, const struct mpxi_papi_set *set, unsigned i,
			uint32_t code, const uint32_t *event)
{
	const struct mpxi_papi *papi = group->papi;
	const struct mpxi_papi_place place = {&set->value[i], &set->carry[i]};
	unsigned k;

	if (group->has_clock && code == group->clock_event)
		group->clock = place;
	if (papi->has_covariate && !group->beside && code == group->covariate_event)
		group->covariate = place;
	for (k = 0; k < group->n; k++)
		if (event[k] == code)
			group->place[k] = place;
}

/* Set the message for an event that PAPI accepts alone, but not together with the events that are in the
 * set already. */
static void refuse_beside(const struct mpxi_papi_set *set, uint32_t event, int error)
{
	char name[128];

	mpxi_papi_name(event, name, sizeof(name));
	mpxi_error(error,
		   "PAPI's component %s does not count %s beside %u other events of its: %s. They take no "
		   "turns: count it in an event set that runs while theirs do not",
		   PAPI_get_component_info(set->component)->name, name, set->n, mpxi_papi_words(error));
}

/* Open the PAPI set of one part. The set's values are in the group's memory. */
static int open_part_set(struct mpxi_papi_group *group, struct mpxi_papi_set *set, const uint32_t *list,
			 unsigned n, struct mpxi_papi_part part, const uint32_t *event)
{
	int error = part.component < 0
			    ? mpxi_papi_refuse(list[0], part.component)
			    : mpxi_papi_set_open(set, part.component, part.domain, group->papi->target.tid);
	unsigned i;

	for (i = 0; i < n && !error; i++) {
		if (!mpxi_papi_same_part(mpxi_papi_part_of(list[i]), part))
			continue;
		place_event(group, set, set->n, list[i], event);
		error = mpxi_papi_set_add(set, list[i]);
		if (error && group->outside && set->n)
			refuse_beside(set, list[i], error);
		else if (error)
			mpxi_papi_refuse(list[i], error);
	}
	return error;
}

static void link_group(struct mpxi_papi_group *group)
{
	struct mpxi_papi *papi = group->papi;

	group->next = papi->groups;
	group->previous = &papi->groups;
	if (papi->groups)
		papi->groups->previous = &group->next;
	papi->groups = group;
}

static void group_close(void *backend, void *handle)
{
	struct mpxi_papi_group *group = handle;
	unsigned k;

	(void)backend;
	for (k = group->sets; k-- > 0;)
		mpxi_papi_set_close(&group->set[k]);
	if (group->next)
		group->next->previous = group->previous;
	*group->previous = group->next;
	free(group);
}

/* Allocate one block for the group, its sets, the places of its events and the values. */
static struct mpxi_papi_group *allocate_group(struct mpxi_papi *papi, unsigned n, unsigned sets,
					      unsigned listed)
{
	struct mpxi_papi_group *group;
	size_t places = sizeof(*group) + sets * sizeof(group->set[0]);
	size_t values = places + n * sizeof(struct mpxi_papi_place);
	long long *value;
	unsigned k;

	group = calloc(1, values + 2 * sizeof(long long) * listed * sets);
	if (!group)
		return NULL;
	group->papi = papi;
	group->n = n;
	group->sets = sets;
	group->place = (struct mpxi_papi_place *)((char *)group + places);
	value = (long long *)((char *)group + values);
	for (k = 0; k < sets; k++) {
		group->set[k].id = PAPI_NULL;
		group->set[k].value = value + 2 * k * listed;
		group->set[k].carry = value + (2 * k + 1) * listed;
	}
	return group;
}

static int open_listed(struct mpxi_papi_group *group, const uint32_t *list, unsigned listed,
		       const struct mpxi_papi_part *part, const uint32_t *event)
{
	struct mpxi_papi *papi = group->papi;
	int error = mpxi_papi_pause(papi, group->outside), resumed;
	unsigned k;

	link_group(group);
	for (k = 0; k < group->sets && !error; k++)
		error = open_part_set(group, &group->set[k], list, listed, part[k], event);
	if (!error)
		error = mpxi_papi_group_try(group);
	/* If the target thread has ended, its id may already belong to another thread. */
	if (!error && papi->target.tid && papi->target.ended(papi->target.arg))
		error = mpxi_error(MPXI_ESYS, "thread %d has ended", (int)papi->target.tid);
	resumed = mpxi_papi_resume(papi);
	return error ? error : resumed;
}

static int open_with_clock(struct mpxi_papi *papi, const uint32_t *event, unsigned n, const uint32_t *clock,
			   uint32_t covariate, struct mpxi_papi_group **made)
{
	bool outside = is_outside(papi, event, n), beside = outside || all_are_told(papi, event, n);
	unsigned listed, sets;
	uint32_t *list = list_of(papi, event, n, beside, clock, covariate, &listed);
	struct mpxi_papi_part *part = list ? malloc((listed + 1) * sizeof(*part)) : NULL;
	struct mpxi_papi_group *group = NULL;
	int error;

	if (part) {
		sets = parts_of_list(papi, list, listed, part);
		group = allocate_group(papi, n, sets, listed);
	}
	if (group) {
		group->beside = beside;
		group->outside = outside;
		group->has_clock = clock && !beside;
		group->clock_event = group->has_clock ? *clock : 0;
		group->covariate_event = covariate;
		error = open_listed(group, list, listed, part, event);
		if (error)
			group_close(papi, group);
		else
			*made = group;
	} else {
		error = mpxi_error(MPXI_ENOMEM, "no memory for a group of %u events", n);
	}
	free(part);
	free(list);
	return error;
}

/* Maximum number of events in a group that uses a unit's TASK-CLOCK; far below the 256 counters of a
 * unit. */
#define TIMED_MAX 64

/*
 * Find an event that measures the thread's CPU time at lower cost than the two system calls of a slice. It
 * is the event TASK-CLOCK of the component upc, whose value a unit's perf group yields anyway. Return true
 * if some of the n events are in such a perf group, and TASK-CLOCK takes no counter from any of them.
 */
static bool time_event(const struct mpxi_papi *papi, const uint32_t *event, unsigned n, uint32_t *time)
{
	bool has_perf_group = false;
	int code = PAPI_NULL;
	unsigned i;

	if (papi->has_clock || papi->refuses_time || n > TIMED_MAX)
		return false;
	for (i = 0; i < n; i++) {
		if (mpxi_papi_part_of(event[i]).component != papi->upc)
			continue;
		if (mpxi_papi_domain_of(event[i]) || !mpxi_papi_needs_no_counter(event[i]))
			return false;
		has_perf_group |= mpxi_papi_is_unit_software(event[i]);
	}
	if (!has_perf_group || PAPI_event_name_to_code("upc:::perf::TASK-CLOCK", &code))
		return false;
	*time = (uint32_t)code;
	return true;
}

static int ops_open_group(void *backend, const uint32_t *event, unsigned n, void **handle)
{
	struct mpxi_papi *papi = backend;
	struct mpxi_papi_group *group;
	uint32_t time, clock = 0, covariate = 0;
	int error = mpxi_papi_is_there();

	if (!error)
		error = beside_of(papi, event, n, &clock, &covariate);
	if (error)
		return error;
	if (time_event(papi, event, n, &time) && !all_are_told(papi, event, n)) {
		error = open_with_clock(papi, event, n, &time, covariate, &group);
		if (!error && mpxi_papi_count_at_sig(&group->clock) > 0) {
			*handle = group;
			return PAPI_OK;
		}
		if (!error)
			group_close(papi, group);
		/* Try without TASK-CLOCK. If the group opens now, TASK-CLOCK was the reason, and is not
		 * tried again. */
		error = open_with_clock(papi, event, n, NULL, covariate, &group);
		papi->refuses_time = !error;
	} else {
		error = open_with_clock(papi, event, n, papi->has_clock ? &clock : NULL, covariate, &group);
	}
	if (!error)
		*handle = group;
	return error;
}

static void ops_choose(void *backend, const uint32_t *covariate)
{
	struct mpxi_papi *papi = backend;

	papi->has_covariate = papi->chosen = covariate != NULL;
	if (covariate)
		papi->covariate = *covariate;
}

static bool ops_slows(void *backend, uint32_t event)
{
	(void)backend;
	return mpxi_papi_is_tracepoint(event);
}

const struct mpxi_backend_ops mpxi_papi_ops = {
	.fits = ops_group_fits,
	.role = ops_event_role,
	.open = ops_open_group,
	.close = group_close,
	.start_sig = mpxi_papi_group_start_sig,
	.read_sig = mpxi_papi_group_read_sig,
	.stop_sig = mpxi_papi_group_stop_sig,
	.choose = ops_choose,
	.slows = ops_slows,
};
