/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counter.c - single counters and registers of a unit, as software sees them.
 * Terms: unit/unit.h, base/source.h, engine/threshold.h, engine/engine.h.
 */
#include <string.h>

#include "base/message.h"
#include "base/sized.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "unit/unit_time.h"

static int check_counter_number(int counter)
{
	if (counter >= 0 && counter < UPC_COUNTERS)
		return 0;
	return upci_fail(UPC_EINVAL, "%d is no counter: they are 0 to %d", counter, UPC_COUNTERS - 1);
}

static int check_bound(const struct upc_unit *u, int counter)
{
	int error = check_counter_number(counter);

	if (!error && !u->binding[counter].references)
		error = upci_fail(UPC_EINVAL, "no event is bound to counter %d", counter);
	return error;
}

static unsigned flags_of_counter(const struct upc_unit *u, unsigned i)
{
	const struct upci_binding *b = &u->binding[i];

	return (b->references ? b->flags | UPC_COUNTER_BOUND : 0u) |
	       (u->damaged[i] ? UPC_COUNTER_DAMAGED : 0u);
}

int upc_counter_state(struct upc_unit *u, int counter, struct upc_counter_info *info)
{
	static const struct upci_sized sized = UPCI_SIZED_FROM_0(upc_counter_info, upci_fail);
	const struct upci_binding *b;
	struct upc_counter_info full = {0};
	int error = check_counter_number(counter);

	if (!error)
		error = upci_sized_check(&sized, info);
	if (error)
		return error;
	upci_unit_refresh(u);
	b = &u->binding[counter];
	full.flags = flags_of_counter(u, (unsigned)counter);
	full.code = b->code;
	full.input = u->regs.field[counter] & UPC_FIELD_INPUT;
	full.mode = (enum upc_mode)((u->regs.field[counter] & UPC_FIELD_MODE) >> 2);
	full.references = b->references;
	full.value = upci_unit_count(u, (unsigned)counter);
	/* A caller compiled with an older header has no room for the times, and need not wait for them. */
	if (info->size > offsetof(struct upc_counter_info, enabled_ns))
		upci_unit_time_of(u, (unsigned)counter, &full.enabled_ns, &full.running_ns);
	upci_sized_give(&sized, info, &full);
	return 0;
}

/* A formula with some terms that counted and some that never did is PARTIAL, not NEVER. */
static unsigned entry_flags(const struct upc_unit *u, const struct upci_entry *e)
{
	unsigned flags = 0, never = UPC_COUNTER_NEVER, terms = e->formula ? e->formula->terms : 1, i;

	for (i = 0; i < terms; i++) {
		flags |= flags_of_counter(u, e->counter[i]);
		never &= flags_of_counter(u, e->counter[i]);
	}
	return !never && flags & UPC_COUNTER_NEVER
		       ? (flags & ~(unsigned)UPC_COUNTER_NEVER) | UPC_COUNTER_PARTIAL
		       : flags;
}

int upc_unit_flags(struct upc_unit *u, const uint32_t *codes, unsigned n, unsigned *flags)
{
	unsigned i;
	int e;

	upci_unit_refresh(u);
	for (i = 0; i < n; i++) {
		e = upci_unit_entry(u, codes[i]);
		if (e < 0)
			return upci_fail(UPC_EINVAL, "event %u is not added to this unit", codes[i]);
		flags[i] = entry_flags(u, &u->entry[e]);
	}
	return 0;
}

int upc_counter_read(struct upc_unit *u, int counter, uint64_t *value)
{
	int error = check_counter_number(counter);

	if (error)
		return error;
	if (!value)
		return upci_fail(UPC_EINVAL, "upc_counter_read: no place for the value");
	error = upci_unit_current(u);
	if (!upci_unit_usable(error))
		return error;
	if (!error)
		error = upci_unit_check_counter(u, (unsigned)counter);
	*value = upci_unit_count(u, (unsigned)counter);
	return error;
}

int upc_counter_write(struct upc_unit *u, int counter, uint64_t value)
{
	int error = check_counter_number(counter);

	if (!error)
		error = upci_unit_check_no_level(&u->binding[counter]);
	if (error)
		return error;
	error = upci_unit_check_preset(u);
	if (error)
		return error;
	/* Take in the counts so far, which the write replaces. */
	error = upci_unit_current(u);
	if (!upci_unit_usable(error))
		return error;
	upci_unit_repaired(u, (unsigned)counter);
	error = upci_unit_preset(u, (unsigned)counter, value);
	upci_unit_show(u, false);
	return error;
}

static int turn_counter(struct upc_unit *u, int counter, bool halts)
{
	struct upci_binding *b = &u->binding[counter];
	struct upci_source *source;
	int error = 0;

	if (halts == !!(b->flags & UPC_COUNTER_HALTED))
		return 0;
	if (b->stops && !u->forked) {
		/* Counts until now stay in the kernel's counter and come with the next read. */
		source = u->sources.of[b->source];
		error = halts ? source->ops->stops->halt(source, b->handle)
			      : source->ops->stops->go_on(source, b->handle);
	} else if (!b->stops && u->regs.run) {
		/* While the counter is halted, the readings of its source are not added. When it continues,
		 * the last reading is its base. */
		error = upci_unit_update(u);
	}
	if (!upci_unit_usable(error))
		return error;
	b->flags &= (uint16_t)~UPC_COUNTER_HALTED;
	if (halts)
		b->flags |= UPC_COUNTER_HALTED;
	upci_unit_time_turn(u, (unsigned)counter);
	return 0;
}

int upc_counter_halt(struct upc_unit *u, int counter)
{
	int error = check_bound(u, counter);

	if (!error && u->registers->elsewhere)
		error = upci_fail(UPC_ENOSUPP,
				  "counter %d: the unit has one start/stop for all counters; the live "
				  "sources alone can halt one",
				  counter);
	return error ? error : turn_counter(u, counter, true);
}

int upc_counter_continue(struct upc_unit *u, int counter)
{
	int error = check_bound(u, counter);

	return error ? error : turn_counter(u, counter, false);
}

static int fail_offset(unsigned offset)
{
	return upci_fail(UPC_EFAULT, "register offset 0x%x is outside the map or not 8-byte aligned", offset);
}

int upc_register_read(struct upc_unit *u, unsigned offset, uint64_t *value)
{
	int error = 0, wrong;

	if (!value)
		return upci_fail(UPC_EINVAL, "upc_register_read: no place for the value");
	if (offset & 7 || offset > UPC_REG_THRESHOLD)
		return fail_offset(offset);
	if (offset < UPC_REG_CONFIG(0))
		error = upci_unit_current(u);
	else if (u->regs.run && offset != UPC_REG_START_STOP && offset != UPC_REG_THRESHOLD)
		error = upci_unit_update(u);
	if (!upci_unit_usable(error))
		return error;
	wrong = upci_unit_read_register(u, offset, value);
	return wrong ? fail_offset(offset) : error;
}

/* Check whether software may change the field of counter i from now to then. Return 0, or an error with
 * message. */
static int check_counter_field(const struct upc_unit *u, unsigned i, uint8_t now, uint8_t then)
{
	const struct upci_binding *b = &u->binding[i];
	const bool changes = (now ^ then) & (UPC_FIELD_INPUT | UPC_FIELD_MODE);

	if (changes && !u->registers->elsewhere)
		return upci_fail(UPC_ENOSUPP,
				 "counter %u: a live source has no signals to switch between: inputs are "
				 "changed by adding events, and the mode is rise",
				 i);
	if (u->thresholds.period[i] && !upci_unit_takes_in(u, i) && !(then & UPC_FIELD_INTERRUPT_ENABLE))
		return upci_fail(UPC_ESTATE,
				 "counter %u: %s has a threshold, which needs the interrupt enabled: take "
				 "it away first",
				 i, b->event->name);
	if (changes && b->references)
		return upci_fail(UPC_ENOSUPP,
				 "counter %u counts %s: add or remove events to have it count another", i,
				 b->event->name);
	return 0;
}

static int write_config_register(struct upc_unit *u, unsigned offset, uint64_t value)
{
	unsigned first = (offset - UPC_REG_CONFIG(0)) / 8 * 8, i;
	int error = 0;

	upci_unit_refresh(u);
	for (i = 0; i < 8 && !error; i++)
		error = check_counter_field(u, first + i, u->regs.field[first + i],
					    (uint8_t)(value >> (8 * i)));
	for (i = 0; i < 8 && !error; i++)
		upci_unit_write_field(u, first + i, (uint8_t)(value >> (8 * i)));
	return error;
}

/* Write a counter's register. If the unit takes in the counter, the register holds the event's count.
 * Otherwise it holds the raw value, which includes the preload of a threshold. */
static int write_raw(struct upc_unit *u, unsigned i, uint64_t value)
{
	int error = upci_unit_check_no_level(&u->binding[i]);

	if (!error)
		error = upci_unit_check_preset(u);
	if (error)
		return error;
	upci_unit_repaired(u, i);
	if (upci_unit_takes_in(u, i))
		return upci_unit_preset(u, i, value);
	upci_unit_write_counter(u, i, value);
	return 0;
}

int upc_register_write(struct upc_unit *u, unsigned offset, uint64_t value)
{
	bool configuration = false;
	int error = 0;

	if (offset & 7 || offset > UPC_REG_THRESHOLD)
		return fail_offset(offset);
	if (offset == UPC_REG_START_STOP)
		return value & 1 ? upc_unit_start(u) : upc_unit_stop(u);
	/* Counts until now belong to the registers as they were before the write. */
	upci_unit_catch_up(u);
	if (u->regs.run && offset != UPC_REG_STATUS)
		error = upci_unit_update(u);
	if (!upci_unit_usable(error))
		return error;
	error = 0;
	if (offset < UPC_REG_CONFIG(0)) {
		error = write_raw(u, offset / 8, value);
	} else if (offset < UPC_REG_START_STOP) {
		error = write_config_register(u, offset, value);
		configuration = !error;
	} else if (offset == UPC_REG_THRESHOLD) {
		(void)u->registers->write(u, offset, value);
		configuration = true;
	}
	/* The status register is read-only: a write changes nothing. */
	upci_unit_show(u, configuration);
	return error;
}
