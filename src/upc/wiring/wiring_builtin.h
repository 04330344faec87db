/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_builtin.h - pieces of the built-in wiring that tests look at.
 */
#ifndef UPCI_WIRING_BUILTIN_H
#define UPCI_WIRING_BUILTIN_H

#include <stdbool.h>

/* Whether disk is a partition of whole, as the kernel forms their names:
 * sda1 of sda, nvme0n1p2 of nvme0n1. */
bool upci_disk_is_partition(const char *disk, const char *whole);

/* Whether a disk's traffic is that of another disk below it (device mapper,
 * RAID, loop) or of memory, so that a sum must leave it out. */
bool upci_disk_is_virtual(const char *disk);

#endif
