/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_serve.h - finds out whether instructions may be the covariate by default: they may if counting them
 * takes no counter from other events. Pure, except for the functions of struct mpxi_pmu.
 *
 * Terms: papi/papi_backend.h.
 */
#ifndef MPXI_PAPI_SERVE_H
#define MPXI_PAPI_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct mpxi_pmu {
	/* Open a hardware event of perf for the calling thread, in the perf group of the descriptor
	 * leader; -1: the event becomes the leader of a new perf group. Return a descriptor, or a
	 * negative value if the group does not fit on the processor's counters. */
	int (*open)(uint64_t config, int leader);
	void (*close)(int descriptor);
};

/* True if a group with cycles can have as many other events together with instructions as without them. */
bool mpxi_papi_instructions_are_free(const struct mpxi_pmu *pmu);

#endif
