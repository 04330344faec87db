/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_ways.h - the ways in which PAPI gives the counts of an event set, for tests of what is
 * exact: what lies between differs, and so only differences between two lengths can be equal.
 */
#ifndef SIM_WAYS_H
#define SIM_WAYS_H

#include <papi.h>
#include <string.h>

#define WAYS_EVENTS 64

/* Counts n iterations of work, in as many values as the set has events. PAPI's error. */
struct way {
	const char *name;
	int (*count)(int set, void (*work)(unsigned long n), unsigned long n, long long values[]);
};

static int way_stop(int set, void (*work)(unsigned long), unsigned long n, long long values[])
{
	int error = PAPI_start(set);

	work(n);
	return error ? error : PAPI_stop(set, values);
}

static int way_read(int set, void (*work)(unsigned long), unsigned long n, long long values[])
{
	long long before[WAYS_EVENTS], after[WAYS_EVENTS];
	int error = PAPI_start(set), i;

	work(17);
	error = error ? error : PAPI_read(set, before);
	work(n);
	error = error ? error : PAPI_read(set, after);
	for (i = 0; i < PAPI_num_events(set); i++)
		values[i] = after[i] - before[i];
	work(19);
	return error ? error : PAPI_stop(set, NULL);
}

static int way_reset(int set, void (*work)(unsigned long), unsigned long n, long long values[])
{
	int error = PAPI_start(set);

	work(2023);
	error = error ? error : PAPI_reset(set);
	work(n);
	return error ? error : PAPI_stop(set, values);
}

static int way_accum(int set, void (*work)(unsigned long), unsigned long n, long long values[])
{
	long long rest[WAYS_EVENTS];
	int error = PAPI_start(set);

	memset(values, 0, (size_t)PAPI_num_events(set) * sizeof(*values));
	work(n / 2);
	error = error ? error : PAPI_accum(set, values);
	work(n / 2);
	error = error ? error : PAPI_accum(set, values);
	return error ? error : PAPI_stop(set, rest);
}

static const struct way ways[] = {
	{"start and stop", way_stop},
	{"read", way_read},
	{"reset", way_reset},
	{"accum", way_accum},
};
#define WAYS (sizeof(ways) / sizeof(*ways))

#endif
