/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers_node.c - the registers of a unit of the simulated node, which the simulator's context owns. The
 * simulator itself makes thresholds per event, and its counts do not include their preloads. The unit takes
 * in clocks and files itself.
 * Terms: unit/unit.h, engine/threshold.h, engine/engine.h, base/target.h, node/sim.h.
 */
#include <string.h>

#include "base/message.h"
#include "node/sim.h"
#include "unit/registers.h"
#include "unit/unit_threshold.h"

static int node_create(struct upc_unit *u)
{
	return upci_sim_create(&u->keeper.node);
}

static void node_destroy(struct upc_unit *u)
{
	upci_sim_destroy(u->keeper.node);
}

static void node_forked(struct upc_unit *u)
{
	upci_sim_forked(u->keeper.node);
}

static int node_retarget(struct upc_unit *u, const struct upci_context *context)
{
	(void)context;
	return upci_sim_is_callers(u->keeper.node) ? 0 : upci_registers_fail_callers("simulator's counts");
}

static bool node_catch_up(struct upc_unit *u)
{
	return upci_sim_runs(u->keeper.node);
}

/* True if any counter has a parity error. Tests eight fields at a time, since every read does this. */
static bool any_field_flagged(const uint8_t field[UPC_COUNTERS])
{
	const uint64_t flags = UINT64_C(0x0101010101010101) * UPC_FIELD_PARITY_ERROR;
	uint64_t eight, any = 0;
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i += 8) {
		memcpy(&eight, field + i, sizeof(eight));
		any |= eight;
	}
	return any & flags;
}

/* Copy the parity flags. The flags are right, because the simulator repairs no damage by writing preloads. */
static void copy_damage(struct upc_unit *u)
{
	unsigned i;

	if (!u->doubtful && !any_field_flagged(u->regs.field))
		return;
	for (i = 0; i < UPC_COUNTERS; i++)
		u->damaged[i] = u->regs.field[i] & UPC_FIELD_PARITY_ERROR;
}

static void node_peek(struct upc_unit *u)
{
	upci_sim_peek(u->keeper.node, u->regs.counter, u->regs.field, u->suspect);
	copy_damage(u);
}

static int node_read(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	return upci_sim_read(u->keeper.node, offset, value);
}

static int node_write(struct upc_unit *u, unsigned offset, uint64_t value)
{
	u->stale = true;
	if (offset == UPC_REG_THRESHOLD)
		upci_regs_write_threshold(&u->regs, value);
	return upci_sim_write(u->keeper.node, offset, value);
}

static void node_flip(struct upc_unit *u, unsigned counter, unsigned bit)
{
	upci_sim_flip(u->keeper.node, counter, bit);
}

static void node_preset(struct upc_unit *u, unsigned i, uint64_t count)
{
	upci_sim_preset(u->keeper.node, i, count);
	u->stale = true;
}

static void node_clear(struct upc_unit *u)
{
	const uint64_t all[UPC_COUNTERS / 64] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	upci_sim_clear(u->keeper.node, all);
	memset(u->damaged, 0, sizeof(u->damaged));
	u->stale = true;
}

/* The simulator cannot call back in the cycle of the interrupt, because the program itself runs in the
 * simulator. A threshold therefore needs a signal. */
static int node_set_period(struct upc_unit *u, unsigned i, uint64_t period)
{
	const char *name = u->binding[i].event->name;

	if (period && !u->signal)
		return upci_fail(UPC_ESTATE,
				 "%s: the simulator needs a signal to send: upc_unit_set_interrupt", name);
	if (upci_sim_set_period(u->keeper.node, i, period))
		return upci_fail(UPC_ENOMEM, "%s: the simulator has no threshold for it", name);
	upci_unit_keep_period(u, i, period);
	u->stale = true;
	return 0;
}

static int node_set_signal(struct upc_unit *u, int signal)
{
	int error = upci_registers_check_signal(u, signal);

	if (error || !upci_sim_set_signal(u->keeper.node, signal))
		return error;
	return upci_fail(UPC_EINVAL, "the simulator cannot send signal %d: choose a lower one", signal);
}

/* Skip counters without a threshold. Their interrupts are parity errors, which the read of a counter
 * reports. */
static int node_signalled(const struct upc_unit *u, int fd, uint32_t *code)
{
	unsigned counter;

	(void)fd;
	while (upci_sim_fetch(u->keeper.node, &counter)) {
		if (!u->thresholds.period[counter])
			continue;
		*code = u->binding[counter].code;
		return 0;
	}
	return UPC_EINVAL;
}

static void node_bind(struct upc_unit *u, unsigned i)
{
	const struct upci_event *event = u->binding[i].event;

	if (event->id == UPC_NO_ID)
		upci_sim_bind(u->keeper.node, i,
			      event->driver.source == UPC_SOURCE_SIMULATION ? event->driver.panel
									    : UPCI_PANEL_NOTHING);
}

static void node_vacate(struct upc_unit *u, unsigned i)
{
	if (u->thresholds.period[i])
		(void)upci_sim_set_period(u->keeper.node, i, 0);
}

static void node_moved(struct upc_unit *u, unsigned i)
{
	if (u->thresholds.period[i])
		(void)upci_sim_set_period(u->keeper.node, i, u->thresholds.period[i]);
}

const struct upci_registers_ops upci_registers_node = {
	.whose = "the simulated node's, which goes on by itself",
	.elsewhere = true,
	.timed = true,
	.set_context = upci_context_set_sim,
	.create = node_create,
	.destroy = node_destroy,
	.forked = node_forked,
	.retarget = node_retarget,
	.catch_up = node_catch_up,
	.peek = node_peek,
	.read = node_read,
	.write = node_write,
	.flip = node_flip,
	.preset = node_preset,
	.clear = node_clear,
	.set_period = node_set_period,
	.set_signal = node_set_signal,
	.signalled = node_signalled,
	.bind = node_bind,
	.vacate = node_vacate,
	.moved = node_moved,
};
