/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restore.c - see restore.h. Saved counts of a place continue in the place of the same name. A counter whose
 * counts cannot continue in all its places begins at 0, with a new id.
 * Terms: service/service.h.
 */
#include <stdlib.h>
#include <string.h>

#include "service/restore.h"

void restore_ids(struct counters *c, const struct saved_state *was)
{
	unsigned skip = was->whole ? 0 : RESTORE_SKIP;

	c->next_id = was->next_id + skip;
	c->next_number = was->next_number;
	c->generation = was->generation + 1 + skip;
}

static const struct saved_cell *find_cell(const struct saved_counter *counter, const char *place)
{
	for (unsigned i = 0; i < counter->cells; i++)
		if (!strcmp(counter->cell[i].place, place))
			return &counter->cell[i];
	return NULL;
}

/* True if each place can continue its saved sums: the event may consist of other terms today. */
static bool fits_saved_counter(const struct counters *c, const struct counters_counter *counter,
			       const struct saved_counter *was)
{
	for (unsigned i = 0; i < c->places[counter->scope]; i++) {
		const struct place_cell *cell = counters_cell(c, counter, i);
		const struct saved_cell *from = find_cell(was, c->place[counter->scope][i].name);

		if (from && from->terms && cell->known && cell->terms != from->terms)
			return false;
	}
	return true;
}

/* Set a cell from its saved state. An event that is unknown today keeps its sums until it is known. */
static void set_cell(struct place_cell *cell, const struct saved_cell *from)
{
	if (!cell->known && !cell->term && from->terms) {
		cell->term = calloc(from->terms, sizeof(*cell->term));
		cell->terms = cell->term ? from->terms : 0;
	}
	for (unsigned i = 0; i < cell->terms && i < from->terms; i++)
		cell->term[i].sum = from->sum[i];
	cell->value = from->value;
	cell->value_ns = from->value_ns;
	cell->running_ns = cell->judged_ran = from->running_ns;
}

static void set_counter(struct counters *c, struct counters_counter *counter, const struct saved_counter *was)
{
	counter->id = was->id;
	for (unsigned i = 0; i < c->places[counter->scope]; i++) {
		const struct saved_cell *from = find_cell(was, c->place[counter->scope][i].name);

		if (from)
			set_cell(counters_cell(c, counter, i), from);
	}
}

/* False if the scope has no place today (a control group that is no longer configured). */
static bool has_saved_places(const struct counters *c, const struct saved_counter *was)
{
	return c->places[was->scope] > 0;
}

int restore_all(struct counters *c, const struct saved_state *was)
{
	int error = 0;
	unsigned failed;

	for (unsigned i = 0; i < was->counters && !error; i++) {
		const struct saved_counter *from = &was->counter[i];
		const struct counters_add add = {.event = from->event,
						 .as = from->name,
						 .scope = (int)from->scope,
						 .optional = from->optional,
						 .halted = from->halted,
						 .number = from->number};

		if (!has_saved_places(c, from) || counters_find(c, from->name))
			continue;
		error = counters_add(c, &add, 1, true, &failed);
		if (!error && was->whole && fits_saved_counter(c, c->counter[c->counters - 1], from))
			set_counter(c, c->counter[c->counters - 1], from);
	}
	return error;
}

unsigned restore_same(struct counters *c, const struct saved_state *was)
{
	unsigned n = 0;

	for (unsigned i = 0; i < was->counters && was->whole; i++) {
		const struct saved_counter *from = &was->counter[i];
		struct counters_counter *counter = counters_find(c, from->name);

		if (!counter || strcmp(counter->given, from->event) || counter->scope != from->scope ||
		    !fits_saved_counter(c, counter, from))
			continue;
		set_counter(c, counter, from);
		n++;
	}
	return n;
}
