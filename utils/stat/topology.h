/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.h - reads a CPU's core, socket and NUMA node from sysfs.
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "stat/number_list.h"

#define TOPOLOGY_NAME 32

enum topology_level { TOPOLOGY_CPU, TOPOLOGY_CORE, TOPOLOGY_SOCKET, TOPOLOGY_NODE };

/* Append the online CPUs, according to the sysfs at the path sysfs ("/sys"). Return 0, or -1 if the list
 * cannot be read. */
int topology_online(const char *sysfs, struct number_list *cpus);

/*
 * Format the name of a CPU, or of its core, socket or node, which all CPUs of that group share: "CPU3"; as in
 * perf stat "S0-D0-C1" (core) and "S0" (socket); "N0" (node). Return 0, or -1 if sysfs lacks the information.
 */
int topology_name(const char *sysfs, int cpu, enum topology_level level, char name[TOPOLOGY_NAME]);

#endif
