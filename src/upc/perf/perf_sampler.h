/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_sampler.h - the samplers of one context. A sampler is a perf event in addition to the counting event,
 * which sends a signal after each period of counts. Part of the perf source; only its other parts call this.
 * Terms: perf/perf.h, base/source.h, base/target.h.
 */
#ifndef UPCI_PERF_SAMPLER_H
#define UPCI_PERF_SAMPLER_H

#include "base/let_go.h"
#include "perf/perf.h"

struct upci_sampler {
	int fd; /* -1: free. The handler searches by fd, so fd is set last and cleared first */
	int handle;
	bool halted; /* the counting event is halted */
	bool on;     /* enabled, or about to be */
	bool slow;   /* slow to close: a tracepoint */
	uint64_t period;
	uint64_t target; /* the sampler's count at which an irregular period ends; 0: the kernel repeats the
			    period by itself */
};

struct upci_samplers {
	struct upci_sampler at[UPCI_SAMPLERS_MAX];
	unsigned top; /* index of the last sampler in use, plus 1 */
	bool running;
};

void upci_samplers_init(struct upci_samplers *samplers);

/* Close all samplers. If they are ours, and not a parent's, disable them first. */
void upci_samplers_clear(struct upci_samplers *samplers, bool ours);
/* Add the descriptors of tracepoints' samplers to the bag. */
void upci_samplers_gather(const struct upci_samplers *samplers, struct upci_bag *bag);

bool upci_samplers_has(const struct upci_samplers *samplers, int handle);

/* Make the checks that need no kernel. Return 0, or an error with message: UPC_EINVAL (the signal, or a
 * period that is too short), UPC_ECONFLICT (too many). */
int upci_samplers_check(const struct upci_samplers *samplers, int handle, const struct upci_perf_spec *spec,
			uint64_t period, int signal, const char *name);

/* Open a disabled event with a period, alone in its group. Return a descriptor, or a negative error with
 * message. */
int upci_sampler_open(pid_t tid, const struct upci_perf_spec *spec, uint64_t period, const char *name);

/* Make fd, a disabled event of this type and period, the handle's sampler in place of the old one. On
 * failure, fd is closed and the old sampler stays. */
int upci_samplers_put(struct upci_samplers *samplers, int handle, int fd, uint32_t type, uint64_t period,
		      bool halted, pid_t tid, int signal, const char *name);
void upci_samplers_remove(struct upci_samplers *samplers, int handle);

int upci_samplers_run(struct upci_samplers *samplers, bool run);

/*
 * True if the PMU has no counter for a handle's sampler of a hardware event. The kernel has then put the
 * sampler into error state and sends no more signals until it is switched on again. As for groups, this is
 * known at once for the calling thread, and for others when they have run.
 */
bool upci_samplers_starved(const struct upci_samplers *samplers, int handle);
int upci_samplers_halt(struct upci_samplers *samplers, int handle, bool halt);
int upci_samplers_restart(struct upci_samplers *samplers, int handle, uint64_t left);

/* Async-signal-safe. */
int upci_samplers_signalled(struct upci_samplers *samplers, int fd);

#endif
