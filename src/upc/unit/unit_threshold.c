/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_threshold.c - counts and thresholds of events whose sources send overflow signals. The owner of the
 * registers (registers.h) makes the thresholds of other events; interrupt.c has the public calls.
 * Terms: unit/unit.h, base/source.h, engine/engine.h.
 */
#include <unistd.h>

#include "base/message.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_threshold.h"

/* ---- counters with thresholds -------------------------------------------- */

int upci_unit_check_preset(const struct upc_unit *u)
{
	unsigned a;

	if (!u->regs.run || u->context.tid == gettid())
		return 0;
	for (a = 0; a < u->actives; a++)
		if (u->thresholds.period[u->active[a]] && upci_unit_takes_in(u, u->active[a]))
			return upci_fail(
				UPC_ESTATE,
				"%s has a threshold and counts another thread, which runs: stop the unit "
				"before its counts are set",
				u->binding[u->active[a]].event->name);
	return 0;
}

int upci_unit_check_no_level(const struct upci_binding *b)
{
	if (!b->references || b->event->kind != UPC_KIND_LEVEL)
		return 0;
	return upci_fail(UPC_ENOSUPP, "%s: a level shows what is, it cannot be preset", b->event->name);
}

int upci_unit_restart_period(struct upc_unit *u, unsigned i, uint64_t left)
{
	struct upci_source *source = u->sources.of[u->binding[i].source];

	return source->ops->overflow->restart_period(source, u->binding[i].handle, left);
}

int upci_unit_preset(struct upc_unit *u, unsigned i, uint64_t count)
{
	uint64_t period = u->has_periods ? u->thresholds.period[i] : 0;

	if (!upci_unit_takes_in(u, i)) {
		u->registers->preset(u, i, count);
		return 0;
	}
	if (u->has_periods)
		u->thresholds.offset[i] = 0;
	upci_regs_write_counter(&u->regs, i, count);
	return period ? upci_unit_restart_period(u, i, period - count % period) : 0;
}

/* Update armed[]. Handlers read it, so only the elements of events that come or go change. */
void upci_unit_rearm(struct upc_unit *u)
{
	struct upci_armed *free_one = NULL, *armed;
	unsigned i;

	for (armed = u->armed; armed < u->armed + UPCI_SAMPLERS_MAX; armed++) {
		for (i = 0; armed->handle >= 0 && i < UPC_COUNTERS; i++)
			if (u->thresholds.period[i] && u->binding[i].handle == armed->handle &&
			    u->binding[i].source == armed->source && u->binding[i].code == armed->code)
				break;
		if (armed->handle >= 0 && i == UPC_COUNTERS)
			armed->handle = -1;
	}
	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct upci_binding *b = &u->binding[i];

		if (!u->thresholds.period[i] || !upci_unit_takes_in(u, i))
			continue;
		for (armed = u->armed, free_one = NULL; armed < u->armed + UPCI_SAMPLERS_MAX; armed++)
			if (armed->handle == b->handle && armed->source == b->source)
				break;
			else if (armed->handle < 0)
				free_one = armed;
		if (armed < u->armed + UPCI_SAMPLERS_MAX || !free_one)
			continue;
		free_one->code = b->code;
		free_one->source = b->source;
		/* A handler on this thread that sees the handle also sees code and source. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		free_one->handle = b->handle;
	}
}

int upci_unit_set_live(struct upc_unit *u, struct upci_sources *sources, const struct upci_context *context,
		       const struct upci_binding *b, int handle, uint64_t period)
{
	struct upci_source *source = sources->of[b->source];

	return source->ops->overflow->set_period(source, context, b->event, handle, period, u->signal);
}

int upci_unit_reopen_thresholds(struct upc_unit *u, struct upci_sources *sources,
				const struct upci_context *context, const int *handles)
{
	unsigned a;
	int error = 0;

	for (a = 0; !error && a < u->actives; a++) {
		unsigned i = u->active[a];

		if (u->thresholds.period[i] && upci_unit_takes_in(u, i))
			error = upci_unit_set_live(u, sources, context, &u->binding[i], handles[a],
						   u->thresholds.period[i]);
	}
	return error;
}

/* Callable from a handler that interrupted any other call: reads only armed[]. */
int upci_unit_signalled(const struct upc_unit *u, int fd, uint32_t *code)
{
	const struct upci_armed *armed;
	unsigned row;
	int handle;

	for (row = 0; row < UPCI_SOURCE_ROWS; row++) {
		struct upci_source *source = u->sources.of[row];

		handle = source->ops->overflow ? source->ops->overflow->signalled(source, fd) : -1;
		for (armed = u->armed; handle >= 0 && armed < u->armed + UPCI_SAMPLERS_MAX; armed++)
			if (armed->handle == handle && armed->source == row) {
				*code = armed->code;
				return 0;
			}
	}
	return UPC_EINVAL;
}
