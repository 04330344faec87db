/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source_perf.c - perf events as a unit's source: encodes an event, then calls perf.h.
 */
#include "base/message.h"
#include "base/source.h"
#include "catalogue/cat_pfm.h"
#include "catalogue/catalogue.h"
#include "perf/perf.h"

struct perf_source {
	struct upci_source source; /* must be the first member: see perf_of_source() */
	struct upci_perf *perf;
};

static struct upci_perf *perf_of_source(const struct upci_source *source)
{
	return ((const struct perf_source *)source)->perf;
}

static int perf_create(struct upci_source *source, const struct upci_context *context)
{
	return upci_perf_create(context, &((struct perf_source *)source)->perf);
}

static void perf_destroy(struct upci_source *source)
{
	upci_perf_destroy(perf_of_source(source));
}

static void perf_forked(struct upci_source *source, const struct upci_context *context)
{
	(void)context;
	upci_perf_forked(perf_of_source(source));
}

static int perf_open(struct upci_source *source, const struct upci_context *context,
		     const struct upci_event *event, bool halted)
{
	struct upci_perf_spec spec;
	int error = upci_perf_encode_for(&event->driver, context, &spec);

	return error ? error : upci_perf_add(perf_of_source(source), &spec, halted, event->name);
}

static void perf_close(struct upci_source *source, int handle)
{
	upci_perf_remove(perf_of_source(source), handle);
}

static int perf_read(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	return upci_perf_read(perf_of_source(source), value, state);
}

static int perf_start(struct upci_source *source)
{
	return upci_perf_start(perf_of_source(source));
}

static int perf_stop(struct upci_source *source)
{
	return upci_perf_stop(perf_of_source(source));
}

static int perf_halt(struct upci_source *source, int handle)
{
	return upci_perf_halt(perf_of_source(source), handle);
}

static int perf_go_on(struct upci_source *source, int handle)
{
	return upci_perf_continue(perf_of_source(source), handle);
}

static int perf_pass_over(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	return upci_perf_pass_over(perf_of_source(source), value, state);
}

static void perf_rebase(struct upci_source *source)
{
	upci_perf_rebase(perf_of_source(source));
}

static struct upci_source_time perf_time(struct upci_source *source, int handle)
{
	return upci_perf_time(perf_of_source(source), handle);
}

static bool perf_has_run(const struct upci_source *source)
{
	return upci_perf_ever_enabled(perf_of_source(source));
}

static void perf_begin_batch(struct upci_source *source, bool may_wait)
{
	upci_perf_set_waits(perf_of_source(source), may_wait);
	upci_perf_begin_batch(perf_of_source(source));
}

static bool perf_check_batch(struct upci_source *source)
{
	return upci_perf_check(perf_of_source(source));
}

/* Say whether to open all events again. RENEW: otherwise a removed event that leads other events would go on
 * counting, at the program's cost, removed tracepoints would pile up, and CPUs that came online would not be
 * counted. GATHER: events that were added one by one, for children to inherit, have a group each, and need
 * fewer groups if they are opened together. */
static enum upci_source_wish perf_wish(struct upci_source *source)
{
	struct upci_perf *perf = perf_of_source(source);

	if (upci_perf_keeps_removed(perf) || upci_perf_cpus_changed(perf))
		return UPCI_SOURCE_RENEW;
	/* Test the cheap condition first, since each start calls this. */
	return !upci_perf_ever_enabled(perf) && upci_perf_scattered(perf) ? UPCI_SOURCE_GATHER
									  : UPCI_SOURCE_FINE;
}

static int perf_prepare(struct upci_source *source)
{
	upci_perf_close_removed(perf_of_source(source));
	return upci_perf_waits(perf_of_source(source)) ? upci_perf_open_waiting(perf_of_source(source)) : 0;
}

static void perf_gather(struct upci_source *source, struct upci_bag *bag)
{
	upci_perf_gather(perf_of_source(source), bag);
}

static int perf_set_period(struct upci_source *source, const struct upci_context *context,
			   const struct upci_event *event, int handle, uint64_t period, int signal)
{
	struct upci_perf_spec spec;
	int error = upci_perf_encode_for(&event->driver, context, &spec);

	return error ? error
		     : upci_perf_set_period(perf_of_source(source), handle, &spec, period, signal,
					    event->name);
}

static int perf_restart_period(struct upci_source *source, int handle, uint64_t left)
{
	return upci_perf_restart_period(perf_of_source(source), handle, left);
}

static int perf_signalled(struct upci_source *source, int fd)
{
	return upci_perf_signalled(perf_of_source(source), fd);
}

static const struct upci_stop_ops perf_stops = {
	.start = perf_start,
	.stop = perf_stop,
	.halt = perf_halt,
	.go_on = perf_go_on,
	.pass_over = perf_pass_over,
	.rebase = perf_rebase,
	.time = perf_time,
	.has_run = perf_has_run,
	.begin_batch = perf_begin_batch,
	.check_batch = perf_check_batch,
	.wish = perf_wish,
	.prepare = perf_prepare,
	.gather = perf_gather,
};

static const struct upci_overflow_ops perf_overflow = {
	.set_period = perf_set_period,
	.restart_period = perf_restart_period,
	.signalled = perf_signalled,
};

const struct upci_source_ops upci_perf_source = {
	.stops = &perf_stops,
	.overflow = &perf_overflow,
	.size = sizeof(struct perf_source),
	.create = perf_create,
	.destroy = perf_destroy,
	.forked = perf_forked,
	.open = perf_open,
	.close = perf_close,
	.read = perf_read,
};

/* ---- public ---------------------------------------------------------------- */

int upc_catalogue_needs_pmu(struct upc_catalogue *c, uint32_t code)
{
	const unsigned everywhere = UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL | UPC_DOMAIN_HYPERVISOR;
	const struct upci_event *event;
	struct upci_perf_spec spec;
	int error;

	if (!c)
		return upci_fail(UPC_EINVAL, "upc_catalogue_needs_pmu: a catalogue is needed");
	event = upci_catalogue_event(c, code);
	if (!event)
		return upci_fail(UPC_ENOEVENT, "no event has the code %u", code);
	if (event->driver.source == UPC_SOURCE_DERIVED)
		return upci_fail(UPC_EINVAL,
				 "%s: is computed of others, which upc_catalogue_terms tells: ask for those",
				 event->name);
	if (event->driver.source != UPC_SOURCE_PERF)
		return 0;
	error = upci_perf_encode(&event->driver, everywhere, &spec);
	return error ? error : !upci_perf_is_software(&spec);
}
