/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_time.c - see unit_time.h. The clock that times a counter depends on its source:
 *
 *   a source that stops    The source's own times (perf_time.c). time[] holds the sums, enabled and lost,
 *                          of sources that were closed.
 *   a script               The cycles while the unit ran. time[].enabled is the cycle at which the
 *                          counter began.
 *   a source that cannot   The unit's clock: CLOCK_MONOTONIC while the unit runs. It is read only when
 *   be stopped, and the    these sources are read, so a unit without them never asks for the time.
 *   simulation             time[].enabled is the clock at which the counter began or, while the counter
 *                          is halted, the time that it counted. lost is how long its source was lost.
 *
 * Reads of events whose sources stop use nothing in this file.
 *
 * Terms: base/source.h, replay/replay.h.
 */
#include <string.h>

#include "base/now.h"
#include "unit/registers.h"
#include "unit/unit_time.h"

void upci_unit_clock_step(struct upc_unit *u)
{
	uint64_t now;

	if (!u->goers && !u->registers->timed)
		return;
	now = upci_now_ns();
	u->clock.step = u->clock.at ? now - u->clock.at : 0;
	u->clock.ran += u->clock.step;
	u->clock.at = now;
}

void upci_unit_clock_stop(struct upc_unit *u)
{
	u->clock.at = 0;
}

/* Return the present time of a counter's clock: ns, or cycles of a script. */
static uint64_t clock_of(const struct upc_unit *u, unsigned i)
{
	return u->registers->cycles && !upci_unit_takes_in(u, i) ? u->registers->cycles(u) : u->clock.ran;
}

static struct upci_source_time source_time(const struct upc_unit *u, const struct upci_binding *b)
{
	struct upci_source *source = u->sources.of[b->source];

	return source->ops->stops->time(source, b->handle);
}

void upci_unit_time_lose(struct upc_unit *u, unsigned i)
{
	if (!(u->binding[i].flags & UPC_COUNTER_HALTED))
		u->time[i].lost += u->clock.step;
}

void upci_unit_time_begin(struct upc_unit *u, unsigned i)
{
	const struct upci_binding *b = &u->binding[i];

	u->time[i].lost = 0;
	u->time[i].enabled = b->stops || b->flags & UPC_COUNTER_HALTED ? 0 : clock_of(u, i);
}

void upci_unit_time_begin_all(struct upc_unit *u)
{
	unsigned a;

	/* If there is nothing to reset, a start of an event set does not look at all counters. */
	if (!u->kept && !u->goers && !u->registers->elsewhere)
		return;
	for (a = 0; a < u->actives; a++)
		upci_unit_time_begin(u, u->active[a]);
	u->kept = false;
}

void upci_unit_time_keep(struct upc_unit *u)
{
	unsigned a;

	for (a = 0; !u->forked && a < u->actives; a++) {
		const unsigned i = u->active[a];
		struct upci_source_time more;

		if (!u->binding[i].stops)
			continue;
		more = source_time(u, &u->binding[i]);
		u->time[i].enabled += more.enabled;
		u->time[i].lost += more.lost;
		u->kept = true;
	}
}

void upci_unit_time_turn(struct upc_unit *u, unsigned i)
{
	if (!u->binding[i].stops)
		u->time[i].enabled = clock_of(u, i) - u->time[i].enabled;
}

void upci_unit_time_of(struct upc_unit *u, unsigned i, uint64_t *enabled_ns, uint64_t *running_ns)
{
	const struct upci_binding *b = &u->binding[i];
	struct upci_source_time time = u->time[i], more;

	if (!b->references)
		time = (struct upci_source_time){0};
	else if (!b->stops && !(b->flags & UPC_COUNTER_HALTED))
		time.enabled = clock_of(u, i) - time.enabled;
	if (b->references && b->stops && !u->forked) {
		more = source_time(u, b);
		time.enabled += more.enabled;
		time.lost += more.lost;
	}
	*enabled_ns = time.enabled;
	*running_ns = time.lost < time.enabled ? time.enabled - time.lost : 0;
}
