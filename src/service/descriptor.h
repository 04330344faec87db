/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.h - what a perf event of another process counts: a counter of the hardware, or what
 * the kernel counts by itself.
 */
#ifndef SERVICE_DESCRIPTOR_H
#define SERVICE_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DESCRIPTOR_PMUS 256u

/* The numbers of this machine's PMUs that have names, as the kernel gives them at each boot. */
struct descriptor_pmus {
	bool known; /* all of them are in the list */
	unsigned count;
	struct {
		uint32_t type;
		bool hardware; /* has counters of which there are few */
	} pmu[DESCRIPTOR_PMUS];
};

/* Reads /sys/bus/event_source/devices. */
void descriptor_pmus_read(struct descriptor_pmus *pmus);

/* Whether the PMU of this name has counters that others cannot have at the same time. */
bool descriptor_pmu_is_hardware(const char *name);

/*
 * Whether descriptor fd of the process, a perf event, takes a counter of the hardware. True also
 * where the kernel does not tell: without pidfd_getfd (Linux 5.6), without the right to it.
 */
bool descriptor_is_hardware(const struct descriptor_pmus *pmus, int pidfd, int fd);

/* For descriptor_is_hardware: a descriptor of the process, or -1. */
int descriptor_process(pid_t pid);

#endif
