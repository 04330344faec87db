/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_read.c - takes the sources' readings into the registers, and has the public calls that read, preset
 * and reset counts.
 *
 * A binding remembers the last reading that was added to its register. The value of a register therefore does
 * not depend on how often it was read.
 *
 * Terms: unit/unit.h, base/source.h, engine/engine.h.
 */
#include <string.h>
#include <time.h>

#include "catalogue/formula.h"
#include "base/message.h"
#include "base/notice.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "unit/unit_time.h"

static uint64_t scale_by_driver(const struct upci_driver *driver, uint64_t value)
{
	return (uint64_t)((unsigned __int128)value * driver->mul / driver->div);
}

static void mark_binding_flag(struct upci_binding *b, uint16_t flag, const char *what)
{
	if (!(b->flags & flag))
		upci_notice("%s: %s", b->event->name, what);
	b->flags |= flag;
}

/* Set the flags of a binding that follow from its source's state. */
static void mark_state(struct upci_binding *b, enum upci_source_state how)
{
	switch (how) {
	case UPCI_SOURCE_EXACT:
	case UPCI_SOURCE_LOST:
		break;
	case UPCI_SOURCE_NEVER:
		mark_binding_flag(b, UPC_COUNTER_NEVER, "the PMU never had a counter for it: not counted");
		break;
	case UPCI_SOURCE_PARTIAL:
		b->flags &= (uint16_t)~UPC_COUNTER_NEVER;
		b->silent = false;
		mark_binding_flag(b, UPC_COUNTER_PARTIAL, "its hardware counter ran only part of the time");
		break;
	case UPCI_SOURCE_SILENT:
		if (!(b->flags & UPC_COUNTER_PARTIAL))
			b->silent = true;
		mark_binding_flag(b, UPC_COUNTER_PARTIAL, "its overflow signals have lost their counter");
		break;
	}
}

static uint64_t as_event(const struct upci_binding *b, uint64_t value)
{
	return b->as_is ? value : scale_by_driver(&b->event->driver, value);
}

/* Get the present reading of a binding's source. False if the source is lost. */
static bool reading_of_binding(struct upc_unit *u, struct upci_binding *b, uint64_t *value)
{
	const struct upci_readings *r = &u->reading[b->source];
	const enum upci_source_state state = r->state[b->handle];

	if (state == UPCI_SOURCE_LOST) {
		mark_binding_flag(b, UPC_COUNTER_LOST, u->sources.of[b->source]->ops->gone);
		return false;
	}
	/* A lost source may come back. */
	b->flags &= (uint16_t)~UPC_COUNTER_LOST;
	mark_state(b, state);
	*value = as_event(b, r->value[b->handle]);
	return true;
}

/*
 * Return the growth of a count since the last reading. Some of the kernel's sums over CPUs go back a little
 * between reads. Nothing is then added until the sum passes the old reading. A reading below half of the last
 * one means that the source began again at 0.
 */
static uint64_t growth_of_count(struct upci_binding *b, uint64_t now)
{
	uint64_t grown;

	if (now >= b->last) {
		grown = now - b->last;
		b->last = now;
		return grown;
	}
	if (now < b->last / 2) {
		upci_notice("%s: its source began anew; what it counted since the last read is lost",
			    b->event->name);
		b->last = now;
	}
	return 0;
}

/* Handle the common case, a count that only grew. Return false, with nothing done, in any other case. */
static inline bool take_in_plain(struct upc_unit *u, unsigned i)
{
	struct upci_binding *b = &u->binding[i];
	const struct upci_readings *r;
	uint64_t now;

	if (!b->plain || b->flags)
		return false;
	r = &u->reading[b->source];
	now = r->value[b->handle];
	if (r->state[b->handle] != UPCI_SOURCE_EXACT || now < b->last)
		return false;
	upci_regs_add(&u->regs, i, now - b->last);
	b->last = now;
	return true;
}

static void take_level_reading(struct upc_unit *u, unsigned i, uint64_t now)
{
	if (u->binding[i].flags & UPC_COUNTER_HALTED)
		return;
	u->binding[i].level_read = true;
	upci_regs_set_level(&u->regs, i, now);
}

static void take_in(struct upc_unit *u, unsigned i)
{
	struct upci_binding *b = &u->binding[i];
	uint64_t now;

	if (!reading_of_binding(u, b, &now)) {
		upci_unit_time_lose(u, i);
		return;
	}
	if (b->is_level) {
		take_level_reading(u, i, now);
		return;
	}
	if (b->flags & UPC_COUNTER_HALTED && !b->stops) {
		b->last = now;
		return;
	}
	upci_regs_add(&u->regs, i, growth_of_count(b, now));
}

/* Which sources to read: all, those that stop, or those that cannot be stopped. Each source takes one call.
 */
enum which { ALL, STOPPING, GOING };

static int read_sources(struct upc_unit *u, enum which which)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < u->readers && !error; i++) {
		struct upci_readings *r = &u->reading[u->reader[i]];
		struct upci_source *source = u->sources.of[u->reader[i]];

		if (which == ALL || (source->ops->stops != NULL) == (which == STOPPING))
			error = source->ops->read(source, r->value, r->state);
	}
	return error;
}

bool upci_unit_take_stopped(struct upc_unit *u)
{
	const uint16_t bad = UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER | UPC_COUNTER_LOST;
	bool whole = !read_sources(u, STOPPING);
	unsigned a;

	for (a = 0; whole && a < u->actives; a++) {
		const struct upci_binding *b = &u->binding[u->active[a]];

		if (b->stops)
			take_in(u, u->active[a]);
		whole = !(b->flags & bad);
	}
	return whole;
}

int upci_unit_pass_over(struct upc_unit *u)
{
	unsigned a, i;
	int error = 0;

	for (i = 0; i < u->readers && !error; i++) {
		struct upci_readings *r = &u->reading[u->reader[i]];
		struct upci_source *source = u->sources.of[u->reader[i]];

		if (source->ops->stops)
			error = source->ops->stops->pass_over(source, r->value, r->state);
	}
	for (a = 0; a < u->actives && !error; a++) {
		struct upci_binding *b = &u->binding[u->active[a]];

		if (b->stops)
			b->last = as_event(b, u->reading[b->source].value[b->handle]);
	}
	return error;
}

static int fail_partial(const struct upci_binding *b)
{
	if (b->flags & UPC_COUNTER_NEVER)
		return upci_fail(UPC_EPARTIAL,
				 "%s: not counted: the PMU never had a counter for it (another user "
				 "of the PMU, or more events than it has); count fewer hardware events",
				 b->event->name);
	if (b->silent)
		return upci_fail(UPC_EPARTIAL,
				 "%s: its overflow signals have lost their counter to others that use the "
				 "PMU as well; it counted all the time, but was not signalled; stop the "
				 "unit, and those, and start it again",
				 b->event->name);
	return upci_fail(UPC_EPARTIAL,
			 "%s: counted only part of the time: others use the PMU as well; "
			 "count fewer hardware events",
			 b->event->name);
}

int upci_unit_check_counted(const struct upc_unit *u)
{
	const uint16_t bad = UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER;
	unsigned a;

	for (a = 0; a < u->actives; a++)
		if (u->binding[u->active[a]].flags & bad)
			return fail_partial(&u->binding[u->active[a]]);
	return 0;
}

int upci_unit_update(struct upc_unit *u)
{
	const uint16_t partial = UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER;
	const struct upci_binding *worst = NULL;
	unsigned a;
	int error;

	if (u->regs.run)
		upci_unit_clock_step(u);
	upci_unit_refresh(u);
	if (u->forked)
		return 0;
	error = u->regs.run ? read_sources(u, ALL) : 0;
	if (error)
		return error;
	u->partial = false;
	for (a = 0; u->regs.run && a < u->actives; a++) {
		const struct upci_binding *b = &u->binding[u->active[a]];

		if (take_in_plain(u, u->active[a]) || b->source == UPCI_SOURCE_ROWS)
			continue;
		take_in(u, u->active[a]);
		if (!(b->flags & (partial | UPC_COUNTER_LOST)))
			continue;
		u->partial = u->partial || b->flags & partial;
		worst = b;
	}
	upci_unit_show_copy(u);
	if (!worst)
		return 0;
	if (worst->flags & partial)
		return fail_partial(worst);
	return upci_fail(UPC_ELOST,
			 "%s: its source is gone (a thread that ended, an interface that was removed); "
			 "the counter keeps the last value; remove the event to go on",
			 worst->event->name);
}

int upci_unit_base(struct upc_unit *u)
{
	unsigned a;
	int error;

	upci_unit_clock_step(u);
	if (!u->goers)
		return 0;
	error = read_sources(u, GOING);
	for (a = 0; !error && a < u->actives; a++) {
		struct upci_binding *b = &u->binding[u->active[a]];
		uint64_t now;

		if (b->stops || !upci_unit_takes_in(u, u->active[a]) || !reading_of_binding(u, b, &now))
			continue;
		if (b->is_level)
			take_level_reading(u, u->active[a], now);
		else
			b->last = now;
	}
	return error;
}

/* ---- public reads ------------------------------------------------------ */

static uint64_t entry_value(const struct upc_unit *u, const struct upci_entry *e)
{
	uint64_t value[UPCI_TERMS_MAX];
	unsigned i;

	if (!e->formula)
		return upci_unit_count(u, e->first);
	for (i = 0; i < e->formula->terms; i++)
		value[i] = upci_unit_count(u, e->counter[i]);
	return upci_formula_value(e->formula, value);
}

int upci_unit_entry(const struct upc_unit *u, uint32_t code)
{
	uint32_t slot = code & (UPCI_INDEX_SIZE - 1);

	for (; u->index[slot]; slot = (slot + 1) & (UPCI_INDEX_SIZE - 1))
		if (u->entry[u->index[slot] - 1].code == code)
			return u->index[slot] - 1;
	return -1;
}

static int get_events(const struct upc_unit *u, const uint32_t *codes, unsigned n, uint64_t *values)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		/* Most callers ask for all events, in the order in which they added them. */
		int e = i < u->entries && u->entry[i].code == codes[i] ? (int)i
								       : upci_unit_entry(u, codes[i]);

		if (e < 0)
			return upci_fail(UPC_EINVAL, "event %u is not added to this unit", codes[i]);
		values[i] = entry_value(u, &u->entry[e]);
	}
	return 0;
}

int upc_unit_get_events(struct upc_unit *u, const uint32_t *codes, unsigned n, uint64_t *values)
{
	upci_unit_refresh(u);
	return get_events(u, codes, n, values);
}

int upc_unit_read_events(struct upc_unit *u, const uint32_t *codes, unsigned n, uint64_t *values)
{
	int error = upci_unit_current(u), wrong;
	unsigned i;

	if (!upci_unit_usable(error))
		return error;
	for (i = 0; u->doubtful && i < n && !error; i++) {
		int e = upci_unit_entry(u, codes[i]);

		error = e < 0 ? 0 : upci_unit_check_entry(u, &u->entry[e]);
	}
	upci_unit_copy(u);
	wrong = get_events(u, codes, n, values);
	return wrong ? wrong : error;
}

int upc_unit_read_added(struct upc_unit *u, uint64_t *values, unsigned n)
{
	const uint64_t *counter = u->regs.counter, *offset = u->thresholds.offset;
	int error = upci_unit_current(u);
	unsigned i;

	if (!upci_unit_usable(error))
		return error;
	if (n != u->entries)
		return upci_fail(UPC_EINVAL, "%u events are added to this unit, not %u", u->entries, n);
	for (i = 0; u->doubtful && i < n && !error; i++)
		error = upci_unit_check_entry(u, &u->entry[i]);
	upci_unit_copy(u);
	for (i = 0; i < n; i++)
		values[i] = counter[u->first[i]] - (u->has_periods ? offset[u->first[i]] : 0);
	for (i = 0; i < u->deriveds; i++)
		values[u->derived[i]] = entry_value(u, &u->entry[u->derived[i]]);
	return error;
}

int upc_unit_read(struct upc_unit *u, uint64_t *values)
{
	int error = upci_unit_current(u);
	bool usable = upci_unit_usable(error);
	unsigned i;

	if (usable && u->doubtful && !error)
		error = upci_unit_check_all(u);
	upci_unit_copy(u);
	for (i = 0; usable && values && i < UPC_COUNTERS; i++)
		values[i] = upci_unit_count(u, i);
	upci_notices_tell();
	return error;
}

/* Preset a counter for the user. A write by the user repairs any damage. */
static int preset_unit_counter(struct upc_unit *u, unsigned i, uint64_t count)
{
	upci_unit_repaired(u, i);
	return upci_unit_preset(u, i, count);
}

int upc_unit_write_events(struct upc_unit *u, const uint32_t *codes, unsigned n, const uint64_t *values)
{
	unsigned i;
	int error, e;

	for (i = 0; i < n; i++) {
		e = upci_unit_entry(u, codes[i]);
		if (e < 0)
			return upci_fail(UPC_EINVAL, "event %u is not added to this unit", codes[i]);
		if (u->entry[e].formula)
			return upci_fail(UPC_ENOSUPP,
					 "%s: a derived event has no counter of its own to preset",
					 upci_catalogue_event(u->catalogue, codes[i])->name);
		error = upci_unit_check_no_level(&u->binding[u->entry[e].first]);
		if (error)
			return error;
	}
	error = upci_unit_check_preset(u);
	if (error)
		return error;
	error = upci_unit_current(u);
	if (!upci_unit_usable(error))
		return error;
	/* Set all counts, even if the kernel fails at one of them. */
	for (error = 0, i = 0; i < n; i++) {
		int failed = preset_unit_counter(u, u->entry[upci_unit_entry(u, codes[i])].first, values[i]);

		error = error ? error : failed;
	}
	upci_unit_show(u, false);
	return error;
}

int upc_unit_reset(struct upc_unit *u)
{
	int error = upci_unit_check_preset(u), failed;
	unsigned a, i;

	if (error)
		return error;
	error = upci_unit_current(u);
	if (!upci_unit_usable(error))
		return error;
	/* Forget the states of the sources: an event that was not counting until now must not mark the counts
	 * that begin here. */
	upci_sources_rebase(&u->sources);
	upci_unit_time_begin_all(u);
	u->partial = false;
	u->registers->clear(u);
	for (error = 0, a = 0; a < u->actives; a++) {
		i = u->active[a];
		u->binding[i].flags &= (uint16_t) ~(UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER);
		if (u->binding[i].is_level || !upci_unit_takes_in(u, i))
			continue;
		failed = preset_unit_counter(u, i, 0);
		error = error ? error : failed;
	}
	upci_unit_show(u, false);
	return error;
}

int upc_unit_list(const struct upc_unit *u, uint32_t *codes, unsigned max)
{
	unsigned i;

	for (i = 0; i < u->entries && i < max; i++)
		codes[i] = u->entry[i].code;
	return (int)u->entries;
}
