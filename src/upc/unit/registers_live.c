/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers_live.c - the registers of a live unit, which the unit itself owns. Sources count all bound
 * events, so the operations here concern only counters that no event is bound to.
 * Terms: unit/unit.h.
 */
#include "base/message.h"
#include "unit/registers.h"
#include "unit/unit_threshold.h"

static int live_retarget(struct upc_unit *u, const struct upci_context *context)
{
	return upci_unit_replace_sources(u, context, UPCI_OPEN_LATER);
}

static int live_read(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	return upci_regs_read(&u->regs, offset, value);
}

static int live_write(struct upc_unit *u, unsigned offset, uint64_t value)
{
	u->strays |= offset < UPC_REG_CONFIG(0) && value;
	return upci_regs_write(&u->regs, offset, value);
}

static void live_preset(struct upc_unit *u, unsigned i, uint64_t count)
{
	(void)live_write(u, UPC_REG_COUNTER(i), count);
}

/* True if counter i is zero and has no interrupt or parity error to acknowledge. */
static bool is_clear(const struct upc_unit *u, unsigned i)
{
	return !u->regs.counter[i] &&
	       !(u->regs.field[i] & (UPC_FIELD_INTERRUPT_PENDING | UPC_FIELD_PARITY_ERROR));
}

/* Clear counters that no event is bound to, but only if one was written: a look at all of them would touch 30
 * cache lines in each start of an event set. */
static void live_clear(struct upc_unit *u)
{
	unsigned i;

	for (i = 0; u->strays && i < UPC_COUNTERS; i++)
		if (!is_clear(u, i) && !u->binding[i].references)
			upci_regs_write_counter(&u->regs, i, 0);
	u->strays = false;
}

const struct upci_registers_ops upci_registers_live = {
	.whose = "this machine's",
	.set_context = upci_context_set,
	.retarget = live_retarget,
	.read = live_read,
	.write = live_write,
	.preset = live_preset,
	.clear = live_clear,
	.set_period = upci_unit_set_period,
	.set_signal = upci_registers_check_signal,
	.signalled = upci_unit_signalled,
};
