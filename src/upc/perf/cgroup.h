/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cgroup.h - control groups as targets of counting. Part of the perf source.
 *
 * In this file, group means control group. A group is identified by a descriptor of its directory, which
 * stays open. A later group of the same name is another group, and the kernel reports that the first is gone.
 *
 * Terms: perf/perf.h, base/target.h.
 */
#ifndef UPCI_CGROUP_H
#define UPCI_CGROUP_H

#include <stdbool.h>

#include "base/target.h"

/*
 * Open the directory of a group: path as it is, or a group of that name below /sys/fs/cgroup. Check, on the n
 * CPUs that are online (1 or more), that the kernel counts by groups of its hierarchy and that the caller
 * may. Return a descriptor, never 0, or a negative error with a message that contains the path and the
 * remedy: UPC_EINVAL (not the directory of a control group), UPC_ENOTASK (no such group), UPC_EPERM,
 * UPC_ENOSUPP (the hierarchy does not have perf_event), UPC_EMFILE, UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_cgroup_open(const char *path, const struct upci_perf_target *cpus, unsigned n);

/* True if the group was removed after it was opened. */
bool upci_cgroup_is_gone(int cgroup);

/* Return UPC_ENOTASK, with a message that begins with name (NULL: no name). */
int upci_cgroup_fail_gone(int cgroup, const char *name);

#endif
