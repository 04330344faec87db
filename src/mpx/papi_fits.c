/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_fits.c - which events PAPI takes together. PAPI_add_event is asked, in a set that
 * is thrown away; the core asks for the same lists over and over, so answers are kept.
 */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "papi_group.h"

/* ---- answers that are kept --------------------------------------------------------- */

static struct mpxi_papi_verdict *find(struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	unsigned i;

	for (i = 0; i < n; i++)
		hash = (hash ^ event[i]) * UINT64_C(1099511628211);
	return &papi->verdict[(hash ^ hash >> 32) % MPXI_PAPI_VERDICTS];
}

static bool is_for(const struct mpxi_papi_verdict *verdict, const uint32_t *event, unsigned n)
{
	return verdict->event && verdict->n == n &&
	       memcmp(verdict->event, event, n * sizeof(*event)) == 0;
}

/* One that cannot be kept is found anew. */
static void keep(struct mpxi_papi_verdict *verdict, const uint32_t *event, unsigned n, int fits)
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

/* ---- trying ------------------------------------------------------------------------- */

/* Does the event go into a set of its own? */
static int try_alone(uint32_t event, int component)
{
	struct mpxi_papi_set set;
	int error = mpxi_papi_set_open(&set, component);

	if (error)
		return error;
	error = mpxi_papi_set_add(&set, event);
	if (error)
		mpxi_papi_refuse(event, error);
	mpxi_papi_set_close(&set);
	return error;
}

/* One component's events of the list, together. */
static int try_component(const uint32_t *event, unsigned n, int component)
{
	struct mpxi_papi_set set;
	int error = mpxi_papi_set_open(&set, component);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < n && !error; i++)
		if (PAPI_get_event_component((int)event[i]) == component)
			error = mpxi_papi_set_add(&set, event[i]);
	if (error && error != PAPI_ECNFLCT && error != PAPI_ECOUNT && error != PAPI_EINVAL)
		mpxi_papi_refuse(event[i - 1], error);
	mpxi_papi_set_close(&set);
	if (error == PAPI_ECNFLCT || error == PAPI_ECOUNT)
		return 0;
	/* Kernels say EINVAL of a group that is too large, and of an event that is
	 * wrong: it is the former if the event goes in alone. */
	if (error == PAPI_EINVAL) {
		error = try_alone(event[i - 1], component);
		return error ? error : 0;
	}
	return error ? error : 1;
}

static int try_all(const uint32_t *event, unsigned n)
{
	int fits = 1, component;
	unsigned i, k;

	for (i = 0; i < n && fits > 0; i++) {
		component = PAPI_get_event_component((int)event[i]);
		if (component < 0) {
			mpxi_papi_refuse(event[i], component);
			return component;
		}
		/* Each component once, at its first event. */
		for (k = 0; k < i && PAPI_get_event_component((int)event[k]) != component; k++)
			;
		if (k == i)
			fits = try_component(event, n, component);
	}
	return fits;
}

int mpxi_papi_fits(struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	struct mpxi_papi_verdict *verdict = find(papi, event, n);
	int fits, error;

	if (!n)
		return 1;
	if (is_for(verdict, event, n))
		return verdict->fits;
	error = mpxi_papi_pause(papi);
	fits = error ? error : try_all(event, n);
	if (!error)
		error = mpxi_papi_resume(papi);
	if (error)
		return error;
	if (fits >= 0)
		keep(verdict, event, n, fits);
	return fits;
}
