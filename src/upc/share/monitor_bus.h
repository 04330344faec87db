/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * monitor_bus.h - guards mappings of files that other processes can truncate: zeros replace the pages that
 * would raise SIGBUS.
 *
 * The handler is installed while any mapping is guarded. Other faults go to the previous handler. A thread
 * that blocks SIGBUS cannot be protected: the kernel ends the process there.
 */
#ifndef UPCI_MONITOR_BUS_H
#define UPCI_MONITOR_BUS_H

#include <stdbool.h>
#include <stddef.h>

struct upci_bus_guard;

/* Guard a mapping of whole pages: from address on, length bytes rounded up to pages. Return 0, or an error
 * with message: UPC_ENOMEM, UPC_ESYSTEM. */
int upci_bus_guard(void *address, size_t length, struct upci_bus_guard **guard);
/* Release a guard, before the mapping is unmapped and when no thread reads it any more. */
void upci_bus_release(struct upci_bus_guard *guard);
/* True if zeros have replaced the file. */
bool upci_bus_hit(const struct upci_bus_guard *guard);

#endif
