/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_fits.c - finds out which events PAPI can count together, by adding them to a temporary event set
 * (PAPI_add_event). The answers are cached, since the core calls fits() for the same lists again and again.
 * An event that takes no counter from others is opened only once in a process, to see whether that works,
 * since the kernel takes some 40 ms to close a tracepoint that has no other user.
 *
 * Terms: papi/papi_backend.h.
 */
#include <papi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "papi/papi_group.h"

/* ---- cached answers ---------------------------------------------------------------------- */

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

/* Cache an answer. If there is no memory for it, the next call computes it again. */
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

/* ---- events that have been opened ---------------------------------------------------------- */

#define OPENED 4096      /* number of elements of the table; a power of 2 */
#define OPENED_PROBES 16 /* number of elements in which an event is sought */

/* Hash table of the events that have been opened successfully, shared by all threads without a lock. An
 * element is filled once, by compare-and-swap, and never changes. If there is no free element for an
 * event, the event is opened each time, which is slow but correct. */
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

/* Maximum number of events that need no trial. It is far below the 256 counters of a unit, which such
 * events also take. */
#define FREELY_MAX 64

/* True if it is known without a trial that all events can be counted together. Each event's name is
 * checked, too, since a code means another event after PAPI was initialized again. */
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

/* True if the event is not a sum of other events, and so takes only one counter of a unit. */
static bool event_is_plain(uint32_t event)
{
	char name[PAPI_MAX_STR_LEN];

	mpxi_papi_name(event, name, sizeof(name));
	return strncmp(name, "upc:::", 6) == 0 && strstr(name + 6, "::") && mpxi_papi_needs_no_counter(event);
}

/* ---- trying ------------------------------------------------------------------------- */

/* Check whether PAPI adds the event to an empty set. Return PAPI_OK or PAPI's error. */
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

/* Check whether PAPI counts those events of the list that belong to this part together. Return 1, 0 or
 * an error. */
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
	/* Kernels return EINVAL both for a perf group that is too large and for an invalid event. If the
	 * event is accepted alone, the group was too large. */
	if (error == PAPI_EINVAL) {
		error = try_alone(event[i - 1], part, target);
		return error ? error : 0;
	}
	return error ? error : 1;
}

/* True if events of the same component in two domains both need counters. Their PAPI sets run at the
 * same time, but are tried one after the other, so the trial would not show that they do not fit
 * together. */
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
		/* Try each part once, when its first event is reached. */
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
