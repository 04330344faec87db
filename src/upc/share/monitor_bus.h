/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * monitor_bus.h - guards mappings of files that others can cut off: what SIGBUS would
 * be for is turned into zeros.
 *
 * The handler is there while anything is guarded. Faults elsewhere go to whom
 * they would have gone to. A thread that has SIGBUS blocked cannot be helped: the
 * kernel ends the process there.
 */
#ifndef UPCI_MONITOR_BUS_H
#define UPCI_MONITOR_BUS_H

#include <stdbool.h>
#include <stddef.h>

struct upci_bus_guard;

/* Guards a mapping of whole pages: from address on, length bytes rounded up to pages.
 * Errors with message: UPC_ENOMEM, UPC_ESYSTEM. */
int upci_bus_guard(void *address, size_t length, struct upci_bus_guard **guard);
/* Before the mapping goes. Nobody touches it any more. */
void upci_bus_release(struct upci_bus_guard *guard);
/* Whether zeros are there in place of the file. */
bool upci_bus_hit(const struct upci_bus_guard *guard);

#endif
