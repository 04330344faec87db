/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_threshold.c - counts and the thresholds that they have: over the one threshold register
 * where a script drives the unit (threshold.h), by the kernel's own overflow signals where
 * this machine does. interrupt.c has the user's calls.
 */
#include <unistd.h>

#include "catalogue/cat_pfm.h"
#include "base/message.h"
#include "unit/unit.h"
#include "unit/unit_exact.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"

/* ---- counters with thresholds -------------------------------------------- */

int upci_unit_check_preset(const struct upc_unit *u)
{
	unsigned a;

	if (u->exact || !u->regs.run || u->context.tid == gettid())
		return 0;
	for (a = 0; a < u->actives; a++)
		if (u->thresholds.period[u->active[a]])
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

int upci_unit_preset(struct upc_unit *u, unsigned i, uint64_t count)
{
	uint64_t period = u->has_periods ? u->thresholds.period[i] : 0, raw = count;

	if (!upci_unit_is_local(u, i) && !upci_unit_preloads(u)) {
		u->exact->ops->preset(u->exact, i, count);
		u->stale = true;
		return 0;
	}
	if (period && u->exact)
		raw = upci_threshold_preload(u->regs.threshold, count, period);
	if (u->has_periods)
		u->thresholds.offset[i] = raw - count;
	u->strays |= !u->binding[i].references;
	upci_unit_write_counter(u, i, raw);
	if (period && !u->exact)
		return upci_perf_restart_period(u->sources.perf, u->binding[i].handle,
						period - count % period);
	return 0;
}

void upci_unit_preload(struct upc_unit *u, unsigned i)
{
	upci_unit_refresh(u);
	upci_unit_find_damage(u, i);
	(void)upci_unit_preset(u, i, upci_unit_count(u, i));
}

void upci_unit_preload_all(struct upc_unit *u)
{
	unsigned a;

	for (a = 0; upci_unit_preloads(u) && a < u->actives; a++)
		if (u->thresholds.period[u->active[a]])
			upci_unit_preload(u, u->active[a]);
}

/* What handlers look at changes for events that come and go, and for nobody else. */
void upci_unit_rearm(struct upc_unit *u)
{
	struct upci_armed *free_one = NULL, *armed;
	unsigned i;

	for (armed = u->armed; armed < u->armed + UPCI_SAMPLERS_MAX; armed++) {
		for (i = 0; armed->handle >= 0 && i < UPC_COUNTERS; i++)
			if (u->thresholds.period[i] && u->binding[i].handle == armed->handle &&
			    u->binding[i].code == armed->code)
				break;
		if (armed->handle >= 0 && i == UPC_COUNTERS)
			armed->handle = -1;
	}
	for (i = 0; !u->exact && i < UPC_COUNTERS; i++) {
		const struct upci_binding *b = &u->binding[i];

		if (!u->thresholds.period[i])
			continue;
		for (armed = u->armed, free_one = NULL; armed < u->armed + UPCI_SAMPLERS_MAX; armed++)
			if (armed->handle == b->handle)
				break;
			else if (armed->handle < 0)
				free_one = armed;
		if (armed < u->armed + UPCI_SAMPLERS_MAX || !free_one)
			continue;
		free_one->code = b->code;
		/* A handler on this thread sees the code with the handle. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		free_one->handle = b->handle;
	}
}

int upci_unit_set_live(struct upc_unit *u, struct upci_sources *sources, const struct upci_context *context,
		       const struct upci_binding *b, int handle, uint64_t period)
{
	struct upci_perf_spec spec;
	int error = upci_perf_encode_for(&b->event->driver, context, &spec);

	if (error)
		return error;
	return upci_perf_set_period(sources->perf, handle, &spec, period, u->signal, b->event->name);
}

int upci_unit_reopen_thresholds(struct upc_unit *u, struct upci_sources *sources,
				const struct upci_context *context, const int *handles)
{
	unsigned a;
	int error = 0;

	for (a = 0; !u->exact && !error && a < u->actives; a++) {
		unsigned i = u->active[a];

		if (u->thresholds.period[i])
			error = upci_unit_set_live(u, sources, context, &u->binding[i], handles[a],
						   u->thresholds.period[i]);
	}
	return error;
}
