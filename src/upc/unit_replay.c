/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_replay.c - a unit behind a script: software's accesses go to its engine, and
 * the unit's own registers follow as a copy, which reads are made from.
 *
 * The copy is made without checking parity, which the engine does where a read asks
 * for a counter: so what the library itself looks at changes nothing. A counter that
 * was found damaged counts as damaged until the user writes it, whatever the library
 * writes to its register for a threshold meanwhile.
 */
#include <string.h>

#include "message.h"
#include "unit.h"

/* ---- writes ------------------------------------------------------------ */

void upci_unit_write_counter(struct upc_unit *u, unsigned i, uint64_t value)
{
	if (!u->replay) {
		upci_regs_write_counter(&u->regs, i, value);
		return;
	}
	upci_replay_write(u->replay, UPC_REG_COUNTER(i), value);
	u->stale = true;
}

void upci_unit_write_field(struct upc_unit *u, unsigned i, uint8_t field)
{
	const unsigned offset = UPC_REG_CONFIG(i / 8), shift = 8 * (i % 8);
	uint64_t group;

	if (!u->replay) {
		upci_regs_write_field(&u->regs, i, field);
		return;
	}
	/* What is written back as it was read changes nothing. */
	upci_replay_read(u->replay, offset, &group);
	group &= ~(UINT64_C(0xff) << shift);
	upci_replay_write(u->replay, offset, group | (uint64_t)field << shift);
	u->stale = true;
}

void upci_unit_write_threshold(struct upc_unit *u, uint64_t value)
{
	upci_regs_write_threshold(&u->regs, value);
	if (!u->replay)
		return;
	upci_replay_write(u->replay, UPC_REG_THRESHOLD, value);
	u->stale = true;
}

void upci_unit_write_run(struct upc_unit *u, bool run)
{
	u->regs.run = run;
	if (u->replay)
		upci_replay_write(u->replay, UPC_REG_START_STOP, run);
}

/* ---- the copy ------------------------------------------------------------- */

void upci_unit_catch_up(struct upc_unit *u)
{
	if (u->replay && upci_replay_catch_up(u->replay))
		u->stale = true;
}

static void look_for_doubt(struct upc_unit *u)
{
	u->doubtful = memchr(u->suspect, true, sizeof(u->suspect)) || memchr(u->damaged, true, sizeof(u->damaged));
}

void upci_unit_refresh(struct upc_unit *u)
{
	upci_unit_catch_up(u);
	if (!u->stale)
		return;
	upci_replay_peek(u->replay, u->regs.counter, u->regs.field, u->suspect);
	u->stale = false;
	look_for_doubt(u);
}

int upci_unit_replay_register(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	unsigned first, i;
	int error;

	upci_unit_catch_up(u);
	error = upci_replay_read(u->replay, offset, value);
	if (error)
		return error;
	/* A counter's read can have found damage, and a callback have mended it. */
	u->stale = true;
	upci_unit_refresh(u);
	/* Damage that the engine takes for mended by a preload of ours. */
	if (offset >= UPC_REG_CONFIG(0) && offset < UPC_REG_START_STOP) {
		first = offset - UPC_REG_CONFIG(0);
		for (i = 0; i < 8; i++)
			*value |= u->damaged[first + i] ? (uint64_t)UPC_FIELD_PARITY_ERROR << 8 * i : 0;
	} else if (offset == UPC_REG_STATUS && memchr(u->damaged, true, sizeof(u->damaged))) {
		*value |= 2;
	}
	return 0;
}

/* ---- parity ----------------------------------------------------------------- */

void upci_unit_repaired(struct upc_unit *u, unsigned i)
{
	u->damaged[i] = false;
}

/* The engine checks it as a read does. */
void upci_unit_find_damage(struct upc_unit *u, unsigned i)
{
	uint64_t value;

	if (!u->suspect[i])
		return;
	upci_replay_read(u->replay, UPC_REG_COUNTER(i), &value);
	u->stale = true;
	upci_unit_refresh(u);
}

static bool is_damaged(struct upc_unit *u, unsigned i)
{
	upci_unit_find_damage(u, i);
	return u->damaged[i];
}

static int fail_damaged(const struct upc_unit *u, unsigned i)
{
	const struct upci_binding *b = &u->binding[i];

	return upci_fail(UPC_EPARITY, "%s%sthe array word of counter %u is damaged (parity), its count is wrong; reset or "
			 "preset it to go on", b->references ? b->event->name : "", b->references ? ": " : "", i);
}

int upci_unit_check_counter(struct upc_unit *u, unsigned i)
{
	upci_unit_refresh(u);
	return u->doubtful && is_damaged(u, i) ? fail_damaged(u, i) : 0;
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
		if (is_damaged(u, i) && worst == UPC_COUNTERS)
			worst = i;
	return worst < UPC_COUNTERS ? fail_damaged(u, worst) : 0;
}

/* ---- interrupts ----------------------------------------------------------- */

/* A counter whose interrupt the handler of another one, of the same cycle, has
 * acknowledged or disabled. */
static bool acknowledged(const struct upc_unit *u, unsigned i)
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

	u->stale = true;
	upci_unit_refresh(u);
	interrupt.value = upci_unit_count(u, counter);
	if (event == UPCI_ENGINE_PARITY ? know_already(u, counter) : acknowledged(u, counter))
		return;
	if (event == UPCI_ENGINE_INTERRUPT && u->thresholds.period[counter])
		upci_unit_preload(u, counter);
	if (u->interrupt)
		u->interrupt(u, &interrupt, u->interrupt_arg);
	/* The engine goes on. */
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
	u->stale = true;
	upci_unit_show(u, false);
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
	upci_unit_show(u, false);
	return 0;
}
