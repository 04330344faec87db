/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_open.c - opens the sources of a unit: all of its events again, for another context or in the child of
 * a fork, and events that have waited for the start.
 * Terms: unit/unit.h, base/source.h, base/target.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "unit/unit_time.h"

/* The buffers never shrink: the old sources keep their handles until the new sources replace them. */
int upci_unit_grow_buffers(struct upc_unit *u, const struct upci_sources *sources)
{
	unsigned row;

	for (row = 0; row < UPCI_SOURCE_ROWS; row++) {
		struct upci_readings *r = &u->reading[row];
		const unsigned handles = sources->of[row]->handles;
		uint64_t *value;
		uint8_t *state;

		if (handles <= r->room)
			continue;
		value = reallocarray(r->value, handles, 2 * sizeof(*value));
		if (value)
			r->value = value;
		state = value ? reallocarray(r->state, handles, 2 * sizeof(*state)) : NULL;
		if (!state)
			return upci_fail(UPC_ENOMEM, "no memory for readings");
		r->state = state;
		r->room = 2 * handles;
	}
	return 0;
}

void upci_unit_reindex(struct upc_unit *u)
{
	bool reads[UPCI_SOURCE_ROWS] = {false};
	unsigned i;

	u->actives = u->deriveds = u->goers = u->readers = 0;
	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct upci_binding *b = &u->binding[i];

		if (!b->references)
			continue;
		u->active[u->actives++] = (uint16_t)i;
		if (b->source == UPCI_SOURCE_ROWS)
			continue;
		reads[b->source] = true;
		u->goers += !b->stops;
	}
	for (i = 0; i < UPCI_SOURCE_ROWS; i++)
		if (reads[i])
			u->reader[u->readers++] = (uint8_t)i;
	memset(u->index, 0, sizeof(u->index));
	for (i = 0; i < u->entries; i++) {
		uint32_t slot = u->entry[i].code & (UPCI_INDEX_SIZE - 1);

		u->first[i] = u->entry[i].first;
		if (u->entry[i].formula)
			u->derived[u->deriveds++] = (uint16_t)i;
		while (u->index[slot])
			slot = (slot + 1) & (UPCI_INDEX_SIZE - 1);
		u->index[slot] = (uint16_t)(i + 1);
	}
}

/* Open every bound event with new sources of a context. Set handles[a] to the new handle of active[a]. */
static int open_all_bound(struct upc_unit *u, const struct upci_context *context, enum upci_when when,
			  struct upci_sources *sources, int *handles)
{
	unsigned a;
	int error = upci_sources_create(sources, context);

	if (!error)
		upci_sources_begin_batch(sources, when == UPCI_OPEN_LATER);
	for (a = 0; !error && a < u->actives; a++) {
		struct upci_binding binding = u->binding[u->active[a]];

		error = upci_source_open(sources, context, binding.event, &binding);
		handles[a] = binding.handle;
	}
	if (!error)
		error = upci_unit_reopen_thresholds(u, sources, context, handles);
	if (!error)
		error = upci_unit_grow_buffers(u, sources);
	if (!error && !upci_sources_check_batch(sources))
		error = upci_fail(UPC_ESYSTEM,
				  "children were started while events were opened for them to inherit");
	if (error)
		upci_sources_destroy(sources);
	return error;
}

int upci_unit_replace_sources(struct upc_unit *u, const struct upci_context *context, enum upci_when when)
{
	struct upci_sources sources, old;
	int handles[UPC_COUNTERS];
	unsigned a;
	int error = open_all_bound(u, context, when, &sources, handles);

	if (error)
		return error;
	upci_unit_time_keep(u);
	/* A child that is forked meanwhile finds either the old sources or the new ones. */
	upci_process_lock();
	old = u->sources;
	u->sources = sources;
	u->context = *context;
	for (a = 0; a < u->actives; a++) {
		struct upci_binding *b = &u->binding[u->active[a]];

		b->handle = handles[a];
		b->flags &= UPC_COUNTER_HALTED;
		b->last = 0;
	}
	u->forked = false;
	u->started = u->partial = false;
	upci_unit_rearm(u);
	upci_process_unlock();
	upci_sources_destroy(&old);
	return 0;
}

int upci_unit_reopen(struct upc_unit *u)
{
	return u->forked ? upci_unit_replace_sources(u, &u->context, UPCI_OPEN_LATER) : 0;
}

/* Discard the kernel's counts since an exec if the unit was not started. The readings become the base, and
 * the counts are not added. */
static int pass_over_exec(struct upc_unit *u)
{
	return u->context.enable_on_exec && !u->started ? upci_unit_pass_over(u) : 0;
}

/* Open all events again if a source wishes it. GATHER: the new events need fewer groups; if the opening
 * fails, the present groups remain. RENEW: the events are opened again only if all their counts could be
 * taken in, so that no count is lost. Otherwise the old events stay open, which is no error. */
static void open_better(struct upc_unit *u)
{
	switch (upci_sources_wish(&u->sources)) {
	case UPCI_SOURCE_FINE:
		break;
	case UPCI_SOURCE_GATHER:
		if (!u->started)
			(void)upci_unit_replace_sources(u, &u->context, UPCI_OPEN_NOW);
		break;
	case UPCI_SOURCE_RENEW:
		if (upci_unit_take_stopped(u))
			(void)upci_unit_replace_sources(u, &u->context, UPCI_OPEN_NOW);
		break;
	}
}

int upci_unit_open_now(struct upc_unit *u)
{
	int error = u->forked ? upci_unit_replace_sources(u, &u->context, UPCI_OPEN_NOW) : 0;

	if (!error)
		error = pass_over_exec(u);
	if (error)
		return error;
	open_better(u);
	return upci_sources_prepare(&u->sources);
}

int upc_unit_open(struct upc_unit *u)
{
	int error = u->regs.run ? 0 : upci_unit_check_idle(u, "opened");

	if (error || u->regs.run)
		return error;
	return upci_unit_open_now(u);
}
