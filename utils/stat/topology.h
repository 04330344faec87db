/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.h - where a CPU is: its core, its socket and its NUMA node, as sysfs tells.
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "stat/number_list.h"

#define TOPOLOGY_NAME 32

enum topology_level { TOPOLOGY_CPU, TOPOLOGY_CORE, TOPOLOGY_SOCKET, TOPOLOGY_NODE };

/* Appends the CPUs that are online, below a sysfs ("/sys"): 0, or -1 when it does not tell. */
int topology_online(const char *sysfs, struct number_list *cpus);

/*
 * The name of what a CPU belongs to, which CPUs of the same have in common: "CPU3"; with
 * perf stat's names "S0-D0-C1", "S0"; "N0". 0, or -1 when sysfs does not tell.
 */
int topology_name(const char *sysfs, int cpu, enum topology_level level, char name[TOPOLOGY_NAME]);

#endif
