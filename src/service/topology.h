/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.h - the CPUs of this machine, which of them are online, and the NUMA node of each: from
 * /sys, or from a directory made like it.
 */
#ifndef SERVICE_TOPOLOGY_H
#define SERVICE_TOPOLOGY_H

#include <stdbool.h>

#define TOPOLOGY_CPUS_MAX 4096

struct topology_cpu {
	int number, numa; /* numa -1: not known */
	bool online;
};

struct topology {
	struct topology_cpu *cpu; /* those that are there, by number */
	unsigned cpus;
};

/* sys NULL: /sys. Errors: UPC_ENOMEM, UPC_ESYSTEM (no CPU is found); *topology is empty then. */
int topology_read(const char *sys, struct topology *topology);
void topology_free(struct topology *topology);

/* Looks again which CPUs are online, and in which NUMA node those are that have come; returns whether
 * any has changed. A /sys that does not say it has changed none. */
bool topology_refresh(const char *sys, struct topology *topology);

/*
 * Pure: "0-3,8" as the kernel writes lists of CPUs, into marks[0..max-1]. Returns how many there
 * are, or -1 where it is no such list.
 */
int topology_parse_list(const char *text, bool *marks, unsigned max);

#endif
