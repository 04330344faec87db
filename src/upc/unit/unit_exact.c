/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_exact.c - a unit with an exact source, a script's engine or a context of the
 * simulator: software's accesses go there, and the unit's own registers follow as a copy,
 * which reads are made from.
 *
 * The copy is made without checking parity, which the source does where a read asks
 * for a counter: so what the library itself looks at changes nothing. A counter that
 * was found damaged counts as damaged until the user writes it, whatever the library
 * writes to its register for a threshold meanwhile.
 */
#include <string.h>

#include "node/doorbell.h"
#include "base/message.h"
#include "base/notice.h"
#include "replay/replay.h"
#include "node/sim.h"
#include "unit/unit.h"
#include "unit/unit_exact.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"

/* ---- writes ------------------------------------------------------------ */

void upci_unit_write_counter(struct upc_unit *u, unsigned i, uint64_t value)
{
	if (upci_unit_is_local(u, i)) {
		upci_regs_write_counter(&u->regs, i, value);
		return;
	}
	u->exact->ops->write(u->exact, UPC_REG_COUNTER(i), value);
	u->stale = true;
}

void upci_unit_write_field(struct upc_unit *u, unsigned i, uint8_t field)
{
	const unsigned offset = UPC_REG_CONFIG(i / 8), shift = 8 * (i % 8);
	uint64_t group;

	if (!u->exact) {
		upci_regs_write_field(&u->regs, i, field);
		return;
	}
	/* What is written back as it was read changes nothing. */
	u->exact->ops->read(u->exact, offset, &group);
	group &= ~(UINT64_C(0xff) << shift);
	u->exact->ops->write(u->exact, offset, group | (uint64_t)field << shift);
	u->stale = true;
}

void upci_unit_write_threshold(struct upc_unit *u, uint64_t value)
{
	upci_regs_write_threshold(&u->regs, value);
	if (!u->exact)
		return;
	u->exact->ops->write(u->exact, UPC_REG_THRESHOLD, value);
	u->stale = true;
}

int upci_unit_write_run(struct upc_unit *u, bool run)
{
	int error = u->exact ? u->exact->ops->write(u->exact, UPC_REG_START_STOP, run) : 0;

	/* Who cannot be stopped does not count either. */
	u->regs.run = run && !error;
	/* Until then it counted, where it goes on by itself. */
	if (u->exact && !upci_unit_preloads(u))
		u->stale = true;
	return error;
}

/* ---- of a source that keeps presets ---------------------------------------- */

static bool keeps(const struct upc_unit *u)
{
	return u->exact && upci_exact_keeps(u->exact);
}

void upci_unit_clear_all(struct upc_unit *u)
{
	const uint64_t all[UPC_COUNTERS / 64] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	if (!keeps(u))
		return;
	u->exact->ops->clear(u->exact, all);
	memset(u->damaged, 0, sizeof(u->damaged));
	u->stale = true;
}

void upci_unit_exact_bind(struct upc_unit *u, unsigned i)
{
	const struct upci_event *event = u->binding[i].event;

	if (keeps(u) && event->id == UPC_NO_ID)
		u->exact->ops->bind(u->exact, i, event->driver.source == UPC_SOURCE_SIMULATION ?
				    event->driver.panel : UPCI_PANEL_NOTHING);
}

void upci_unit_exact_move(struct upc_unit *u, unsigned i, uint8_t field, uint64_t count)
{
	upci_unit_write_field(u, i, field);
	u->exact->ops->preset(u->exact, i, count);
	if (u->thresholds.period[i])
		(void)u->exact->ops->set_period(u->exact, i, u->thresholds.period[i]);
	u->stale = true;
}

void upci_unit_exact_vacate(struct upc_unit *u, unsigned i)
{
	if (keeps(u) && u->thresholds.period[i])
		(void)u->exact->ops->set_period(u->exact, i, 0);
}

/* ---- the copy ------------------------------------------------------------- */

void upci_unit_catch_up(struct upc_unit *u)
{
	if (u->exact && u->exact->ops->catch_up(u->exact))
		u->stale = true;
}

static void look_for_doubt(struct upc_unit *u)
{
	u->doubtful = memchr(u->suspect, true, sizeof(u->suspect)) || memchr(u->damaged, true, sizeof(u->damaged));
}

/* A parity error of any counter, eight at a time: this is done at every read. */
static bool flagged(const uint8_t field[UPC_COUNTERS])
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

/* Whoever keeps presets moves no damage by them: its flag is the truth. */
static void copy_damage(struct upc_unit *u)
{
	unsigned i;

	if (!u->doubtful && !flagged(u->regs.field))
		return;
	for (i = 0; i < UPC_COUNTERS; i++)
		u->damaged[i] = u->regs.field[i] & UPC_FIELD_PARITY_ERROR;
}

static void copy_registers(struct upc_unit *u)
{
	uint64_t local[UPC_COUNTERS];
	unsigned a;

	for (a = 0; a < u->actives; a++)
		local[a] = u->regs.counter[u->active[a]];
	u->exact->ops->peek(u->exact, u->regs.counter, u->regs.field, u->suspect);
	for (a = 0; a < u->actives; a++)
		if (upci_unit_is_local(u, u->active[a]))
			u->regs.counter[u->active[a]] = local[a];
	if (upci_exact_keeps(u->exact))
		copy_damage(u);
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
	copy_registers(u);
	u->stale = false;
	look_for_doubt(u);
}

int upci_unit_exact_register(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	unsigned first, i;
	int error;

	upci_unit_catch_up(u);
	error = u->exact->ops->read(u->exact, offset, value);
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
	if (u->exact)
		u->damaged[i] = false;
}

/* The engine checks it as a read does. */
void upci_unit_find_damage(struct upc_unit *u, unsigned i)
{
	uint64_t value;

	if (!u->suspect[i])
		return;
	u->exact->ops->read(u->exact, UPC_REG_COUNTER(i), &value);
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
	if (!u->exact || !u->exact->ops->in_sink(u->exact))
		return 0;
	return upci_fail(UPC_ESTATE, "the unit tells of an interrupt: it cannot be %s from there", what);
}

static int create_replay(struct upc_unit *u)
{
	const struct upci_engine_sink told = {.event = sink, .arg = u};
	struct upci_replay *replay;
	int error = upci_replay_create(upci_catalogue_script(u->catalogue), &told, &replay);

	if (!error)
		u->exact = upci_replay_exact(replay);
	return error;
}

int upci_unit_exact_create(struct upc_unit *u)
{
	int error = 0;

	if (upci_catalogue_script(u->catalogue))
		error = create_replay(u);
	else if (upci_catalogue_node(u->catalogue))
		error = upci_sim_create(&u->exact);
	/* What its registers hold is in them. */
	u->stale = u->exact != NULL;
	return error;
}

/* ---- public ---------------------------------------------------------------- */

static int fail_no_script(const struct upc_unit *u, const char *what)
{
	return upci_fail(UPC_ENOSUPP, "%s: the unit's events are %s; a script drives it with "
			 "UPC_SOURCE=replay:FILE", what,
			 u->exact ? "the simulated node's, which goes on by itself" : "this machine's");
}

int upc_unit_play(struct upc_unit *u)
{
	int error;

	if (!u->exact || !u->exact->ops->play)
		return fail_no_script(u, "upc_unit_play");
	error = upci_unit_check_idle(u, "played");
	if (error)
		return error;
	if (!u->exact->ops->play(u->exact))
		return 0;
	u->stale = true;
	upci_unit_show(u, false);
	return 1;
}

int upc_unit_playable(const struct upc_unit *u)
{
	return u->exact && u->exact->ops->left && u->exact->ops->left(u->exact);
}

int upc_counter_inject(struct upc_unit *u, int counter, int bit)
{
	if (counter < 0 || counter >= UPC_COUNTERS || bit < 0 || bit > 51)
		return upci_fail(UPC_EINVAL, "counter %d, bit %d: they are 0 to %d, and 0 to 51", counter, bit,
				 UPC_COUNTERS - 1);
	if (!u->exact)
		return fail_no_script(u, "fault injection");
	upci_unit_catch_up(u);
	u->exact->ops->flip(u->exact, (unsigned)counter, (unsigned)bit);
	u->stale = true;
	upci_unit_show(u, false);
	return 0;
}
