/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_replay.c - a unit behind a script: software's accesses go to its engine, and
 * the unit's own registers follow as a copy, which reads are made from.
 *
 * The copy's fields are always those of the engine, its counters only while the unit
 * is not stale: reading an engine's counter checks its parity, which is for reads to
 * do and not for everything that happens on the way.
 */
#include "message.h"
#include "unit.h"

/* ---- writes ------------------------------------------------------------ */

void upci_unit_write_counter(struct upc_unit *u, unsigned i, uint64_t value)
{
	upci_regs_write_counter(&u->regs, i, value);
	if (u->replay)
		upci_replay_write(u->replay, UPC_REG_COUNTER(i), value);
}

void upci_unit_write_field(struct upc_unit *u, unsigned i, uint8_t field)
{
	const unsigned offset = UPC_REG_CONFIG(i / 8), shift = 8 * (i % 8);
	uint64_t group;

	upci_regs_write_field(&u->regs, i, field);
	if (!u->replay)
		return;
	/* What is written back as it was read changes nothing. */
	upci_replay_read(u->replay, offset, &group);
	group &= ~(UINT64_C(0xff) << shift);
	upci_replay_write(u->replay, offset, group | (uint64_t)field << shift);
}

void upci_unit_write_threshold(struct upc_unit *u, uint64_t value)
{
	upci_regs_write_threshold(&u->regs, value);
	if (u->replay)
		upci_replay_write(u->replay, UPC_REG_THRESHOLD, value);
}

void upci_unit_write_run(struct upc_unit *u, bool run)
{
	u->regs.run = run;
	if (u->replay)
		upci_replay_write(u->replay, UPC_REG_START_STOP, run);
}

/* ---- the copy ------------------------------------------------------------- */

static void copy_fields(struct upc_unit *u)
{
	uint64_t group = 0;
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		if (i % 8 == 0)
			upci_replay_read(u->replay, UPC_REG_CONFIG(i / 8), &group);
		u->regs.field[i] = (uint8_t)(group >> 8 * (i % 8));
	}
}

static void copy_counters(struct upc_unit *u)
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++)
		upci_replay_read(u->replay, UPC_REG_COUNTER(i), &u->regs.counter[i]);
	u->stale = false;
}

static void find_damage(struct upc_unit *u)
{
	unsigned a;

	u->damaged = false;
	for (a = 0; a < u->actives; a++)
		if (u->regs.field[u->active[a]] & UPC_FIELD_PARITY_ERROR)
			u->damaged = true;
}

void upci_unit_catch_up(struct upc_unit *u)
{
	if (!u->replay || !upci_replay_catch_up(u->replay))
		return;
	copy_fields(u);
	u->stale = true;
}

static int fail_damaged(const struct upc_unit *u)
{
	unsigned a;

	for (a = 0; a < u->actives; a++)
		if (u->regs.field[u->active[a]] & UPC_FIELD_PARITY_ERROR)
			return upci_fail(UPC_EPARITY, "%s: the array word of counter %u is damaged (parity), its count is "
					 "wrong; reset or preset it to go on",
					 u->binding[u->active[a]].event->name, u->active[a]);
	return 0;
}

int upci_unit_replay_update(struct upc_unit *u)
{
	upci_unit_catch_up(u);
	if (u->stale) {
		copy_counters(u);
		copy_fields(u);
		find_damage(u);
		upci_unit_show(u, false);
	}
	if (!u->damaged)
		return 0;
	/* Written since, perhaps. */
	find_damage(u);
	return u->damaged ? fail_damaged(u) : 0;
}

int upci_unit_replay_register(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	int error;

	upci_unit_catch_up(u);
	error = upci_replay_read(u->replay, offset, value);
	if (!error && offset < UPC_REG_CONFIG(0)) {
		u->regs.counter[offset / 8] = *value;
		copy_fields(u);
		find_damage(u);
	}
	return error;
}

/* ---- interrupts ----------------------------------------------------------- */

/* The engine is at rest in the cycle of the event. */
static void sink(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
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

	/* A read that finds damage is in the middle of the copy. */
	if (event == UPCI_ENGINE_INTERRUPT) {
		copy_fields(u);
		copy_counters(u);
		if (u->thresholds.period[counter])
			(void)upci_unit_preset(u, counter, upci_unit_count(u, counter));
	} else {
		upci_notice("counter %u%s%s: its array word is damaged (parity)", counter,
			    b->references ? ", " : "", b->references ? b->event->name : "");
		u->stale = true;
	}
	interrupt.value = upci_unit_count(u, counter);
	if (u->interrupt)
		u->interrupt(u, &interrupt, u->interrupt_arg);
	u->stale = true;
}

int upci_unit_check_idle(const struct upc_unit *u, const char *what)
{
	if (!u->replay || !upci_replay_in_sink(u->replay))
		return 0;
	return upci_fail(UPC_ESTATE, "the unit tells of an interrupt: it cannot be %s from there", what);
}

int upci_unit_replay_create(struct upc_unit *u)
{
	const struct upci_engine_sink told = {.event = sink, .arg = u};

	return upci_replay_create(upci_catalogue_script(u->catalogue), &told, &u->replay);
}

/* ---- public ---------------------------------------------------------------- */

static int fail_no_script(const char *what)
{
	return upci_fail(UPC_ENOSUPP, "%s: the unit's events are this machine's; a script drives it with "
			 "UPC_SOURCE=replay:FILE", what);
}

int upc_unit_play(struct upc_unit *u)
{
	int error;

	if (!u->replay)
		return fail_no_script("upc_unit_play");
	error = upci_unit_check_idle(u, "played");
	if (error)
		return error;
	if (!upci_replay_play(u->replay))
		return 0;
	copy_fields(u);
	u->stale = true;
	return 1;
}

int upc_unit_playable(const struct upc_unit *u)
{
	return u->replay && upci_replay_left(u->replay);
}

int upc_counter_inject(struct upc_unit *u, int counter, int bit)
{
	if (counter < 0 || counter >= UPC_COUNTERS || bit < 0 || bit > 51)
		return upci_fail(UPC_EINVAL, "counter %d, bit %d: they are 0 to %d, and 0 to 51", counter, bit,
				 UPC_COUNTERS - 1);
	if (!u->replay)
		return fail_no_script("fault injection");
	upci_unit_catch_up(u);
	upci_replay_flip(u->replay, (unsigned)counter, (unsigned)bit);
	u->stale = true;
	return 0;
}
