/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.c - reads a CPU's core, socket and NUMA node from sysfs.
 */
#include "stat/topology.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_MAX 0xffff

int topology_online(const char *sysfs, struct number_list *cpus)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	int result = -1;
	FILE *file;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", sysfs);
	file = fopen(path, "re");
	if (file == NULL)
		return -1;
	if (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		result = number_list_parse(cpus, line, 0, CPU_MAX, true);
	}
	free(line);
	fclose(file);
	return result;
}

/* Read an ID of a CPU from sysfs. Some machines use -1 for "none". Return 0, or -1 if there is no such file
 * or number. */
static int read_topology_id(const char *sysfs, int cpu, const char *what, int *id)
{
	char path[PATH_MAX];
	FILE *file;
	int got;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/topology/%s", sysfs, cpu, what);
	file = fopen(path, "re");
	if (file == NULL)
		return -1;
	got = fscanf(file, "%d", id);
	fclose(file);
	return got == 1 ? 0 : -1;
}

/* Read the NUMA node of a CPU. A kernel without NUMA has a single node, 0. Return 0, or -1 if sysfs lacks the
 * CPU. */
static int read_node(const char *sysfs, int cpu, int *node)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d", sysfs, cpu);
	dir = opendir(path);
	if (dir == NULL)
		return -1;
	*node = 0;
	while ((entry = readdir(dir)) != NULL && sscanf(entry->d_name, "node%d", node) != 1)
		;
	closedir(dir);
	return 0;
}

int topology_name(const char *sysfs, int cpu, enum topology_level level, char name[TOPOLOGY_NAME])
{
	int socket = 0, die = 0, core = 0, node = 0;

	switch (level) {
	case TOPOLOGY_CPU:
		snprintf(name, TOPOLOGY_NAME, "CPU%d", cpu);
		return 0;
	case TOPOLOGY_NODE:
		if (read_node(sysfs, cpu, &node) != 0)
			return -1;
		snprintf(name, TOPOLOGY_NAME, "N%d", node);
		return 0;
	case TOPOLOGY_CORE:
	case TOPOLOGY_SOCKET:
		break;
	}
	if (read_topology_id(sysfs, cpu, "physical_package_id", &socket) != 0)
		return -1;
	if (level == TOPOLOGY_SOCKET) {
		snprintf(name, TOPOLOGY_NAME, "S%d", socket);
		return 0;
	}
	if (read_topology_id(sysfs, cpu, "core_id", &core) != 0)
		return -1;
	/* Linux before 5.2 has no die_id. */
	if (read_topology_id(sysfs, cpu, "die_id", &die) != 0 || die < 0)
		die = 0;
	snprintf(name, TOPOLOGY_NAME, "S%d-D%d-C%d", socket, die, core);
	return 0;
}
