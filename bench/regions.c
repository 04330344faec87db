/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c - cost of the start and the end of a region, without counters: by number, by name, among 10,000
 * names, and nested ten deep. Compares it with a read of the clock, which each call reads. UPC_REGIONS_EVENTS
 * adds counters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "region/region.h"

enum { CALLS = 2000, NAMES = 10000, DEEP = 10 };

static char name[NAMES][32];
static size_t length[NAMES];
static unsigned one;

static void clock_alone(void *arg, unsigned calls)
{
	volatile double sink;

	(void)arg;
	while (calls--)
		sink = bench_now_ns();
	(void)sink;
}

static void by_number(void *arg, unsigned calls)
{
	(void)arg;
	while (calls--) {
		upcr_enter(one);
		upcr_exit(one);
	}
}

static void by_name(void *arg, unsigned calls)
{
	(void)arg;
	while (calls--) {
		upcr_enter(upcr_name(name[0], length[0]));
		upcr_exit(upcr_name(name[0], length[0]));
	}
}

/* Use all names in turn, so that the next one is not in the caches. */
static void among_many(void *arg, unsigned calls)
{
	static unsigned at;

	(void)arg;
	while (calls--) {
		at = (at + 4999) % NAMES;
		upcr_enter(upcr_name(name[at], length[at]));
		upcr_exit(upcr_name(name[at], length[at]));
	}
}

static void deep(void *arg, unsigned calls)
{
	unsigned i;

	(void)arg;
	for (i = 0; i < DEEP - 1; i++)
		upcr_enter(upcr_name(name[i], length[i]));
	while (calls--) {
		upcr_enter(upcr_name(name[DEEP], length[DEEP]));
		upcr_exit(upcr_name(name[DEEP], length[DEEP]));
	}
	for (; i-- > 0;)
		upcr_exit(upcr_name(name[i], length[i]));
}

int main(void)
{
	struct bench_subject subject[] = {{.run = clock_alone},
					  {.run = by_number},
					  {.run = by_name},
					  {.run = deep},
					  {.run = among_many}};
	static const char *const what[] = {"clock", "by_number", "by_name", "deep", "among_10000"};
	unsigned i;

	for (i = 0; i < NAMES; i++)
		length[i] = (size_t)snprintf(name[i], sizeof(name[i]), "solver/step/%u", i * 7919);
	one = upcr_name(name[0], length[0]);
	among_many(NULL, NAMES);
	bench_in_turn(subject, sizeof(subject) / sizeof(subject[0]), CALLS);
	for (i = 0; i < sizeof(subject) / sizeof(subject[0]); i++) {
		char text[64];
		/* A call of the subject is a start and an end: two operations. */
		double ns = i ? subject[i].median / 2 : subject[i].median;

		snprintf(text, sizeof(text), "regions_%s", what[i]);
		bench_print(text, ns, "ns");
		snprintf(text, sizeof(text), "regions_%s_to_clock", what[i]);
		bench_ratio(text, ns / subject[0].median);
	}
	return 0;
}
