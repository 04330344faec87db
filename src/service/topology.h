/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.h - the CPUs of this machine, which of them are online, and their NUMA nodes: from /sys, or from a
 * directory with the same structure.
 * Terms: service/service.h.
 */
#ifndef SERVICE_TOPOLOGY_H
#define SERVICE_TOPOLOGY_H

#include <stdbool.h>

#define TOPOLOGY_CPUS_MAX 4096

struct topology_cpu {
	int number, numa; /* numa -1: unknown */
	bool online;
};

struct topology {
	struct topology_cpu *cpu; /* present CPUs, by number */
	unsigned cpus;
};

/* Read the CPUs. sys NULL: /sys. Errors: UPC_ENOMEM, UPC_ESYSTEM (no CPU found); *topology is empty then. */
int topology_read(const char *sys, struct topology *topology);
void topology_free(struct topology *topology);

/* Update which CPUs are online, and the NUMA nodes of those that came online. True if any has changed. If
 * /sys has no list, nothing changes. */
bool topology_refresh(const char *sys, struct topology *topology);

/*
 * Pure: parse a kernel list of CPUs such as "0-3,8" into marks[0..max-1]. Return the number of CPUs, or -1 if
 * the text is no list.
 */
int topology_parse_list(const char *text, bool *marks, unsigned max);

#endif
