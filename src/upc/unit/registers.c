/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers.c - access to one register of a unit, whichever of the three owners in registers.h has it, and
 * functions that these owners share.
 * Terms: unit/unit.h, engine/threshold.h, engine/engine.h.
 */
#include <string.h>

#include "base/message.h"
#include "unit/registers.h"

void upci_unit_write_counter(struct upc_unit *u, unsigned i, uint64_t value)
{
	if (upci_unit_takes_in(u, i))
		upci_regs_write_counter(&u->regs, i, value);
	else
		(void)u->registers->write(u, UPC_REG_COUNTER(i), value);
}

void upci_unit_write_field(struct upc_unit *u, unsigned i, uint8_t field)
{
	const unsigned offset = UPC_REG_CONFIG(i / 8), shift = 8 * (i % 8);
	uint64_t group = 0;

	/* A configuration register has the fields of eight counters. Write the other seven back unchanged. */
	(void)u->registers->read(u, offset, &group);
	group &= ~(UINT64_C(0xff) << shift);
	(void)u->registers->write(u, offset, group | (uint64_t)field << shift);
}

int upci_unit_write_run(struct upc_unit *u, bool run)
{
	int error = u->registers->write(u, UPC_REG_START_STOP, run);

	/* A unit whose run bit cannot be written does not count. */
	u->regs.run = run && !error;
	return error;
}

int upci_unit_read_register(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	unsigned first, i;
	int error;

	if (offset < UPC_REG_CONFIG(0) && upci_unit_takes_in(u, offset / 8))
		return upci_regs_read(&u->regs, offset, value);
	error = u->registers->read(u, offset, value);
	if (error || !u->registers->elsewhere)
		return error;
	/* The read of a counter can find damage, and a callback can repair it. */
	u->stale = true;
	upci_unit_refresh(u);
	/* Report also damage that the engine takes for repaired, because the library wrote the counter's
	 * preload. */
	if (offset >= UPC_REG_CONFIG(0) && offset < UPC_REG_START_STOP) {
		first = offset - UPC_REG_CONFIG(0);
		for (i = 0; i < 8; i++)
			*value |= u->damaged[first + i] ? (uint64_t)UPC_FIELD_PARITY_ERROR << 8 * i : 0;
	} else if (offset == UPC_REG_STATUS && memchr(u->damaged, true, sizeof(u->damaged))) {
		*value |= 2;
	}
	return 0;
}

int upci_unit_check_idle(const struct upc_unit *u, const char *what)
{
	if (!u->registers->is_told || !u->registers->is_told(u))
		return 0;
	return upci_fail(UPC_ESTATE, "the unit tells of an interrupt: it cannot be %s from there", what);
}

/* ---- common to the three owners ------------------------------------------------------------- */

int upci_registers_check_signal(struct upc_unit *u, int signal)
{
	unsigned a;

	for (a = 0; signal != u->signal && a < u->actives; a++)
		if (u->thresholds.period[u->active[a]])
			return upci_fail(UPC_ESTATE,
					 "%s has a threshold: clear it before another signal is chosen",
					 u->binding[u->active[a]].event->name);
	return 0;
}

int upci_registers_fail_callers(const char *what)
{
	return upci_fail(UPC_ENOSUPP,
			 "the unit has the %s of the thread that created it: create one in this thread",
			 what);
}
