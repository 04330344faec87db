/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.c - see topology.h.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "upc.h"
#include "procfs/roots.h"
#include "service/topology.h"

#define LIST_MAX 65536 /* bytes of a file with a list of CPUs */
#define NODES_MAX 1024

/* ---- lists ------------------------------------------------------------------ */

static bool parse_list_number(const char **p, unsigned max, unsigned *number)
{
	unsigned n = 0;

	if (**p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		n = n * 10 + (unsigned)(**p - '0');
		if (n >= max)
			return false;
	}
	*number = n;
	return true;
}

int topology_parse_list(const char *text, bool *marks, unsigned max)
{
	const char *p = text;
	int count = 0;

	memset(marks, 0, max * sizeof(*marks));
	while (*p && *p != '\n') {
		unsigned from, to;

		if (!parse_list_number(&p, max, &from))
			return -1;
		to = from;
		if (*p == '-') {
			p++;
			if (!parse_list_number(&p, max, &to) || to < from)
				return -1;
		}
		for (; from <= to; from++) {
			count += !marks[from];
			marks[from] = true;
		}
		if (*p == ',')
			p++;
		else if (*p && *p != '\n')
			return -1;
	}
	return count;
}

/* ---- files ------------------------------------------------------------------- */

static int open_below(const char *sys, const char *path)
{
	char whole[PATH_MAX];

	if (!sys)
		return upci_root_open(UPCI_ROOT_SYS, 0, 0, path);
	if ((size_t)snprintf(whole, sizeof(whole), "%s/%s", sys, path) >= sizeof(whole))
		return -1;
	return open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Read a list of CPUs from a file below /sys. Return their number, or -1 if there is no list. */
static int read_list(const char *sys, const char *path, bool *marks)
{
	char *text = malloc(LIST_MAX);
	int fd = text ? open_below(sys, path) : -1, count = -1;
	ssize_t n;

	if (fd >= 0) {
		n = read(fd, text, LIST_MAX - 1);
		close(fd);
		if (n >= 0) {
			text[n] = '\0';
			count = topology_parse_list(text, marks, TOPOLOGY_CPUS_MAX);
		}
	}
	free(text);
	return count;
}

/* Find the CPUs that are present and those that are online. Return how many are present. */
static int find_cpus(const char *sys, bool *present, bool *online)
{
	int n = read_list(sys, "devices/system/cpu/present", present);

	if (n <= 0)
		memset(present, 0, TOPOLOGY_CPUS_MAX * sizeof(*present));
	if (read_list(sys, "devices/system/cpu/online", online) <= 0)
		memcpy(online, present, TOPOLOGY_CPUS_MAX * sizeof(*online));
	n = 0;
	for (unsigned i = 0; i < TOPOLOGY_CPUS_MAX; i++) {
		present[i] |= online[i];
		n += present[i];
	}
	return n;
}

/* Set the NUMA node of each CPU. A node without a list does not exist; node numbers may have gaps, but not
 * endless ones. The kernel lists only online CPUs: a CPU that is offline keeps the node that was known. */
static void find_numa(const char *sys, struct topology *t, bool *marks)
{
	char path[64];
	unsigned holes = 0;

	for (int node = 0; node < NODES_MAX && holes < 64; node++) {
		snprintf(path, sizeof(path), "devices/system/node/node%d/cpulist", node);
		if (read_list(sys, path, marks) < 0) {
			holes++;
			continue;
		}
		holes = 0;
		for (unsigned i = 0; i < t->cpus; i++)
			if (marks[t->cpu[i].number])
				t->cpu[i].numa = node;
	}
}

int topology_read(const char *sys, struct topology *t)
{
	bool *marks = calloc(2 * TOPOLOGY_CPUS_MAX, sizeof(*marks)), *online = marks + TOPOLOGY_CPUS_MAX;
	int n = marks ? find_cpus(sys, marks, online) : 0;

	memset(t, 0, sizeof(*t));
	if (n)
		t->cpu = calloc((size_t)n, sizeof(*t->cpu));
	if (!t->cpu) {
		int error = marks && !n ? UPC_ESYSTEM : UPC_ENOMEM;

		free(marks);
		return error;
	}
	for (int i = 0; i < TOPOLOGY_CPUS_MAX; i++)
		if (marks[i])
			t->cpu[t->cpus++] = (struct topology_cpu){i, -1, online[i]};
	find_numa(sys, t, marks);
	free(marks);
	return 0;
}

void topology_free(struct topology *t)
{
	free(t->cpu);
	memset(t, 0, sizeof(*t));
}

bool topology_refresh(const char *sys, struct topology *t)
{
	bool *marks = calloc(TOPOLOGY_CPUS_MAX, sizeof(*marks)), changed = false;

	if (marks && read_list(sys, "devices/system/cpu/online", marks) > 0)
		for (unsigned i = 0; i < t->cpus; i++) {
			changed |= t->cpu[i].online != marks[t->cpu[i].number];
			t->cpu[i].online = marks[t->cpu[i].number];
		}
	if (changed)
		find_numa(sys, t, marks);
	free(marks);
	return changed;
}
