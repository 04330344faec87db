/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_serve.c - tests whether counting instructions reduces the number of other events in a group.
 *
 * The kernel checks a group when its members are opened: the kernel refuses a group whose members can never
 * be on the counters at the same time. Intel's processors count instructions and cycles in fixed counters,
 * which no other event can use.
 *
 * Terms: papi/papi_backend.h.
 */
#include <linux/perf_event.h>
#include <stddef.h>

#include "papi/papi_serve.h"

/* More counters than any processor has. */
#define MOST 64

static const uint64_t others[] = {
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_MISSES,
};

/* Return how many times the event `other' fits into a perf group with cycles and, if requested,
 * instructions. The result MOST means that there is no limit. */
static unsigned count_free_places(const struct mpxi_pmu *pmu, bool instructions, uint64_t other)
{
	int descriptor[MOST + 2];
	unsigned n = 0, before;

	descriptor[n] = pmu->open(PERF_COUNT_HW_CPU_CYCLES, -1);
	n += descriptor[n] >= 0;
	if (n && instructions) {
		descriptor[n] = pmu->open(PERF_COUNT_HW_INSTRUCTIONS, descriptor[0]);
		n += descriptor[n] >= 0;
	}
	before = 1 + instructions;
	while (n >= before && n < MOST + before) {
		descriptor[n] = pmu->open(other, descriptor[0]);
		if (descriptor[n] < 0)
			break;
		n++;
	}
	before = n > before ? n - before : 0;
	while (n)
		pmu->close(descriptor[--n]);
	return before;
}

bool mpxi_papi_instructions_are_free(const struct mpxi_pmu *pmu)
{
	unsigned i, places;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		places = count_free_places(pmu, false, others[i]);
		if (places)
			return places < MOST && count_free_places(pmu, true, others[i]) == places;
	}
	return false;
}
