/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totals.c - counts that arrive as totals, for counters that are watched (interrupt enabled or damaged), and
 * accesses of software. The invariants are in totals.h, regs.h and threshold.h.
 * Terms: engine/engine.h, engine/threshold.h.
 */
#include <string.h>

#include "engine/totals.h"

#define LOW_MASK UINT64_C(4095)

void upci_totals_init(struct upci_totals *totals, const struct upci_engine_sink *sink)
{
	memset(totals, 0, sizeof(*totals));
	totals->sink = *sink;
}

static void tell_totals_event(const struct upci_totals *totals, enum upci_engine_event event, unsigned i)
{
	totals->sink.event(totals->sink.arg, event, i, 0);
}

/* ---- parity ------------------------------------------------------------- */

static bool is_total_damaged(const struct upci_totals *totals, unsigned i)
{
	return totals->damaged[i / 64] >> i % 64 & 1;
}

static void set_damaged(struct upci_totals *totals, unsigned i, bool damaged)
{
	uint64_t any = 0;
	unsigned w;

	totals->damaged[i / 64] &= ~(UINT64_C(1) << i % 64);
	totals->damaged[i / 64] |= (uint64_t)damaged << i % 64;
	for (w = 0; w < UPC_COUNTERS / 64; w++)
		any |= totals->damaged[w];
	totals->any_damaged = any != 0;
}

/* Repair wrong parity, and leave the wrong value. If the flag is clear, set it and report the error. */
static void check_totals_parity(struct upci_totals *totals, unsigned i)
{
	if (!is_total_damaged(totals, i))
		return;
	set_damaged(totals, i, false);
	if (totals->regs.field[i] & UPC_FIELD_PARITY_ERROR)
		return;
	totals->regs.field[i] |= UPC_FIELD_PARITY_ERROR;
	tell_totals_event(totals, UPCI_ENGINE_PARITY, i);
}

void upci_totals_flip(struct upci_totals *totals, unsigned counter, unsigned bit)
{
	totals->regs.counter[counter] ^= UINT64_C(1) << (12 + bit);
	upci_regs_arm(&totals->regs, counter);
	set_damaged(totals, counter, !is_total_damaged(totals, counter));
	upci_totals_show(totals, counter);
}

/* ---- adding counts ------------------------------------------------------ */

/* Reload the register of a counter that has just fired, and is therefore at the boundary: move it and its
 * offset back by one period. */
static void reload_total_register(struct upci_totals *totals, unsigned i)
{
	totals->regs.counter[i] -= totals->thresholds.period[i];
	totals->thresholds.offset[i] -= totals->thresholds.period[i];
	totals->regs.field[i] &= (uint8_t)~UPC_FIELD_INTERRUPT_PENDING;
	upci_regs_arm(&totals->regs, i);
}

/*
 * Add the counts in steps. Each step ends when no counts are left, the threshold fires, or the next count
 * carries into a damaged array word. No register's value is kept from one step to the next, since the sink
 * may have changed the registers, the chosen input and the run bit.
 */
void upci_totals_add_watched(struct upci_totals *totals, unsigned id, uint64_t k)
{
	struct upci_regs *regs = &totals->regs;
	unsigned i = id % UPC_COUNTERS;

	while (k && upci_totals_counts(totals, id)) {
		uint64_t step = k, distance = upci_regs_distance(regs, i);
		uint64_t room = LOW_MASK - (regs->counter[i] & LOW_MASK);
		bool visit, fired;

		if (distance && distance < step)
			step = distance;
		visit = is_total_damaged(totals, i) && room < step;
		if (visit)
			step = room;
		fired = upci_regs_add(regs, i, step);
		k -= step;
		if (fired && totals->thresholds.period[i])
			reload_total_register(totals, i);
		upci_totals_show(totals, i);
		if (fired)
			tell_totals_event(totals, UPCI_ENGINE_INTERRUPT, i);
		if (visit)
			check_totals_parity(totals, i);
	}
}

void upci_totals_add_signal(struct upci_totals *totals, unsigned id, uint64_t edges, uint64_t high)
{
	uint8_t field = totals->regs.field[id % UPC_COUNTERS];

	switch ((enum upc_mode)((field & UPC_FIELD_MODE) >> 2)) {
	case UPC_MODE_HIGH:
		upci_totals_add(totals, id, high);
		break;
	case UPC_MODE_RISE:
	case UPC_MODE_FALL:
		upci_totals_add(totals, id, edges);
		break;
	case UPC_MODE_LOW:
		break;
	}
}

/* ---- thresholds --------------------------------------------------------- */

/* Move the register, and its offset with it, so that it reaches the threshold register when the count reaches
 * the next multiple of the period. Without a period, set it to the count itself. Neither the count nor its
 * parity changes. */
static void preload_total_register(struct upci_totals *totals, unsigned i)
{
	uint64_t count = upci_totals_count(totals, i), period = totals->thresholds.period[i];
	struct upci_regs *regs = &totals->regs;

	regs->counter[i] = count;
	if (period)
		regs->counter[i] = upci_threshold_preload(regs->threshold, count, period);
	totals->thresholds.offset[i] = regs->counter[i] - count;
	upci_regs_arm(regs, i);
}

void upci_totals_set_threshold(struct upci_totals *totals, unsigned counter, uint64_t period)
{
	uint8_t field = totals->regs.field[counter] & (uint8_t)~UPC_FIELD_INTERRUPT_ENABLE;

	if (period == totals->thresholds.period[counter] && period == 0)
		return;
	totals->thresholds.period[counter] = period;
	/* Clearing the enable acknowledges an interrupt that software raised. */
	upci_regs_write_field(&totals->regs, counter, field);
	if (period)
		upci_regs_write_field(&totals->regs, counter, field | UPC_FIELD_INTERRUPT_ENABLE);
	preload_total_register(totals, counter);
}

/* ---- software ------------------------------------------------------------ */

static void write_totals_counter(struct upci_totals *totals, unsigned i, uint64_t value)
{
	set_damaged(totals, i, false);
	upci_regs_write_counter(&totals->regs, i, value);
	upci_totals_show(totals, i);
}

void upci_totals_preset(struct upci_totals *totals, unsigned counter, uint64_t value)
{
	totals->thresholds.offset[counter] = 0;
	write_totals_counter(totals, counter, value);
	preload_total_register(totals, counter);
}

void upci_totals_read_all(const struct upci_totals *restrict totals, uint64_t values[restrict UPC_COUNTERS])
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++)
		values[i] = upci_totals_count(totals, i);
}

int upci_totals_read(struct upci_totals *totals, unsigned offset, uint64_t *value)
{
	if (offset % 8 == 0 && offset < UPC_REG_CONFIG(0))
		check_totals_parity(totals, offset / 8);
	return upci_regs_read(&totals->regs, offset, value);
}

static void write_totals_config(struct upci_totals *totals, unsigned first, uint64_t value)
{
	unsigned i;

	for (i = first; i < first + 8; i++, value >>= 8) {
		uint8_t before = totals->regs.field[i];

		upci_regs_write_field(&totals->regs, i, (uint8_t)value);
		/* While the interrupt was disabled, the register may have passed the boundary. */
		if (totals->thresholds.period[i] && ~before & value & UPC_FIELD_INTERRUPT_ENABLE)
			preload_total_register(totals, i);
	}
}

static void write_threshold(struct upci_totals *totals, uint64_t value)
{
	bool other = upci_word(totals->regs.threshold) != upci_word(value);
	unsigned i;

	upci_regs_write_threshold(&totals->regs, value);
	for (i = 0; other && i < UPC_COUNTERS; i++)
		if (totals->thresholds.period[i])
			preload_total_register(totals, i);
}

int upci_totals_write(struct upci_totals *totals, unsigned offset, uint64_t value)
{
	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0))
		write_totals_counter(totals, offset / 8, value);
	else if (offset < UPC_REG_START_STOP)
		/* One byte per counter: the offset is the number of the first counter. */
		write_totals_config(totals, offset - UPC_REG_CONFIG(0), value);
	else if (offset == UPC_REG_THRESHOLD)
		write_threshold(totals, value);
	else
		return upci_regs_write(&totals->regs, offset, value);
	return 0;
}
