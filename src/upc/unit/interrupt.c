/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interrupt.c - the public calls that set thresholds and the interrupt callback.
 * Terms: unit/unit.h, engine/threshold.h.
 */
#include <signal.h>
#include <string.h>

#include "base/message.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "base/words.h"

/* ---- setting a threshold --------------------------------------------------- */

/* Return the counter of an added event that is not derived, or a negative error with message. */
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

static const struct upci_source_ops *ops_of(const struct upc_unit *u, const struct upci_binding *b)
{
	return u->sources.of[b->source]->ops;
}

/* Check whether the kernel can send signals for this event. Return 0, or an error with message. */
static int check_live(const struct upc_unit *u, const struct upci_binding *b)
{
	const char *name = b->event->name;

	if (b->event->kind == UPC_KIND_LEVEL)
		return upci_fail(UPC_ENOSUPP, "%s: a level is no count, and has no threshold", name);
	if (!ops_of(u, b)->overflow)
		return upci_fail(UPC_ENOSUPP,
				 "%s: it is read from a file or a clock, which interrupts nobody; poll it "
				 "(PAPI_OVERFLOW_FORCE_SW does)",
				 name);
	if (!b->as_is)
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

void upci_unit_keep_period(struct upc_unit *u, unsigned i, uint64_t period)
{
	u->has_periods |= period != 0;
	u->thresholds.period[i] = period;
}

/* Refuse a threshold below 3 on raw_syscalls. A signal handler returns by a system call, and the entry and
 * exit of that call count too. */
static int check_room(const struct upci_binding *b, uint64_t period)
{
	const struct upci_driver *driver = &b->event->driver;
	const char *name = driver->source == UPC_SOURCE_TRACEPOINT ? driver->tracepoint : "";

	if (period && period < 3 && !strncmp(name, "raw_syscalls:", 13))
		return upci_fail(
			UPC_EINVAL,
			"%s: a threshold of %u never leaves the handler, whose return is a system call "
			"as well: choose 3 or more",
			b->event->name, (unsigned)period);
	return 0;
}

int upci_unit_set_period(struct upc_unit *u, unsigned i, uint64_t period)
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
		error = upci_unit_restart_period(u, i, period - u->regs.counter[i] % period);
	if (error) {
		/* Restore the old period. If the kernel refuses that as well, the event has no threshold. */
		if (upci_unit_set_live(u, &u->sources, &u->context, b, b->handle, u->thresholds.period[i]))
			u->thresholds.period[i] = 0;
	} else {
		upci_unit_keep_period(u, i, period);
	}
	upci_unit_rearm(u);
	return error;
}

/* ---- public ---------------------------------------------------------------- */

int upc_unit_set_interrupt(struct upc_unit *u,
			   void (*fn)(struct upc_unit *unit, const struct upc_interrupt *interrupt,
				      void *arg),
			   void *arg, int signal)
{
	int error;

	(void)upci_words_prepare();
	if (signal && (signal < SIGRTMIN || signal > SIGRTMAX))
		return upci_fail(UPC_EINVAL, "signal %d is no real-time signal: they are %d to %d", signal,
				 SIGRTMIN, SIGRTMAX);
	error = u->registers->set_signal ? u->registers->set_signal(u, signal) : 0;
	if (error)
		return error;
	/* Interrupts up to now go to the former callback. */
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
	if (upci_unit_takes_in(u, (unsigned)counter))
		error = upci_unit_set_period(u, (unsigned)counter, threshold);
	else
		error = u->registers->set_period(u, (unsigned)counter, threshold);
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

/* Callable from a handler that interrupted any other call: reads only memory of the unit. */
int upc_unit_signalled(const struct upc_unit *u, int fd, uint32_t *code)
{
	return u->registers->signalled ? u->registers->signalled(u, fd, code) : UPC_EINVAL;
}
