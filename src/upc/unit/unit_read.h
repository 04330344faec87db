/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_read.h - takes readings of the sources into a unit's registers, and checks that the counts are
 * complete.
 * Terms: base/source.h, engine/threshold.h.
 */
#ifndef UPCI_UNIT_READ_H
#define UPCI_UNIT_READ_H

#include "unit/registers.h"

/* upci_unit_update adds the sources' counts since the last update to the registers. upci_unit_base only
 * remembers the readings of sources that cannot be stopped. Return 0, or an error with message. */
int upci_unit_update(struct upc_unit *unit);
int upci_unit_base(struct upc_unit *unit);

/* Update from the sources that stop, while the unit does not run. False if not all counts are complete. */
bool upci_unit_take_stopped(struct upc_unit *unit);

/* Discard the sources' counts since the last update. */
int upci_unit_pass_over(struct upc_unit *unit);

/* Return UPC_EPARTIAL with message if a hardware event did not count all the time, else 0. */
int upci_unit_check_counted(const struct upc_unit *unit);

/* Update the registers if anything can have changed. A stopped unit still returns UPC_EPARTIAL if a hardware
 * event did not count all the time. */
static inline int upci_unit_current(struct upc_unit *unit)
{
	if (unit->regs.run || unit->registers->elsewhere)
		return upci_unit_update(unit);
	return unit->partial ? upci_unit_check_counted(unit) : 0;
}

/* True if a read's error leaves the registers valid. */
static inline bool upci_unit_usable(int error)
{
	return error == 0 || error == UPC_ELOST || error == UPC_EPARTIAL;
}

/* Return an event's count: the value of its counter less the offset of its threshold. */
static inline uint64_t upci_unit_count(const struct upc_unit *unit, unsigned i)
{
	return unit->regs.counter[i] - unit->thresholds.offset[i];
}

#endif
