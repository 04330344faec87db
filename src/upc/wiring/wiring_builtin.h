/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_builtin.h - parts of the built-in wiring, for tests.
 * Terms: wiring/wiring.h.
 */
#ifndef UPCI_WIRING_BUILTIN_H
#define UPCI_WIRING_BUILTIN_H

#include <stdbool.h>

/* True if disk is a partition of whole, by the kernel's names: sda1 of sda, nvme0n1p2 of nvme0n1. */
bool upci_disk_is_partition(const char *disk, const char *whole);

/* True if the traffic of a disk is also that of another disk (device mapper, RAID, loop) or goes to memory,
 * so that a sum must leave it out. */
bool upci_disk_is_virtual(const char *disk);

#endif
