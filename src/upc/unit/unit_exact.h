/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_exact.h - software's accesses to the registers of a unit, whose source may be exact: then
 * they go there, and the unit's own registers are a copy.
 */
#ifndef UPCI_UNIT_EXACT_H
#define UPCI_UNIT_EXACT_H

#include "unit/unit.h"

/* Counter i is counted here: the unit is live, or it has a clock or a file. */
static inline bool upci_unit_is_local(const struct upc_unit *unit, unsigned i)
{
	const struct upci_binding *b = &unit->binding[i];

	return !unit->exact ||
	       (b->references && (b->source == UPC_SOURCE_FILE || b->source == UPC_SOURCE_CLOCK));
}

/* Who makes thresholds of events meet the threshold register: the unit itself. */
static inline bool upci_unit_preloads(const struct upc_unit *unit)
{
	return unit->exact && !upci_exact_keeps(unit->exact);
}

/* Raw registers, the source's as well. The unit has caught up. */
void upci_unit_write_counter(struct upc_unit *unit, unsigned i, uint64_t value);
void upci_unit_write_field(struct upc_unit *unit, unsigned i, uint8_t field);
void upci_unit_write_threshold(struct upc_unit *unit, uint64_t value);
/* Nothing but a start of the simulator's unit can fail; then it does not run. */
int upci_unit_write_run(struct upc_unit *unit, bool run);

/* UPC_ESTATE where an interrupt of the unit is being told: then what must not be done. */
int upci_unit_check_idle(const struct upc_unit *unit, const char *what);

/* With an exact source; on a live unit nothing. The first takes the unit to its thread's
 * moment, the second also makes the copy of the registers new, without what reading registers
 * does. */
int upci_unit_exact_create(struct upc_unit *unit); /* unit_play.c */
void upci_unit_catch_up(struct upc_unit *unit);
void upci_unit_refresh(struct upc_unit *unit);
/* The copy alone, of the moment to which the unit was taken last. */
void upci_unit_copy(struct upc_unit *unit);
/* All counts to 0 in one moment, and damage mended, where the source can do it; else
 * nothing. */
void upci_unit_clear_all(struct upc_unit *unit);
/* Of a source that keeps presets: a counter gets another event, or the same with its count
 * and threshold from another counter; a counter has none any more. */
void upci_unit_exact_bind(struct upc_unit *unit, unsigned i);
void upci_unit_exact_move(struct upc_unit *unit, unsigned i, uint8_t field, uint64_t count);
void upci_unit_exact_vacate(struct upc_unit *unit, unsigned i);
/* A register as the source has it, with what reading it does. */
int upci_unit_exact_register(struct upc_unit *unit, unsigned offset, uint64_t *value);
/* Reads that software asks for check the parity of what they read: 0, or UPC_EPARITY
 * with message. Of one counter, one entry, or all counters. */
int upci_unit_check_counter(struct upc_unit *unit, unsigned i);
int upci_unit_check_entry(struct upc_unit *unit, const struct upci_entry *entry);
int upci_unit_check_all(struct upc_unit *unit);
/* Before the library writes a counter for reasons of its own, which mends its parity:
 * damage that nobody has found yet is found. */
void upci_unit_find_damage(struct upc_unit *unit, unsigned i);
/* The user has written a counter, or bound another event to it. */
void upci_unit_repaired(struct upc_unit *unit, unsigned i);

#endif
