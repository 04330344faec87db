/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_sampler.h - the samplers of one context: a perf event beside the counting
 * one, which signals each time a period of counts is full. Part of the perf source,
 * whose other parts are the only callers.
 */
#ifndef UPCI_PERF_SAMPLER_H
#define UPCI_PERF_SAMPLER_H

#include "base/let_go.h"
#include "perf/perf.h"

struct upci_sampler {
	int fd; /* -1: free; the handler's key, written last and forgotten first */
	int handle;
	bool halted; /* its event is */
	bool on;     /* enabled, or about to be */
	bool slow;   /* to close: a tracepoint  */
	uint64_t period;
	uint64_t target; /* where an irregular period ends, by the event's own
			    count; 0: the kernel repeats the period by itself */
};

struct upci_samplers {
	struct upci_sampler at[UPCI_SAMPLERS_MAX];
	unsigned top; /* one past the last in use */
	bool running;
};

void upci_samplers_init(struct upci_samplers *samplers);

/* Closes all samplers; disables them first if they are ours, and not a parent's. */
void upci_samplers_clear(struct upci_samplers *samplers, bool ours);
/* The descriptors of tracepoints' samplers. */
void upci_samplers_gather(const struct upci_samplers *samplers, struct upci_bag *bag);

bool upci_samplers_has(const struct upci_samplers *samplers, int handle);

/* Makes the checks that need no kernel. Errors with message: UPC_EINVAL
 * (signal, a period too short to live with), UPC_ECONFLICT (too many). */
int upci_samplers_check(const struct upci_samplers *samplers, int handle, const struct upci_perf_spec *spec,
			uint64_t period, int signal, const char *name);

/* A disabled event with a period, alone. A descriptor, or a negative error with message. */
int upci_sampler_open(pid_t tid, const struct upci_perf_spec *spec, uint64_t period, const char *name);

/* Takes over fd, a disabled event of a type with this period, in place of the handle's old
 * one. When that fails fd is closed and the old one stays. */
int upci_samplers_put(struct upci_samplers *samplers, int handle, int fd, uint32_t type, uint64_t period,
		      bool halted, pid_t tid, int signal, const char *name);
void upci_samplers_remove(struct upci_samplers *samplers, int handle);

int upci_samplers_run(struct upci_samplers *samplers, bool run);

/*
 * Whether the PMU has no counter for a handle's sampler, one of a hardware event: the
 * kernel has given it up and sends nothing more, until it is switched on again. Known as
 * for groups: at once of the calling thread's, else when the thread has run.
 */
bool upci_samplers_starved(const struct upci_samplers *samplers, int handle);
int upci_samplers_halt(struct upci_samplers *samplers, int handle, bool halt);
int upci_samplers_restart(struct upci_samplers *samplers, int handle, uint64_t left);

/* Signal-safe. */
int upci_samplers_signalled(struct upci_samplers *samplers, int fd);

#endif
