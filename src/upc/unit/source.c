/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.c - creates and calls all sources of a unit, and chooses the source that counts an event.
 * Terms: unit/unit.h, replay/replay.h, node/sim.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "unit/source.h"
#include "unit/unit.h"

static const struct upci_source_ops *const all_ops[UPCI_SOURCE_ROWS] = {
#define SOURCE(row, operations) [UPCI_ROW_##row] = &(operations),
#include "base/sources.def"
};

int upci_sources_create(struct upci_sources *sources, const struct upci_context *context)
{
	const struct upci_source_ops *ops;
	struct upci_source *source;
	unsigned row;
	int error = 0;

	memset(sources, 0, sizeof(*sources));
	for (row = 0; row < UPCI_SOURCE_ROWS && !error; row++) {
		ops = all_ops[row];
		source = sources->of[row] = calloc(1, ops->size);
		error = !source       ? upci_fail(UPC_ENOMEM, "no memory for the sources of a unit")
			: ops->create ? ops->create(source, context)
				      : 0;
		if (!error)
			source->ops = ops;
		if (ops->stops)
			sources->stopping[sources->stoppers++] = (uint8_t)row;
	}
	if (error)
		upci_sources_destroy(sources);
	return error;
}

void upci_sources_destroy(struct upci_sources *sources)
{
	struct upci_source *source;
	unsigned row;

	for (row = 0; row < UPCI_SOURCE_ROWS; row++) {
		source = sources->of[row];
		/* If create failed, ops is NULL and there is nothing to destroy. */
		if (source && source->ops && all_ops[row]->destroy)
			all_ops[row]->destroy(source);
		free(source);
	}
	memset(sources, 0, sizeof(*sources));
}

/* Return the row of the source that counts an event. Return UPCI_SOURCE_ROWS for an event of a script or of
 * the simulated node, which the owner of the unit's registers counts, or a negative error with message. */
static int row_of_event(const struct upci_event *event)
{
	switch (event->driver.source) {
#define DRIVEN(kind, row, name) \
	case kind:              \
		return UPCI_ROW_##row;
#include "base/sources.def"
	case UPC_SOURCE_REPLAY:
	case UPC_SOURCE_SIMULATION:
		return UPCI_SOURCE_ROWS;
	default:
		return upci_fail(UPC_ENOEVENT, "%s: nothing on this machine drives it: %s", event->name,
				 event->why ? event->why : "");
	}
}

int upci_source_open(struct upci_sources *sources, const struct upci_context *context,
		     const struct upci_event *event, struct upci_binding *b)
{
	const struct upci_source_ops *ops;
	struct upci_source *source;
	int row = row_of_event(event);

	if (row < 0)
		return row;
	b->source = (uint8_t)row;
	b->is_level = event->kind == UPC_KIND_LEVEL;
	if (row == UPCI_SOURCE_ROWS)
		return 0;
	ops = all_ops[row];
	source = sources->of[row];
	b->stops = ops->stops;
	b->as_is = ops->scales || event->driver.mul == event->driver.div;
	b->plain = b->as_is && event->kind == UPC_KIND_COUNT;
	b->handle = ops->open(source, context, event, b->flags & UPC_COUNTER_HALTED);
	if (b->handle >= (int)source->handles)
		source->handles = (unsigned)b->handle + 1;
	return b->handle < 0 ? b->handle : 0;
}

void upci_source_close(struct upci_sources *sources, const struct upci_binding *b)
{
	if (b->source < UPCI_SOURCE_ROWS)
		all_ops[b->source]->close(sources->of[b->source], b->handle);
}

/* ---- operations on all sources that start and stop with the unit ------------------- */

static struct upci_source *stopping_source(const struct upci_sources *sources, unsigned i)
{
	return sources->of[sources->stopping[i]];
}

void upci_sources_begin_batch(struct upci_sources *sources, bool may_wait)
{
	unsigned i;

	for (i = 0; i < sources->stoppers; i++) {
		struct upci_source *s = stopping_source(sources, i);

		s->ops->stops->begin_batch(s, may_wait);
	}
}

bool upci_sources_check_batch(struct upci_sources *sources)
{
	bool readable = true;
	unsigned i;

	for (i = 0; i < sources->stoppers; i++) {
		struct upci_source *s = stopping_source(sources, i);

		readable = readable && s->ops->stops->check_batch(s);
	}
	return readable;
}

enum upci_source_wish upci_sources_wish(struct upci_sources *sources)
{
	enum upci_source_wish gravest = UPCI_SOURCE_FINE, wish;
	unsigned i;

	for (i = 0; i < sources->stoppers; i++) {
		struct upci_source *s = stopping_source(sources, i);

		wish = s->ops->stops->wish(s);
		gravest = wish > gravest ? wish : gravest;
	}
	return gravest;
}

int upci_sources_prepare(struct upci_sources *sources)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < sources->stoppers && !error; i++) {
		struct upci_source *s = stopping_source(sources, i);

		error = s->ops->stops->prepare(s);
	}
	return error;
}

int upci_sources_start(struct upci_sources *sources)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < sources->stoppers && !error; i++) {
		struct upci_source *s = stopping_source(sources, i);

		error = s->ops->stops->start(s);
	}
	if (error)
		(void)upci_sources_stop(sources);
	return error;
}

int upci_sources_stop(struct upci_sources *sources)
{
	unsigned i;
	int first = 0, error;

	for (i = 0; i < sources->stoppers; i++) {
		struct upci_source *s = stopping_source(sources, i);

		error = s->ops->stops->stop(s);
		first = first ? first : error;
	}
	return first;
}

void upci_sources_rebase(struct upci_sources *sources)
{
	unsigned i;

	for (i = 0; i < sources->stoppers; i++) {
		struct upci_source *s = stopping_source(sources, i);

		s->ops->stops->rebase(s);
	}
}
