/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.h - finds out whether a perf event of another process is a hardware counter, or is counted by
 * the kernel alone.
 * Terms: service/service.h.
 */
#ifndef SERVICE_DESCRIPTOR_H
#define SERVICE_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DESCRIPTOR_PMUS 256u

/* The perf event types of this machine's named PMUs. The kernel assigns these numbers at each boot. */
struct descriptor_pmus {
	bool known; /* the list is complete */
	unsigned count;
	struct {
		uint32_t type;
		bool hardware; /* its counters are scarce */
	} pmu[DESCRIPTOR_PMUS];
};

/* Reads /sys/bus/event_source/devices. */
void descriptor_pmus_read(struct descriptor_pmus *pmus);

/* True if the PMU of this name has counters that only one user can have at a time. */
bool descriptor_pmu_is_hardware(const char *name);

/*
 * True if descriptor fd of the process, a perf event, takes a hardware counter. True also if the kernel does
 * not say: without pidfd_getfd (Linux 5.6), or without the right to use it.
 */
bool descriptor_is_hardware(const struct descriptor_pmus *pmus, int pidfd, int fd);

/* Return a pidfd of the process for descriptor_is_hardware, or -1. */
int descriptor_process(pid_t pid);

#endif
