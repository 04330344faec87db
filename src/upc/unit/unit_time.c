/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_time.c - see unit_time.h. Three clocks, by what a counter's source is:
 *
 *   perf          the kernel's own (perf_time.c). What sources that were closed had counted is
 *                 kept in time[]: added, both enabled and lost.
 *   exact         the source's cycles while it ran. time[].enabled is where the counter's begin.
 *   clock, file,  the unit's: CLOCK_MONOTONIC while it runs, taken where those are read, so that
 *   simulation    a unit that has none of them asks for no time. time[].enabled is where the
 *                 counter's begin or, while it is halted, what they are; lost what its source
 *                 was away for.
 *
 * Nothing here is looked at by reads of perf events alone.
 */
#include <string.h>

#include "base/now.h"
#include "unit/unit_exact.h"
#include "unit/unit_time.h"

void upci_unit_clock_step(struct upc_unit *u)
{
	uint64_t now;

	if (!u->locals && !(u->exact && !u->exact->ops->cycles))
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

/* Where a counter's clock is. */
static uint64_t clock_of(const struct upc_unit *u, unsigned i)
{
	if (u->exact && u->exact->ops->cycles && !upci_unit_is_local(u, i))
		return u->exact->ops->cycles(u->exact);
	return u->clock.ran;
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
	u->time[i].enabled = upci_is_perf(b) || b->flags & UPC_COUNTER_HALTED ? 0 : clock_of(u, i);
}

void upci_unit_time_begin_all(struct upc_unit *u)
{
	unsigned a;

	/* A start of an event set should not have to look at all counters. */
	if (!u->kept && !u->locals && !u->exact)
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
		struct upci_perf_time more;

		if (!upci_is_perf(&u->binding[i]))
			continue;
		more = upci_perf_time(u->sources.perf, u->binding[i].handle);
		u->time[i].enabled += more.enabled;
		u->time[i].lost += more.lost;
		u->kept = true;
	}
}

void upci_unit_time_turn(struct upc_unit *u, unsigned i)
{
	if (!upci_is_perf(&u->binding[i]))
		u->time[i].enabled = clock_of(u, i) - u->time[i].enabled;
}

void upci_unit_time_of(struct upc_unit *u, unsigned i, uint64_t *enabled_ns, uint64_t *running_ns)
{
	const struct upci_binding *b = &u->binding[i];
	struct upci_perf_time time = u->time[i], more;

	if (!b->references)
		time = (struct upci_perf_time){0};
	else if (!upci_is_perf(b) && !(b->flags & UPC_COUNTER_HALTED))
		time.enabled = clock_of(u, i) - time.enabled;
	if (b->references && upci_is_perf(b) && !u->forked) {
		more = upci_perf_time(u->sources.perf, b->handle);
		time.enabled += more.enabled;
		time.lost += more.lost;
	}
	*enabled_ns = time.enabled;
	*running_ns = time.lost < time.enabled ? time.enabled - time.lost : 0;
}
