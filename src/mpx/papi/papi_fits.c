/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_fits.c - which events PAPI takes together. PAPI_add_event decides, in a set that is thrown away;
 * answers are kept, since the core asks for the same lists over and over. Events that take no counter
 * from another are only opened, once in a process, to see whether that works: the kernel takes some 40
 * ms to close a tracepoint that has no other user.
 */
#include <papi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "papi/papi_group.h"

/* ---- answers that are kept --------------------------------------------------------- */

static struct mpxi_papi_verdict *find_verdict(struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	unsigned i;

	for (i = 0; i < n; i++)
		hash = (hash ^ event[i]) * UINT64_C(1099511628211);
	return &papi->verdict[(hash ^ hash >> 32) % MPXI_PAPI_VERDICTS];
}

static bool is_for(const struct mpxi_papi_verdict *verdict, const uint32_t *event, unsigned n)
{
	return verdict->event && verdict->n == n && memcmp(verdict->event, event, n * sizeof(*event)) == 0;
}

/* One that cannot be kept is found anew. */
static void keep_verdict(struct mpxi_papi_verdict *verdict, const uint32_t *event, unsigned n, int fits)
{
	uint32_t *copy = realloc(verdict->event, n * sizeof(*event));

	if (!copy)
		return;
	memcpy(copy, event, n * sizeof(*event));
	*verdict = (struct mpxi_papi_verdict){.event = copy, .n = n, .fits = fits};
}

void mpxi_papi_fits_clear(struct mpxi_papi *papi)
{
	unsigned i;

	for (i = 0; i < MPXI_PAPI_VERDICTS; i++) {
		free(papi->verdict[i].event);
		papi->verdict[i] = (struct mpxi_papi_verdict){0};
	}
}

/* ---- events that have been opened ---------------------------------------------------- */

#define OPENED 4096      /* places; a power of 2                  */
#define OPENED_PROBES 16 /* those that one event may be in        */

/* Shared by all threads, without a lock: a place is filled once, by compare-and-swap, and stays. An
 * event that finds no place is tried each time, which is slow and right. */
static _Atomic uint32_t opened[OPENED];

static bool was_opened(uint32_t event)
{
	uint32_t at = event * UINT32_C(2654435761) >> 16, i, found;

	for (i = 0; i < OPENED_PROBES; i++) {
		found = atomic_load_explicit(&opened[(at + i) % OPENED], memory_order_relaxed);
		if (found == event)
			return true;
		if (!found)
			return false;
	}
	return false;
}

static void note_opened(uint32_t event)
{
	uint32_t at = event * UINT32_C(2654435761) >> 16, i, found;

	for (i = 0; i < OPENED_PROBES; i++) {
		found = 0;
		if (atomic_compare_exchange_strong(&opened[(at + i) % OPENED], &found, event) ||
		    found == event)
			return;
	}
}

/* Far from all counters of a unit, which such events take too. */
#define FREELY_MAX 64

/* The name is asked for too: codes mean something else where PAPI was initialised anew. */
static bool open_freely(const uint32_t *event, unsigned n)
{
	unsigned i;

	if (n > FREELY_MAX)
		return false;
	for (i = 0; i < n; i++)
		if (!was_opened(event[i]) || !mpxi_papi_needs_no_counter(event[i]))
			return false;
	return true;
}

/* One that is no sum of others, so that it takes one counter of a unit. */
static bool event_is_plain(uint32_t event)
{
	char name[PAPI_MAX_STR_LEN];

	mpxi_papi_name(event, name, sizeof(name));
	return strncmp(name, "upc:::", 6) == 0 && strstr(name + 6, "::") && mpxi_papi_needs_no_counter(event);
}

/* ---- trying ------------------------------------------------------------------------- */

/* Does the event go into a set of its own? */
static int try_alone(uint32_t event, struct mpxi_papi_part part, pid_t target)
{
	struct mpxi_papi_set set;
	int error = mpxi_papi_set_open(&set, part.component, part.domain, target);

	if (error)
		return error;
	error = mpxi_papi_set_add(&set, event);
	if (error)
		mpxi_papi_refuse(event, error);
	mpxi_papi_set_close(&set);
	return error;
}

/* One component's events of the list, in one domain, together. */
static int try_part(const uint32_t *event, unsigned n, struct mpxi_papi_part part, pid_t target)
{
	struct mpxi_papi_set set;
	int error = mpxi_papi_set_open(&set, part.component, part.domain, target);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < n && !error; i++)
		if (mpxi_papi_same_part(mpxi_papi_part_of(event[i]), part))
			error = mpxi_papi_set_add(&set, event[i]);
	if (error && error != PAPI_ECNFLCT && error != PAPI_ECOUNT && error != PAPI_EINVAL)
		mpxi_papi_refuse(event[i - 1], error);
	mpxi_papi_set_close(&set);
	if (error == PAPI_ECNFLCT || error == PAPI_ECOUNT)
		return 0;
	/* Kernels say EINVAL of a group that is too large, and of an event that is
	 * wrong: it is the former if the event goes in alone. */
	if (error == PAPI_EINVAL) {
		error = try_alone(event[i - 1], part, target);
		return error ? error : 0;
	}
	return error ? error : 1;
}

/* Two sets of a component at once are tried one after the other, so only one of them may take
 * counters from others. */
static bool mixes_domains(const uint32_t *event, unsigned n)
{
	unsigned i, k;

	for (i = 1; i < n; i++)
		for (k = 0; k < i; k++) {
			struct mpxi_papi_part a = mpxi_papi_part_of(event[i]),
					      b = mpxi_papi_part_of(event[k]);

			if (a.component == b.component && a.domain != b.domain &&
			    !mpxi_papi_needs_no_counter(event[i]) && !mpxi_papi_needs_no_counter(event[k]))
				return true;
		}
	return false;
}

static bool has_domain(const uint32_t *event, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (mpxi_papi_domain_of(event[i]))
			return true;
	return false;
}

static int try_all(const uint32_t *event, unsigned n, pid_t target)
{
	int fits = !has_domain(event, n) || !mixes_domains(event, n);
	struct mpxi_papi_part part;
	unsigned i, k;

	for (i = 0; i < n && fits > 0; i++) {
		part = mpxi_papi_part_of(event[i]);
		if (part.component < 0) {
			mpxi_papi_refuse(event[i], part.component);
			return part.component;
		}
		/* Each once, at its first event. */
		for (k = 0; k < i && !mpxi_papi_same_part(mpxi_papi_part_of(event[k]), part); k++)
			;
		if (k == i)
			fits = try_part(event, n, part, target);
	}
	return fits;
}

int mpxi_papi_fits(struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	struct mpxi_papi_verdict *verdict = find_verdict(papi, event, n);
	int fits, error;

	if (!n)
		return 1;
	if (is_for(verdict, event, n))
		return verdict->fits;
	if (!papi->target.tid && open_freely(event, n))
		return 1;
	error = mpxi_papi_pause(papi, n == 1 && mpxi_papi_counts_for(event[0]));
	fits = error ? error : try_all(event, n, papi->target.tid);
	if (!error)
		error = mpxi_papi_resume(papi);
	if (error)
		return error;
	if (fits >= 0)
		keep_verdict(verdict, event, n, fits);
	if (fits > 0 && n == 1 && event_is_plain(event[0]))
		note_opened(event[0]);
	return fits;
}
