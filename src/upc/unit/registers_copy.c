/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers_copy.c - the unit's copy of registers that an engine or a simulator owns, and parity damage found
 * in it. Reads use the copy.
 *
 * The copy is made without a parity check. Parity is checked when a read asks for a counter, so the library's
 * own reads change nothing. A damaged counter stays marked until the user writes it, even if the library
 * writes its register for a threshold meanwhile.
 *
 * Terms: unit/unit.h, engine/engine.h, node/sim.h.
 */
#include <string.h>

#include "base/message.h"
#include "unit/registers.h"

void upci_unit_catch_up(struct upc_unit *u)
{
	if (u->registers->catch_up && u->registers->catch_up(u))
		u->stale = true;
}

static void look_for_doubt(struct upc_unit *u)
{
	u->doubtful =
		memchr(u->suspect, true, sizeof(u->suspect)) || memchr(u->damaged, true, sizeof(u->damaged));
}

/* Copy the registers. Counters that the unit takes in keep the unit's values. */
static void peek_at_registers(struct upc_unit *u)
{
	uint64_t taken[UPC_COUNTERS];
	unsigned a;

	for (a = 0; a < u->actives; a++)
		taken[a] = u->regs.counter[u->active[a]];
	u->registers->peek(u);
	for (a = 0; a < u->actives; a++)
		if (upci_unit_takes_in(u, u->active[a]))
			u->regs.counter[u->active[a]] = taken[a];
}

void upci_unit_refresh(struct upc_unit *u)
{
	upci_unit_catch_up(u);
	upci_unit_copy(u);
}

void upci_unit_copy(struct upc_unit *u)
{
	if (!u->stale)
		return;
	peek_at_registers(u);
	u->stale = false;
	look_for_doubt(u);
}

/* ---- parity ----------------------------------------------------------------- */

void upci_unit_repaired(struct upc_unit *u, unsigned i)
{
	/* If there is no damage at all, leave the cache line of damaged[] alone. */
	if (u->doubtful)
		u->damaged[i] = false;
}

/* A read of the counter makes the engine check its parity. */
void upci_unit_find_damage(struct upc_unit *u, unsigned i)
{
	uint64_t value;

	if (!u->suspect[i])
		return;
	(void)u->registers->read(u, UPC_REG_COUNTER(i), &value);
	u->stale = true;
	upci_unit_refresh(u);
}

static bool is_copy_damaged(struct upc_unit *u, unsigned i)
{
	upci_unit_find_damage(u, i);
	return u->damaged[i];
}

static int fail_damaged(const struct upc_unit *u, unsigned i)
{
	const struct upci_binding *b = &u->binding[i];

	return upci_fail(UPC_EPARITY,
			 "%s%sthe array word of counter %u is damaged (parity), its count is wrong; reset or "
			 "preset it to go on",
			 b->references ? b->event->name : "", b->references ? ": " : "", i);
}

int upci_unit_check_counter(struct upc_unit *u, unsigned i)
{
	upci_unit_refresh(u);
	return u->doubtful && is_copy_damaged(u, i) ? fail_damaged(u, i) : 0;
}

int upci_unit_check_entry(struct upc_unit *u, const struct upci_entry *entry)
{
	unsigned terms = entry->formula ? entry->formula->terms : 1, k;
	int error = 0;

	for (k = 0; k < terms && !error; k++)
		error = upci_unit_check_counter(u, entry->counter[k]);
	return error;
}

int upci_unit_check_all(struct upc_unit *u)
{
	unsigned i, worst = UPC_COUNTERS;

	upci_unit_refresh(u);
	for (i = 0; u->doubtful && i < UPC_COUNTERS; i++)
		if (is_copy_damaged(u, i) && worst == UPC_COUNTERS)
			worst = i;
	return worst < UPC_COUNTERS ? fail_damaged(u, worst) : 0;
}
