/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_list.c - the master event list (MPX, section 5.2): it contains each event once, as long as any set
 * contains the event.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core_private.h"
#include "core/error.h"

/* Allocate an event, aligned to a cache line. */
static struct mpxi_event *new_event(bool covariate)
{
	const size_t line = MPXI_CACHE_LINE;
	struct mpxi_event *event = aligned_alloc(line, (sizeof(*event) + line - 1) / line * line);

	if (!event)
		return NULL;
	memset(event, 0, sizeof(*event));
	if (covariate)
		event->by_covariate = calloc(1, sizeof(*event->by_covariate));
	if (covariate && !event->by_covariate) {
		free(event);
		return NULL;
	}
	return event;
}

int mpxi_list_reference(struct mpxi_core *core, uint32_t code, struct mpxi_event **found)
{
	unsigned at = mpxi_core_find(core, code), room;
	struct mpxi_event *event, **more;
	int fits;

	if (at == core->events || core->event[at]->code != code) {
		/* Refuse an event that no counter can hold when it is added, not when its set starts. */
		fits = core->options.ops->fits(core->options.backend, &code, 1);
		if (fits <= 0)
			return fits ? fits
				    : mpxi_error(MPXI_ECNFLCT,
						 "no counter can hold the event 0x%x, not even alone", code);
		if (core->events == core->events_room) {
			room = core->events_room ? 2 * core->events_room : 16;
			more = realloc(core->event, room * sizeof(*more));
			if (!more)
				return mpxi_error(MPXI_ENOMEM, "out of memory for the master event list");
			core->event = more;
			core->events_room = room;
		}
		event = new_event(core->options.covariate);
		if (!event)
			return mpxi_error(MPXI_ENOMEM, "out of memory for the master event list");
		event->code = code;
		event->kind = event->role = core->options.ops->role(core->options.backend, code);
		event->slows =
			core->options.ops->slows && core->options.ops->slows(core->options.backend, code);
		memmove(core->event + at + 1, core->event + at,
			(core->events++ - at) * sizeof(core->event[0]));
		core->event[at] = event;
	}
	core->event[at]->references++;
	*found = core->event[at];
	return 0;
}

void mpxi_list_unreference(struct mpxi_core *core, struct mpxi_event *event)
{
	unsigned i = mpxi_core_find(core, event->code);

	if (--event->references)
		return;
	mpxi_plan_expel(core, event);
	core->events--;
	memmove(core->event + i, core->event + i + 1, (core->events - i) * sizeof(core->event[0]));
	free(event->by_covariate);
	free(event);
}
