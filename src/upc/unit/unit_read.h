/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_read.h - from the sources to the registers of a unit, and whether the counts there are whole.
 */
#ifndef UPCI_UNIT_READ_H
#define UPCI_UNIT_READ_H

#include "unit/registers.h"

/* The first takes the sources' counts since the last update into the registers. The second
 * only remembers the readings of the sources that cannot be stopped. */
int upci_unit_update(struct upc_unit *unit);
int upci_unit_base(struct upc_unit *unit);

/* The same of sources that stop, for a unit that does not run. False where not all counts are
 * whole. */
bool upci_unit_take_stopped(struct upc_unit *unit);

/* Discards the sources' counts since the last update. */
int upci_unit_pass_over(struct upc_unit *unit);

/* UPC_EPARTIAL with message where a hardware event did not always count. */
int upci_unit_check_counted(const struct upc_unit *unit);

/* Updates where anything can have changed. A unit that has stopped still gives UPC_EPARTIAL for
 * a hardware event that did not always count. */
static inline int upci_unit_current(struct upc_unit *unit)
{
	if (unit->regs.run || unit->registers->elsewhere)
		return upci_unit_update(unit);
	return unit->partial ? upci_unit_check_counted(unit) : 0;
}

/* Errors of a read that leave the registers good. */
static inline bool upci_unit_usable(int error)
{
	return error == 0 || error == UPC_ELOST || error == UPC_EPARTIAL;
}

/* An event's count: its counter's value less the threshold's offset. */
static inline uint64_t upci_unit_count(const struct upc_unit *unit, unsigned i)
{
	return unit->regs.counter[i] - unit->thresholds.offset[i];
}

#endif
