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
#include "unit/unit.h"
#include "unit/unit_exact.h"

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
		u->exact->ops->bind(u->exact, i,
				    event->driver.source == UPC_SOURCE_SIMULATION ? event->driver.panel
										  : UPCI_PANEL_NOTHING);
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
	u->doubtful =
		memchr(u->suspect, true, sizeof(u->suspect)) || memchr(u->damaged, true, sizeof(u->damaged));
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

	return upci_fail(UPC_EPARITY,
			 "%s%sthe array word of counter %u is damaged (parity), its count is wrong; reset or "
			 "preset it to go on",
			 b->references ? b->event->name : "", b->references ? ": " : "", i);
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

int upci_unit_check_idle(const struct upc_unit *u, const char *what)
{
	if (!u->exact || !u->exact->ops->in_sink(u->exact))
		return 0;
	return upci_fail(UPC_ESTATE, "the unit tells of an interrupt: it cannot be %s from there", what);
}
