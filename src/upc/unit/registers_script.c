/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers_script.c - the registers of a unit that a script drives, which an engine owns. The engine has one
 * threshold register. This file makes thresholds per event with preloads of the counters (threshold.h), which
 * it writes in the cycle of the interrupt. Interrupts call the callback; no signal is sent.
 * Terms: unit/unit.h, engine/threshold.h, replay/replay.h.
 */
#include "base/message.h"
#include "base/notice.h"
#include "replay/replay.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"

/* ---- counts and thresholds ------------------------------------------------ */

static int script_write(struct upc_unit *u, unsigned offset, uint64_t value);

static void script_preset(struct upc_unit *u, unsigned i, uint64_t count)
{
	uint64_t period = u->thresholds.period[i], raw = count;

	if (period)
		raw = upci_threshold_preload(u->regs.threshold, count, period);
	u->thresholds.offset[i] = raw - count;
	(void)script_write(u, UPC_REG_COUNTER(i), raw);
}

/* Write a counter's preload for its threshold; the event's count stays the same. */
static void script_preload_counter(struct upc_unit *u, unsigned i)
{
	upci_unit_refresh(u);
	upci_unit_find_damage(u, i);
	script_preset(u, i, upci_unit_count(u, i));
}

static void script_clear(struct upc_unit *u)
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		upci_unit_repaired(u, i);
		script_preset(u, i, 0);
	}
}

static int script_set_period(struct upc_unit *u, unsigned i, uint64_t period)
{
	uint8_t field;

	upci_unit_refresh(u);
	if (period == u->thresholds.period[i])
		return 0;
	field = u->regs.field[i] & (uint8_t)~UPC_FIELD_INTERRUPT_ENABLE;
	upci_unit_keep_period(u, i, period);
	upci_unit_write_field(u, i, period ? field | UPC_FIELD_INTERRUPT_ENABLE : field);
	script_preload_counter(u, i);
	return 0;
}

/* ---- interrupts ----------------------------------------------------------- */

/* True if the callback for an earlier interrupt of the same cycle has acknowledged or disabled the interrupt
 * of counter i. */
static bool is_interrupt_acknowledged(const struct upc_unit *u, unsigned i)
{
	return !(u->regs.field[i] & UPC_FIELD_INTERRUPT_PENDING);
}

static bool know_already(struct upc_unit *u, unsigned i)
{
	bool known = u->damaged[i];

	u->damaged[i] = u->doubtful = true;
	if (!known)
		upci_notice("counter %u%s%s: its array word is damaged (parity)", i,
			    u->binding[i].references ? ", " : "",
			    u->binding[i].references ? u->binding[i].event->name : "");
	return known;
}

/* Handle an interrupt or a parity error. The engine has stopped in the cycle of the event. */
static void script_take_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct upc_unit *u = arg;
	const struct upci_binding *b = &u->binding[counter];
	struct upc_interrupt interrupt = {
		.size = sizeof(interrupt),
		.kind = event == UPCI_ENGINE_PARITY ? UPC_INTERRUPT_PARITY : UPC_INTERRUPT_THRESHOLD,
		.counter = (int)counter,
		.code = b->references ? b->code : UPC_NO_CODE,
		.cycle = cycle,
	};

	u->stale = true;
	upci_unit_refresh(u);
	interrupt.value = upci_unit_count(u, counter);
	if (event == UPCI_ENGINE_PARITY ? know_already(u, counter) : is_interrupt_acknowledged(u, counter))
		return;
	if (event == UPCI_ENGINE_INTERRUPT && u->thresholds.period[counter])
		script_preload_counter(u, counter);
	if (u->interrupt)
		u->interrupt(u, &interrupt, u->interrupt_arg);
	/* The engine runs on, which makes the copy stale. */
	u->stale = true;
}

static int script_create(struct upc_unit *u)
{
	const struct upci_engine_sink told = {.event = script_take_event, .arg = u};

	return upci_replay_create(upci_catalogue_script(u->catalogue), &told, &u->keeper.script);
}

/* ---- the engine ------------------------------------------------------------ */

static void script_destroy(struct upc_unit *u)
{
	upci_replay_destroy(u->keeper.script);
}

static void script_forked(struct upc_unit *u)
{
	upci_replay_forked(u->keeper.script);
}

static int script_retarget(struct upc_unit *u, const struct upci_context *context)
{
	(void)context;
	return upci_replay_is_callers(u->keeper.script) ? 0 : upci_registers_fail_callers("script's signals");
}

static bool script_catch_up(struct upc_unit *u)
{
	return upci_replay_catch_up(u->keeper.script);
}

static void script_peek(struct upc_unit *u)
{
	upci_replay_peek(u->keeper.script, u->regs.counter, u->regs.field, u->suspect);
}

static int script_read(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	return upci_replay_read(u->keeper.script, offset, value);
}

static int script_write(struct upc_unit *u, unsigned offset, uint64_t value)
{
	int error = upci_replay_write(u->keeper.script, offset, value);
	unsigned a;

	if (offset == UPC_REG_START_STOP)
		return error;
	u->stale = true;
	if (offset != UPC_REG_THRESHOLD)
		return error;
	upci_regs_write_threshold(&u->regs, value);
	for (a = 0; a < u->actives; a++)
		if (u->thresholds.period[u->active[a]])
			script_preload_counter(u, u->active[a]);
	return error;
}

static void script_flip(struct upc_unit *u, unsigned counter, unsigned bit)
{
	upci_replay_flip(u->keeper.script, counter, bit);
}

static bool script_play(struct upc_unit *u)
{
	return upci_replay_play(u->keeper.script);
}

static bool script_left(const struct upc_unit *u)
{
	return upci_replay_left(u->keeper.script);
}

static uint64_t script_cycles(const struct upc_unit *u)
{
	return upci_replay_cycles(u->keeper.script);
}

static bool script_is_told(const struct upc_unit *u)
{
	return upci_replay_in_sink(u->keeper.script);
}

const struct upci_registers_ops upci_registers_script = {
	.whose = "a script's",
	.elsewhere = true,
	.set_context = upci_context_set_replay,
	.create = script_create,
	.destroy = script_destroy,
	.forked = script_forked,
	.retarget = script_retarget,
	.catch_up = script_catch_up,
	.peek = script_peek,
	.read = script_read,
	.write = script_write,
	.flip = script_flip,
	.play = script_play,
	.left = script_left,
	.cycles = script_cycles,
	.is_told = script_is_told,
	.preset = script_preset,
	.clear = script_clear,
	.set_period = script_set_period,
};
