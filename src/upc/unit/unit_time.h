/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_time.h - how long each counter of a unit should have counted and how long it did: enabled_ns and
 * running_ns of upc_counter_info.
 */
#ifndef UPCI_UNIT_TIME_H
#define UPCI_UNIT_TIME_H

#include "unit/unit.h"

/* Advance the unit's clock to now, at a start, an update or a commit. upci_unit_clock_stop stops the clock.
 */
void upci_unit_clock_step(struct upc_unit *unit);
void upci_unit_clock_stop(struct upc_unit *unit);

/* Add the last step of the clock to the time for which a counter's source was lost. */
void upci_unit_time_lose(struct upc_unit *unit, unsigned i);

/* Set the times of a counter to 0, since a new event is bound to it. upci_unit_time_begin_all does this for
 * all bound counters. */
void upci_unit_time_begin(struct upc_unit *unit, unsigned i);
void upci_unit_time_begin_all(struct upc_unit *unit);

/* Add the kernel's times to time[], before the sources that hold them are closed. */
void upci_unit_time_keep(struct upc_unit *unit);

/* Halt the time of a counter whose source cannot be stopped, or let it go on. */
void upci_unit_time_turn(struct upc_unit *unit, unsigned i);

void upci_unit_time_of(struct upc_unit *unit, unsigned i, uint64_t *enabled_ns, uint64_t *running_ns);

#endif
