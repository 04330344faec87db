/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cgroup.h - control groups as what a unit counts. Part of the perf source.
 *
 * A group is its directory, by a descriptor that stays: a later one of the same name is
 * another, and the kernel says so.
 */
#ifndef UPCI_CGROUP_H
#define UPCI_CGROUP_H

#include <stdbool.h>

#include "base/target.h"

/*
 * Opens the directory of a group, or one of that name below /sys/fs/cgroup, if the kernel counts by groups of
 * its hierarchy and lets the caller, on the n CPUs that are online (1 or more). Returns a descriptor, never
 * 0, or a negative error with a message that has the path and the remedy: UPC_EINVAL (no directory of a
 * control group), UPC_ENOTASK (there is none), UPC_EPERM, UPC_ENOSUPP (a hierarchy that does not have
 * perf_event), UPC_EMFILE, UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_cgroup_open(const char *path, const struct upci_perf_target *cpus, unsigned n);

/* Whether the group was removed since. */
bool upci_cgroup_is_gone(int cgroup);

/* UPC_ENOTASK, with a message for it that begins with name (NULL: nothing). */
int upci_cgroup_fail_gone(int cgroup, const char *name);

#endif
