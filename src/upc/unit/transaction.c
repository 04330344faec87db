/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transaction.c - changes the set of events that a unit counts. A transaction collects changes. Its commit
 * gives all events counters, opens the new events, and then makes all changes at once (as in BGL and
 * BGLperfctr).
 *
 * A commit works on a plan: the future entries and counters. The unit is not changed until the plan is
 * complete and all new events are open. After that nothing can fail.
 *
 * Terms: unit/unit.h, base/source.h, base/event.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/notice.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "unit/unit_time.h"
#include "base/words.h"

struct op {
	enum { ADD, REMOVE, REASSIGN } what;
	uint32_t code, to;
	int counter;
};

struct upc_transaction {
	struct upc_unit *unit;
	struct op *op;
	unsigned ops, room;
};

#define NOWHERE (-1)

/* A plain event that the plan counts with one counter: an added event, or a term of a derived event. */
struct leaf {
	uint32_t code;
	unsigned references;
	int wanted; /* counter that the caller asked for, or UPC_ANY_COUNTER */
	int from;   /* counter that the event has before the commit, or NOWHERE */
	int counter;
	int input;
	struct upci_binding binding;
};

struct plan {
	struct upc_unit *unit;
	struct upci_entry *entry; /* old entries share their counter arrays with the unit */
	unsigned entries;
	struct leaf leaf[UPC_COUNTERS + 1];
	unsigned leaves;
	int owner[UPC_COUNTERS]; /* leaf that has the counter, or NOWHERE */
	/* A copy of parts of the unit from before the change. The copy is not on the stack, since a thread's
	 * stack may have only 32 KiB. */
	struct {
		struct upci_regs regs;
		struct upci_thresholds thresholds;
		struct upci_source_time time[UPC_COUNTERS];
		struct upci_binding binding[UPC_COUNTERS];
	} before;
	struct upci_binding closing[UPC_COUNTERS];
};

int upc_transaction_begin(struct upc_unit *unit, struct upc_transaction **transaction)
{
	struct upc_transaction *t;
	int error;

	(void)upci_words_prepare();
	if (!unit || !transaction)
		return upci_fail(UPC_EINVAL, "upc_transaction_begin: a unit and a place are needed");
	if (unit->transaction)
		return upci_fail(UPC_ESTATE, "a transaction is open: commit or abort it first");
	error = upci_unit_check_idle(unit, "changed");
	if (error)
		return error;
	t = calloc(1, sizeof(*t));
	if (!t)
		return upci_fail(UPC_ENOMEM, "no memory for a transaction");
	t->unit = unit;
	unit->transaction = t;
	*transaction = t;
	return 0;
}

void upci_transaction_free(struct upc_transaction *t)
{
	if (!t)
		return;
	t->unit->transaction = NULL;
	free(t->op);
	free(t);
}

void upc_transaction_abort(struct upc_transaction *t)
{
	upci_transaction_free(t);
}

static int append_op(struct upc_transaction *t, struct op op)
{
	if (t->ops == t->room) {
		unsigned room = t->room ? t->room * 2 : 16;
		struct op *grown = realloc(t->op, room * sizeof(*grown));

		if (!grown)
			return upci_fail(UPC_ENOMEM, "no memory for a transaction of %u changes", t->ops + 1);
		t->op = grown;
		t->room = room;
	}
	t->op[t->ops++] = op;
	return 0;
}

/* Return the event if it can be counted here. Otherwise set *error, with message, and return NULL. */
static const struct upci_event *find_countable_event(struct upc_transaction *t, uint32_t code, int *error)
{
	const struct upci_event *event = upci_catalogue_event(t->unit->catalogue, code);

	if (!event)
		*error = upci_fail(UPC_ENOEVENT, "no event has the code %u", code);
	else if (event->driver.source == UPC_SOURCE_NONE)
		*error = upci_fail(UPC_ENOEVENT, "%s: nothing on this machine drives it: %s", event->name,
				   event->why ? event->why : "no source is wired to it");
	else
		return event;
	return NULL;
}

int upc_transaction_add(struct upc_transaction *t, uint32_t code, int counter)
{
	const struct upci_event *event;
	int error = 0;

	if (counter != UPC_ANY_COUNTER && (counter < 0 || counter >= UPC_COUNTERS))
		return upci_fail(UPC_EINVAL, "%d is no counter: they are 0 to %d", counter, UPC_COUNTERS - 1);
	event = find_countable_event(t, code, &error);
	if (!event)
		return error;
	if (counter != UPC_ANY_COUNTER && event->driver.source == UPC_SOURCE_DERIVED)
		return upci_fail(UPC_ENOSUPP,
				 "%s: a derived event has several counters; it cannot be given one",
				 event->name);
	if (counter != UPC_ANY_COUNTER && event->id != UPC_NO_ID && event->id % UPC_COUNTERS != counter)
		return upci_fail(UPC_ENOSUPP, "%s: event %d is an input of counter %d, not of counter %d",
				 event->name, event->id, event->id % UPC_COUNTERS, counter);
	return append_op(t, (struct op){ADD, code, 0, counter});
}

int upc_transaction_remove(struct upc_transaction *t, uint32_t code)
{
	return append_op(t, (struct op){REMOVE, code, 0, NOWHERE});
}

int upc_transaction_reassign(struct upc_transaction *t, uint32_t from, uint32_t to)
{
	const struct upci_event *old = upci_catalogue_event(t->unit->catalogue, from), *event;
	int error = 0;

	event = find_countable_event(t, to, &error);
	if (!event)
		return error;
	if (!old)
		return upci_fail(UPC_ENOEVENT, "no event has the code %u", from);
	if (old->driver.source == UPC_SOURCE_DERIVED || event->driver.source == UPC_SOURCE_DERIVED)
		return upci_fail(UPC_ENOSUPP,
				 "%s: a derived event has several counters; add and remove it instead",
				 old->driver.source == UPC_SOURCE_DERIVED ? old->name : event->name);
	return append_op(t, (struct op){REASSIGN, from, to, NOWHERE});
}

/* ---- the plan: which events -------------------------------------------- */

static int find_entry(const struct plan *p, uint32_t code)
{
	unsigned i;

	for (i = 0; i < p->entries; i++)
		if (p->entry[i].code == code)
			return (int)i;
	return -1;
}

static const char *name_of_code(const struct plan *p, uint32_t code)
{
	const struct upci_event *event = upci_catalogue_event(p->unit->catalogue, code);

	return event ? event->name : "(unknown event)";
}

static int fail_absent(const struct plan *p, uint32_t code)
{
	return upci_fail(UPC_EINVAL, "%s is not added to this unit", name_of_code(p, code));
}

static int plan_add(struct plan *p, uint32_t code)
{
	const struct upci_event *event = upci_catalogue_event(p->unit->catalogue, code);
	int e = find_entry(p, code);

	if (e >= 0) {
		p->entry[e].references++;
		return 0;
	}
	if (p->entries == UPC_EVENTS_MAX)
		return upci_fail(UPC_ECONFLICT, "%s: a unit takes at most %d events", event->name,
				 UPC_EVENTS_MAX);
	p->entry[p->entries] = (struct upci_entry){.code = code, .references = 1, .wish = UPC_ANY_COUNTER};
	if (event->driver.source == UPC_SOURCE_DERIVED)
		p->entry[p->entries].formula = event->driver.formula;
	p->entries++;
	return 0;
}

static int plan_remove(struct plan *p, uint32_t code)
{
	int e = find_entry(p, code);

	if (e < 0)
		return fail_absent(p, code);
	if (--p->entry[e].references)
		return 0;
	memmove(&p->entry[e], &p->entry[e + 1], (p->entries - (unsigned)e - 1) * sizeof(p->entry[0]));
	p->entries--;
	return 0;
}

static int plan_reassign(struct plan *p, uint32_t from, uint32_t to)
{
	int e = find_entry(p, from);

	if (e < 0)
		return fail_absent(p, from);
	if (find_entry(p, to) >= 0)
		return upci_fail(UPC_ECONFLICT, "%s is counted already", name_of_code(p, to));
	/* In a chain of reassignments, the wish is the counter of the first event. */
	if (p->entry[e].wish == UPC_ANY_COUNTER)
		p->entry[e].wish = p->entry[e].counter ? p->entry[e].first : UPC_ANY_COUNTER;
	p->entry[e].code = to;
	p->entry[e].counter = NULL;
	return 0;
}

static int plan_entries(struct plan *p, const struct upc_transaction *t)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < t->ops && !error; i++)
		switch (t->op[i].what) {
		case ADD:
			error = plan_add(p, t->op[i].code);
			break;
		case REMOVE:
			error = plan_remove(p, t->op[i].code);
			break;
		case REASSIGN:
			error = plan_reassign(p, t->op[i].code, t->op[i].to);
			break;
		}
	return error;
}

/* ---- the plan: which counters ------------------------------------------ */

/* Return the code that stands for all names of an event, so that one counter counts them all. */
static uint32_t canonical_code(const struct plan *p, uint32_t code)
{
	const struct upci_event *event = upci_catalogue_event(p->unit->catalogue, code);

	return event && event->same_as ? event->same_as - 1 : code;
}

static struct leaf *find_leaf(struct plan *p, uint32_t code)
{
	unsigned i;

	code = canonical_code(p, code);
	for (i = 0; i < p->leaves; i++)
		if (canonical_code(p, p->leaf[i].code) == code)
			return &p->leaf[i];
	return NULL;
}

static int need_leaf(struct plan *p, uint32_t code)
{
	struct leaf *leaf = find_leaf(p, code);
	unsigned i;

	if (leaf) {
		leaf->references++;
		return 0;
	}
	if (p->leaves == UPC_COUNTERS)
		return upci_fail(UPC_ECONFLICT,
				 "%s: all %d counters are taken; remove an event, or count it in another set",
				 name_of_code(p, code), UPC_COUNTERS);
	leaf = &p->leaf[p->leaves++];
	*leaf = (struct leaf){.code = code,
			      .references = 1,
			      .wanted = UPC_ANY_COUNTER,
			      .from = NOWHERE,
			      .counter = NOWHERE};
	for (i = 0; i < p->unit->actives; i++)
		if (canonical_code(p, p->unit->binding[p->unit->active[i]].code) == canonical_code(p, code))
			leaf->from = p->unit->active[i];
	return 0;
}

static int plan_leaves(struct plan *p)
{
	unsigned i, k;
	int error = 0;

	for (i = 0; i < p->entries && !error; i++) {
		const struct upci_formula *formula = p->entry[i].formula;

		if (!formula)
			error = need_leaf(p, p->entry[i].code);
		for (k = 0; formula && k < formula->terms && !error; k++)
			error = need_leaf(p, formula->term[k].code);
	}
	return error;
}

static int claim_counter(struct plan *p, struct leaf *leaf, int counter)
{
	int other = p->owner[counter];

	if (other != NOWHERE)
		return upci_fail(UPC_ECONFLICT, "%s and %s need the same counter %d; count them in two sets",
				 name_of_code(p, p->leaf[other].code), name_of_code(p, leaf->code), counter);
	leaf->counter = counter;
	p->owner[counter] = (int)(leaf - p->leaf);
	return 0;
}

static int wish_for_counter(struct plan *p, struct leaf *leaf, int counter)
{
	if (leaf->wanted != UPC_ANY_COUNTER && leaf->wanted != counter)
		return upci_fail(UPC_ECONFLICT, "%s cannot have counter %d and counter %d",
				 name_of_code(p, leaf->code), leaf->wanted, counter);
	leaf->wanted = counter;
	return 0;
}

/* Record the counters that the caller chose by number for added events, and the counters of reassigned
 * events, as the wanted counters of leaves. */
static int take_counter_wishes(struct plan *p, const struct upc_transaction *t)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < t->ops && !error; i++) {
		struct leaf *leaf = t->op[i].what == ADD ? find_leaf(p, t->op[i].code) : NULL;

		if (leaf && t->op[i].counter != UPC_ANY_COUNTER)
			error = wish_for_counter(p, leaf, t->op[i].counter);
	}
	for (i = 0; i < p->entries && !error; i++) {
		struct leaf *leaf =
			p->entry[i].wish == UPC_ANY_COUNTER ? NULL : find_leaf(p, p->entry[i].code);

		if (!leaf)
			continue;
		if (leaf->from != NOWHERE && leaf->from != p->entry[i].wish)
			return upci_fail(UPC_ECONFLICT, "%s is counted already, by counter %d",
					 name_of_code(p, leaf->code), leaf->from);
		error = wish_for_counter(p, leaf, p->entry[i].wish);
	}
	return error;
}

/*
 * Give each leaf a counter. Leaves that need a certain counter come first: Blue Gene/P events, then wishes.
 * Then each leaf that can keep its counter keeps it, and the rest take the lowest free counters.
 */
static int place_leaves(struct plan *p)
{
	unsigned i;
	int error = 0, next = 0;

	for (i = 0; i < UPC_COUNTERS; i++)
		p->owner[i] = NOWHERE;
	for (i = 0; i < p->leaves && !error; i++) {
		struct leaf *leaf = &p->leaf[i];
		int id = upci_catalogue_event(p->unit->catalogue, leaf->code)->id;

		if (id == UPC_NO_ID)
			continue;
		if (leaf->wanted != UPC_ANY_COUNTER && leaf->wanted != id % UPC_COUNTERS)
			return upci_fail(UPC_ENOSUPP,
					 "%s: event %d is an input of counter %d, not of counter %d",
					 name_of_code(p, leaf->code), id, id % UPC_COUNTERS, leaf->wanted);
		error = claim_counter(p, leaf, id % UPC_COUNTERS);
	}
	for (i = 0; i < p->leaves && !error; i++)
		if (p->leaf[i].counter == NOWHERE && p->leaf[i].wanted != UPC_ANY_COUNTER)
			error = claim_counter(p, &p->leaf[i], p->leaf[i].wanted);
	for (i = 0; i < p->leaves && !error; i++) {
		struct leaf *leaf = &p->leaf[i];

		if (leaf->counter == NOWHERE && leaf->from != NOWHERE && p->owner[leaf->from] == NOWHERE)
			error = claim_counter(p, leaf, leaf->from);
	}
	for (i = 0; i < p->leaves && !error; i++) {
		if (p->leaf[i].counter != NOWHERE)
			continue;
		while (p->owner[next] != NOWHERE)
			next++;
		error = claim_counter(p, &p->leaf[i], next);
	}
	return error;
}

/* Choose the input of a leaf's counter. A Blue Gene/P event has a fixed input. A host event takes input 2 or
 * 3 of the panel, whichever the counter did not have before, so that a change of event is a change of
 * input. */
static void choose_input(struct plan *p, struct leaf *leaf)
{
	int id = upci_catalogue_event(p->unit->catalogue, leaf->code)->id;
	int before = p->unit->regs.field[leaf->counter] & UPC_FIELD_INPUT;

	if (id != UPC_NO_ID)
		leaf->input = id / UPC_COUNTERS;
	else if (leaf->from == leaf->counter)
		leaf->input = before;
	else
		leaf->input = before == 2 ? 3 : 2;
}

/* ---- opening the events and changing the unit -------------------------------- */

static void close_new(struct plan *p, unsigned n)
{
	while (n--)
		if (p->leaf[n].from == NOWHERE)
			upci_source_close(&p->unit->sources, &p->leaf[n].binding);
}

static int open_batch(struct plan *p)
{
	struct upc_unit *u = p->unit;
	unsigned i;
	int error = 0;

	upci_sources_begin_batch(&u->sources, true);
	for (i = 0; i < p->leaves; i++) {
		struct leaf *leaf = &p->leaf[i];

		if (leaf->from != NOWHERE) {
			leaf->binding = u->binding[leaf->from];
			leaf->binding.code = leaf->code;
		} else {
			leaf->binding = (struct upci_binding){
				.event = upci_catalogue_event(u->catalogue, leaf->code), .code = leaf->code};
			error = upci_source_open(&u->sources, &u->context, leaf->binding.event,
						 &leaf->binding);
		}
		if (error)
			break;
		leaf->binding.references = (uint16_t)leaf->references;
	}
	if (!error)
		error = upci_unit_grow_buffers(u, &u->sources);
	if (error)
		close_new(p, i);
	return error;
}

/* Open the new events. A child that starts, or a thread that ends in a counted process, spoils the batch that
 * is being opened. The batch is then opened again, which is unlikely to meet another such child or thread. */
static int open_new(struct plan *p)
{
	int tries, error = 0;

	for (tries = 0; tries < 20; tries++) {
		error = open_batch(p);
		if (error == UPC_ENOTASK && p->unit->context.kind == UPC_CONTEXT_PROCESS)
			continue;
		if (error || upci_sources_check_batch(&p->unit->sources))
			return error;
		close_new(p, p->leaves);
	}
	if (error)
		return error;
	return upci_fail(UPC_ESYSTEM,
			 "children are started faster than events can be opened for them to inherit; "
			 "add the events before");
}

/* Allocate and fill the array of counters of each entry. */
static int allocate_counters(struct plan *p, uint16_t **counters)
{
	unsigned i;

	for (i = 0; i < p->entries; i++) {
		unsigned n = p->entry[i].formula ? p->entry[i].formula->terms : 1, k;

		counters[i] = calloc(n ? n : 1, sizeof(uint16_t));
		if (!counters[i]) {
			while (i--)
				free(counters[i]);
			return upci_fail(UPC_ENOMEM, "no memory for the counters of %u events", p->entries);
		}
		for (k = 0; k < n; k++) {
			uint32_t code =
				p->entry[i].formula ? p->entry[i].formula->term[k].code : p->entry[i].code;

			counters[i][k] = (uint16_t)find_leaf(p, code)->counter;
		}
	}
	return 0;
}

/* True if the counter keeps its event. */
static bool stays_at_counter(const struct plan *p, unsigned counter)
{
	return p->owner[counter] != NOWHERE && p->leaf[p->owner[counter]].from == (int)counter;
}

/*
 * Change the unit to the plan; nothing here can fail. The process lock is held, so a fork finds the unit
 * either as it was or as planned. Store in p->closing the bindings whose sources are to be closed, and return
 * their number.
 */
static unsigned make_planned_unit_locked(struct plan *p, uint16_t **counters)
{
	const uint8_t carried =
		UPC_FIELD_INTERRUPT_ENABLE | UPC_FIELD_INTERRUPT_PENDING | UPC_FIELD_PARITY_ERROR;
	struct upc_unit *u = p->unit;
	bool kept[UPC_COUNTERS] = {false};
	unsigned i, n = 0;

	p->before.regs = u->regs;
	p->before.thresholds = u->thresholds;
	memcpy(p->before.time, u->time, sizeof(p->before.time));
	for (i = 0; i < p->leaves; i++)
		if (p->leaf[i].from != NOWHERE)
			kept[p->leaf[i].from] = true;
	for (i = 0; i < u->actives; i++) {
		unsigned counter = u->active[i];

		if (!kept[counter])
			p->closing[n++] = u->binding[counter];
		if (u->registers->vacate && !stays_at_counter(p, counter))
			u->registers->vacate(u, counter);
		memset(&u->binding[counter], 0, sizeof(u->binding[counter]));
		u->thresholds.period[counter] = u->thresholds.offset[counter] = 0;
		if (!kept[counter])
			upci_unit_repaired(u, counter);
		if (p->owner[counter] == NOWHERE) {
			upci_unit_write_field(u, counter, 0);
			upci_unit_write_counter(u, counter, 0);
		}
	}
	for (i = 0; i < p->leaves; i++) {
		struct leaf *leaf = &p->leaf[i];
		unsigned counter = (unsigned)leaf->counter;
		uint8_t field = (uint8_t)(leaf->input | (unsigned)upci_event_mode(leaf->binding.event) << 2);

		u->binding[counter] = leaf->binding;
		if (leaf->from == NOWHERE) {
			upci_unit_time_begin(u, counter);
		} else {
			u->time[counter] = p->before.time[leaf->from];
			u->thresholds.period[counter] = p->before.thresholds.period[leaf->from];
			u->thresholds.offset[counter] = p->before.thresholds.offset[leaf->from];
		}
		if (leaf->from == leaf->counter)
			continue;
		if (u->registers->bind)
			u->registers->bind(u, counter);
		if (leaf->from == NOWHERE) {
			upci_unit_write_field(u, counter, field);
			upci_unit_write_counter(u, counter, 0);
			continue;
		}
		if (!upci_unit_takes_in(u, counter)) {
			upci_unit_write_field(u, counter, field);
			u->registers->preset(u, counter, p->before.regs.counter[leaf->from]);
			if (u->registers->moved)
				u->registers->moved(u, counter);
			continue;
		}
		/* A host event that moves to another counter takes along its value and the state of its
		 * threshold. */
		u->regs.field[counter] = field | (p->before.regs.field[leaf->from] & carried);
		u->regs.counter[counter] = p->before.regs.counter[leaf->from];
		upci_regs_arm(&u->regs, counter);
	}
	for (i = 0; i < u->entries; i++)
		free(u->entry[i].counter);
	free(u->entry);
	for (i = 0; i < p->entries; i++) {
		p->entry[i].counter = counters[i];
		p->entry[i].first = counters[i][0];
	}
	u->entry = p->entry;
	u->entries = p->entries;
	p->entry = NULL;
	upci_unit_reindex(u);
	upci_unit_rearm(u);
	return n;
}

static void make_planned_unit(struct plan *p, uint16_t **counters)
{
	unsigned n;

	upci_process_lock();
	n = make_planned_unit_locked(p, counters);
	upci_process_unlock();
	while (n--)
		upci_source_close(&p->unit->sources, &p->closing[n]);
}

/* If the unit runs, take the present readings of sources that cannot be stopped as the base of the new
 * bindings. */
static void base_new(struct plan *p)
{
	struct upc_unit *u = p->unit;
	unsigned i;

	if (!u->regs.run)
		return;
	p->before.regs = u->regs;
	memcpy(p->before.binding, u->binding, sizeof(p->before.binding));
	upci_unit_base(u);
	for (i = 0; i < p->leaves; i++) {
		if (p->leaf[i].from == NOWHERE) {
			upci_unit_time_begin(u, (unsigned)p->leaf[i].counter);
			continue;
		}
		u->binding[p->leaf[i].counter] = p->before.binding[p->leaf[i].counter];
		u->regs.counter[p->leaf[i].counter] = p->before.regs.counter[p->leaf[i].counter];
	}
}

static int commit_plan(struct plan *p, const struct upc_transaction *t)
{
	struct upc_unit *u = p->unit;
	uint16_t **counters = NULL;
	unsigned i;
	int error;

	upci_unit_refresh(u);
	if (u->entries)
		memcpy(p->entry, u->entry, u->entries * sizeof(*u->entry));
	p->entries = u->entries;
	for (i = 0; i < p->entries; i++)
		p->entry[i].wish = UPC_ANY_COUNTER;
	error = plan_entries(p, t);
	if (!error)
		error = plan_leaves(p);
	if (!error)
		error = take_counter_wishes(p, t);
	if (!error)
		error = place_leaves(p);
	if (!error)
		error = upci_unit_reopen(u);
	if (!error && u->context.enable_on_exec && u->started)
		error = upci_fail(UPC_ESTATE,
				  "a unit that starts at an exec takes its events before it is started");
	if (error)
		return error;
	for (i = 0; i < p->leaves; i++)
		choose_input(p, &p->leaf[i]);
	counters = calloc(p->entries + 1, sizeof(*counters));
	if (!counters)
		return upci_fail(UPC_ENOMEM, "no memory for %u events", p->entries);
	error = open_new(p);
	if (!error) {
		error = allocate_counters(p, counters);
		if (error)
			close_new(p, p->leaves);
	}
	if (!error) {
		/* Counts until now belong to the old bindings. The next read reports an error of a source as
		 * well. */
		if (u->regs.run)
			(void)upci_unit_update(u);
		for (i = 0; i < p->leaves; i++)
			if (p->leaf[i].from != NOWHERE) {
				unsigned references = p->leaf[i].binding.references;

				p->leaf[i].binding = u->binding[p->leaf[i].from];
				p->leaf[i].binding.code = p->leaf[i].code;
				p->leaf[i].binding.references = (uint16_t)references;
			}
		make_planned_unit(p, counters);
		base_new(p);
		upci_unit_show(u, true);
	}
	free(counters);
	return error;
}

int upc_transaction_commit(struct upc_transaction *t)
{
	struct upc_unit *unit = t->unit;
	struct plan *p = calloc(1, sizeof(*p));
	int error = upci_unit_check_idle(unit, "changed");

	if (p) {
		p->unit = unit;
		/* The unit keeps this array. Each operation adds at most one entry. */
		p->entry = calloc((size_t)unit->entries + t->ops + 1, sizeof(*p->entry));
	}
	if (!p || !p->entry)
		error = upci_fail(UPC_ENOMEM, "no memory to plan a transaction");
	else if (!error)
		error = commit_plan(p, t);
	if (p)
		free(p->entry);
	free(p);
	upci_transaction_free(t);
	upci_notices_tell();
	return error;
}

static int change_one_event(struct upc_unit *unit, uint32_t code, int what)
{
	struct upc_transaction *t;
	int error = upc_transaction_begin(unit, &t);

	if (error)
		return error;
	error = what == ADD ? upc_transaction_add(t, code, UPC_ANY_COUNTER) : upc_transaction_remove(t, code);
	if (error) {
		upc_transaction_abort(t);
		return error;
	}
	return upc_transaction_commit(t);
}

int upc_unit_add(struct upc_unit *unit, uint32_t code)
{
	return change_one_event(unit, code, ADD);
}

int upc_unit_remove(struct upc_unit *unit, uint32_t code)
{
	return change_one_event(unit, code, REMOVE);
}
