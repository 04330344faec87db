/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_time.h - how long the counters of a unit were to count, and did: enabled_ns and
 * running_ns of upc_counter_info.
 */
#ifndef UPCI_UNIT_TIME_H
#define UPCI_UNIT_TIME_H

#include "unit/unit.h"

/* Moves the unit's clock on to now: at a start, an update, a commit. It stands after a stop. */
void upci_unit_clock_step(struct upc_unit *unit);
void upci_unit_clock_stop(struct upc_unit *unit);

/* Adds the last step of the clock to the time that a counter's source was lost. */
void upci_unit_time_lose(struct upc_unit *unit, unsigned i);

/* A counter's times begin at 0: a new event is bound to it; or those of all that are bound. */
void upci_unit_time_begin(struct upc_unit *unit, unsigned i);
void upci_unit_time_begin_all(struct upc_unit *unit);

/* The kernel's times, which end with the sources, are added up. */
void upci_unit_time_keep(struct upc_unit *unit);

/* A clock's or file's counter is halted, or goes on. */
void upci_unit_time_turn(struct upc_unit *unit, unsigned i);

void upci_unit_time_of(struct upc_unit *unit, unsigned i, uint64_t *enabled_ns, uint64_t *running_ns);

#endif
