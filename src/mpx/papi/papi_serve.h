/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_serve.h - the covariate that nobody has asked for: instructions, where counting them takes
 * nothing from anybody. Pure, but for what it is given.
 */
#ifndef MPXI_PAPI_SERVE_H
#define MPXI_PAPI_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct mpxi_pmu {
	/* Opens a hardware event of perf's for the calling thread, in the group of leader (-1: as a
	 * leader). A descriptor, or below 0: the group does not fit on the processor's counters. */
	int (*open)(uint64_t config, int leader);
	void (*close)(int descriptor);
};

/* Groups of the clock hold as many other events with instructions as without them. */
bool mpxi_papi_instructions_are_free(const struct mpxi_pmu *pmu);

#endif
