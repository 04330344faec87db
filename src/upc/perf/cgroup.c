/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cgroup.c - detects control groups that were removed: see cgroup.h. cgroup_open.c opens them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/cgroup.h"
#include "upc.h"

/* Every directory of a group has this file, in both versions of cgroups. It disappears with the group. */
#define TASKS "cgroup.procs"

bool upci_cgroup_is_gone(int cgroup)
{
	return faccessat(cgroup, TASKS, F_OK, 0) < 0 && (errno == ENOENT || errno == ENODEV);
}

int upci_cgroup_fail_gone(int cgroup, const char *name)
{
	char link[32], path[201];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", cgroup);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	return upci_fail(UPC_ENOTASK, "%s%sthe control group %s was removed: there is nothing of it to count",
			 name ? name : "", name ? ": " : "", path);
}
