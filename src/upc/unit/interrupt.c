/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interrupt.c - thresholds as the user sets them, and who is told of their interrupts.
 */
#include <signal.h>
#include <string.h>

#include "base/message.h"
#include "unit/unit.h"
#include "unit/unit_exact.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "base/words.h"

/* ---- setting one ----------------------------------------------------------- */

/* The counter of a plain event, or a negative error. */
static int plain_counter(const struct upc_unit *u, uint32_t code)
{
	int e = upci_unit_entry(u, code);

	if (e < 0)
		return upci_fail(UPC_EINVAL, "event %u is not added to this unit", code);
	if (u->entry[e].formula)
		return upci_fail(UPC_ENOSUPP,
				 "%s: a derived event has no counter of its own, and no threshold; its "
				 "terms can have one each",
				 upci_catalogue_event(u->catalogue, code)->name);
	return u->entry[e].first;
}

/* Whether the kernel can signal this event's counts. */
static int check_live(const struct upc_unit *u, const struct upci_binding *b)
{
	const char *name = b->event->name;

	if (b->event->kind == UPC_KIND_LEVEL)
		return upci_fail(UPC_ENOSUPP, "%s: a level is no count, and has no threshold", name);
	if (!upci_is_perf(b))
		return upci_fail(UPC_ENOSUPP,
				 "%s: it is read from a file or a clock, which interrupts nobody; poll it "
				 "(PAPI_OVERFLOW_FORCE_SW does)",
				 name);
	if (!b->unscaled_count)
		return upci_fail(UPC_ENOSUPP,
				 "%s: its wiring scales the kernel's counts, which thresholds are made of; "
				 "use the event that it is wired to",
				 name);
	if (u->context.kind != UPC_CONTEXT_THREAD || !u->context.own || u->context.inherit)
		return upci_fail(UPC_ENOSUPP,
				 "%s: the kernel interrupts a thread for its own counts only: no thresholds "
				 "where others are counted (attached, inherit, process, CPU, machine)",
				 name);
	if (!u->signal)
		return upci_fail(UPC_ESTATE, "%s: the kernel needs a signal to send: upc_unit_set_interrupt",
				 name);
	if (u->regs.run)
		return upci_fail(UPC_ESTATE, "%s: the unit runs: stop it to change a threshold", name);
	return 0;
}

static void keep_period(struct upc_unit *u, unsigned i, uint64_t period)
{
	u->has_periods |= period != 0;
	u->thresholds.period[i] = period;
}

/* The end of a handler is a system call: its entry and exit count. */
static int check_room(const struct upci_binding *b, uint64_t period)
{
	const char *name = b->source == UPC_SOURCE_TRACEPOINT ? b->event->driver.tracepoint : "";

	if (period && period < 3 && !strncmp(name, "raw_syscalls:", 13))
		return upci_fail(
			UPC_EINVAL,
			"%s: a threshold of %u never leaves the handler, whose return is a system call "
			"as well: choose 3 or more",
			b->event->name, (unsigned)period);
	return 0;
}

static int set_period_live(struct upc_unit *u, unsigned i, uint64_t period)
{
	struct upci_binding *b = &u->binding[i];
	int error = check_live(u, b);

	if (!error)
		error = check_room(b, period);
	if (!error)
		error = upci_unit_reopen(u);
	if (error || period == u->thresholds.period[i])
		return error;
	error = upci_unit_set_live(u, &u->sources, &u->context, b, b->handle, period);
	if (error)
		return error;
	if (period)
		error = upci_perf_restart_period(u->sources.perf, b->handle,
						 period - u->regs.counter[i] % period);
	if (error) {
		/* As it was, or none where the kernel refuses that as well. */
		if (upci_unit_set_live(u, &u->sources, &u->context, b, b->handle, u->thresholds.period[i]))
			u->thresholds.period[i] = 0;
	} else {
		keep_period(u, i, period);
	}
	upci_unit_rearm(u);
	return error;
}

static int set_period_replay(struct upc_unit *u, unsigned i, uint64_t period)
{
	uint8_t field;

	upci_unit_refresh(u);
	if (period == u->thresholds.period[i])
		return 0;
	field = u->regs.field[i] & (uint8_t)~UPC_FIELD_INTERRUPT_ENABLE;
	keep_period(u, i, period);
	upci_unit_write_field(u, i, period ? field | UPC_FIELD_INTERRUPT_ENABLE : field);
	upci_unit_preload(u, i);
	return 0;
}

/* Nobody can be told of it in its own cycle: the program is in the simulator. */
static int set_period_kept(struct upc_unit *u, unsigned i, uint64_t period)
{
	const char *name = u->binding[i].event->name;

	if (period && !u->signal)
		return upci_fail(UPC_ESTATE,
				 "%s: the simulator needs a signal to send: upc_unit_set_interrupt", name);
	if (u->exact->ops->set_period(u->exact, i, period))
		return upci_fail(UPC_ENOMEM, "%s: the simulator has no threshold for it", name);
	keep_period(u, i, period);
	u->stale = true;
	return 0;
}

/* ---- public ---------------------------------------------------------------- */

int upc_unit_set_interrupt(struct upc_unit *u,
			   void (*fn)(struct upc_unit *unit, const struct upc_interrupt *interrupt,
				      void *arg),
			   void *arg, int signal)
{
	unsigned a;

	(void)upci_words_prepare();
	if (signal && (signal < SIGRTMIN || signal > SIGRTMAX))
		return upci_fail(UPC_EINVAL, "signal %d is no real-time signal: they are %d to %d", signal,
				 SIGRTMIN, SIGRTMAX);
	for (a = 0; !upci_unit_preloads(u) && signal != u->signal && a < u->actives; a++)
		if (u->thresholds.period[u->active[a]])
			return upci_fail(UPC_ESTATE,
					 "%s has a threshold: clear it before another signal is chosen",
					 u->binding[u->active[a]].event->name);
	if (u->exact && u->exact->ops->set_signal && u->exact->ops->set_signal(u->exact, signal))
		return upci_fail(UPC_EINVAL, "the simulator cannot send signal %d: choose a lower one",
				 signal);
	/* What happened until now is for who was there. */
	upci_unit_catch_up(u);
	u->interrupt = fn;
	u->interrupt_arg = arg;
	u->signal = signal;
	return 0;
}

int upc_unit_set_threshold(struct upc_unit *u, uint32_t code, uint64_t threshold)
{
	int counter, error;

	(void)upci_words_prepare();
	counter = plain_counter(u, code);
	if (counter < 0)
		return counter;
	if (upci_unit_is_local(u, (unsigned)counter))
		error = set_period_live(u, (unsigned)counter, threshold);
	else if (upci_unit_preloads(u))
		error = set_period_replay(u, (unsigned)counter, threshold);
	else
		error = set_period_kept(u, (unsigned)counter, threshold);
	if (!error)
		upci_unit_show(u, true);
	return error;
}

int upc_unit_get_threshold(const struct upc_unit *u, uint32_t code, uint64_t *threshold)
{
	int e = upci_unit_entry(u, code);

	if (!threshold)
		return upci_fail(UPC_EINVAL, "upc_unit_get_threshold: no place for the threshold");
	if (e < 0)
		return upci_fail(UPC_EINVAL, "event %u is not added to this unit", code);
	*threshold = u->entry[e].formula ? 0 : u->thresholds.period[u->entry[e].first];
	return 0;
}

/* Parity errors are told by the reads that find them. */
static int fetch(const struct upc_unit *u, uint32_t *code)
{
	unsigned counter;

	while (u->exact->ops->fetch(u->exact, &counter)) {
		if (!u->thresholds.period[counter])
			continue;
		*code = u->binding[counter].code;
		return 0;
	}
	return UPC_EINVAL;
}

/* In a handler on top of anything: all that it reads is an array of the unit's own. */
int upc_unit_signalled(const struct upc_unit *u, int fd, uint32_t *code)
{
	const struct upci_armed *armed;
	int handle;

	if (u->exact && upci_exact_keeps(u->exact))
		return fetch(u, code);
	handle = upci_perf_signalled(u->sources.perf, fd);
	for (armed = u->armed; handle >= 0 && armed < u->armed + UPCI_SAMPLERS_MAX; armed++)
		if (armed->handle == handle) {
			*code = armed->code;
			return 0;
		}
	return UPC_EINVAL;
}
