/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turns.c - a backend for the core of MPX on units of libupc. Each group is a separate unit, which
 * stays open while other groups count.
 *
 * In a signal handler, the functions that end in _sig call the functions listed below. The groups' units
 * have only perf events, count the calling thread, and have no thresholds and no shared page.
 *
 * - upc_unit_reset makes no system call, because the unit is stopped.
 * - upc_unit_start makes one ENABLE ioctl per perf group, and one read per perf group of the PMU's events.
 * - upc_unit_stop makes one DISABLE ioctl and one read per perf group, into the unit's own buffer.
 * - upc_unit_read_added makes one read per perf group, or none if user mode can read the counters.
 * - clock_gettime is async-signal-safe.
 *
 * None of them allocates memory or takes a lock, because descriptors and buffers exist since the group was
 * opened. A call that fails writes libupc's message of the thread, whose memory exists since the thread's
 * first start. A notice of libupc is kept until ordinary code reports it. No tick is handled while the
 * thread is inside a call of the component or a fork (slices.c). A tick may interrupt a call that the
 * program makes to libupc itself, even one that holds libupc's lock.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid of older C libraries */
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"
#include "core/error.h"
#include "runtime/slices.h"
#include "runtime/turns.h"
#include "ticker/tick.h"
#include "ticker/timer.h"

/* Offset of libupc's errors while they pass through the core, which has its own error numbers. */
#define FOREIGN 2000

struct mpxi_turns {
	struct mpxi_turns_options options;
	struct mpxi_core *core;
	struct mpxi_set *set;
	bool has_clock;
	uint32_t clock; /* event that measures the length of slices */
	pid_t process;
	_Atomic(struct mpxi_ticker *) ticker;
	uint64_t given[UPC_EVENTS_MAX]; /* last values returned by reads, in the order of adding */
};

struct group {
	struct mpxi_turns *turns;
	struct upc_unit *unit;
	unsigned n;     /* events of the core, after the clock event in value */
	uint64_t began; /* without a clock event: the thread's CPU time at the start, ns */
	uint64_t value[];
};

static int mark_foreign_error(int error)
{
	return error ? error - FOREIGN : 0;
}

/* Convert an error of the core to the error that the functions of turns.h return. Reports it unless it
 * comes from libupc. */
static int settle_core_error(const struct mpxi_turns *turns, int error)
{
	if (error >= 0)
		return 0;
	return error <= -FOREIGN ? error + FOREIGN : turns->options.tell(error);
}

/* ---- events that fit together --------------------------------------------------- */

/* Add the clock event and n events to a unit, all or none. */
static int fill_turns_unit(struct mpxi_turns *turns, struct upc_unit *unit, const uint32_t *event, unsigned n)
{
	const struct mpxi_libupc *lib = turns->options.lib;
	struct upc_transaction *transaction;
	unsigned i;
	int error = lib->upc_transaction_begin(unit, &transaction);

	if (error)
		return error;
	if (turns->has_clock)
		error = lib->upc_transaction_add(transaction, turns->clock, UPC_ANY_COUNTER);
	for (i = 0; i < n && !error; i++)
		error = lib->upc_transaction_add(transaction, event[i], UPC_ANY_COUNTER);
	if (!error)
		return lib->upc_transaction_commit(transaction);
	lib->upc_transaction_abort(transaction);
	return error;
}

static int make_turns_unit(struct mpxi_turns *turns, const uint32_t *event, unsigned n,
			   struct upc_unit **made)
{
	const struct mpxi_libupc *lib = turns->options.lib;
	struct upc_unit *unit;
	int error = lib->upc_unit_create(turns->options.catalogue, &turns->options.unit, &unit);

	if (error)
		return error;
	error = fill_turns_unit(turns, unit, event, n);
	if (error)
		lib->upc_unit_destroy(unit);
	else
		*made = unit;
	return error;
}

static int ops_unit_fits(void *backend, const uint32_t *event, unsigned n)
{
	struct mpxi_turns *turns = backend;
	struct upc_unit *unit;
	int error;

	if (turns->options.group_max && n > turns->options.group_max)
		return 0;
	error = make_turns_unit(turns, event, n, &unit);
	if (error == UPC_ECONFLICT && n > 1)
		return 0;
	if (error)
		return mark_foreign_error(error); /* libupc's message explains why one event does not fit */
	turns->options.lib->upc_unit_destroy(unit);
	return 1;
}

/* All events except the clock event take turns, since spread.c passes no others to the core. */
static enum mpxi_role ops_clock_role(void *backend, uint32_t event)
{
	const struct mpxi_turns *turns = backend;

	return turns->has_clock && event == turns->clock ? MPXI_CLOCK : MPXI_ORDINARY;
}

/* ---- groups -------------------------------------------------------------------- */

static int ops_open_unit(void *backend, const uint32_t *event, unsigned n, void **opened)
{
	struct mpxi_turns *turns = backend;
	struct group *group = calloc(1, sizeof(*group) + (n + 1) * sizeof(group->value[0]));
	int error;

	if (!group)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a group of %u events", n);
	group->turns = turns;
	group->n = n;
	error = make_turns_unit(turns, event, n, &group->unit);
	/* Open the unit now, because a signal handler starts it. */
	if (!error) {
		error = turns->options.lib->upc_unit_open(group->unit);
		if (error)
			turns->options.lib->upc_unit_destroy(group->unit);
	}
	if (error) {
		free(group);
		return mark_foreign_error(error);
	}
	*opened = group;
	return 0;
}

static void ops_close(void *backend, void *handle)
{
	struct mpxi_turns *turns = backend;
	struct group *group = handle;

	turns->options.lib->upc_unit_destroy(group->unit);
	free(group);
}

static int ops_start_sig(void *handle)
{
	struct group *group = handle;
	const struct mpxi_libupc *lib = group->turns->options.lib;
	int error = lib->upc_unit_reset(group->unit);

	if (!error)
		error = lib->upc_unit_start(group->unit);
	if (!group->turns->has_clock)
		group->began = mpxi_timer_cpu_sig();
	return mark_foreign_error(error);
}

/*
 * Read a group into a sample. If the group did not count all the time since its start, there is no slice:
 * upc_unit_read_added returns an error, whether the group is stopped or running.
 */
static int take_sig(struct group *group, uint64_t now, struct mpxi_sample *sample)
{
	const unsigned first = group->turns->has_clock;
	int error =
		group->turns->options.lib->upc_unit_read_added(group->unit, group->value, group->n + first);
	unsigned i;

	if (error)
		return mark_foreign_error(error);
	sample->size = first ? group->value[0] : now - group->began;
	sample->covariate = 0;
	for (i = 0; i < group->n; i++)
		sample->count[i] = group->value[first + i];
	return 0;
}

static int ops_read_sig(void *handle, struct mpxi_sample *sample)
{
	struct group *group = handle;

	return take_sig(group, group->turns->has_clock ? 0 : mpxi_timer_cpu_sig(), sample);
}

static int ops_stop_sig(void *handle, struct mpxi_sample *sample)
{
	struct group *group = handle;
	uint64_t now = group->turns->has_clock ? 0 : mpxi_timer_cpu_sig();
	int error = group->turns->options.lib->upc_unit_stop(group->unit);

	return error ? mark_foreign_error(error) : take_sig(group, now, sample);
}

static const struct mpxi_backend_ops ops = {
	.fits = ops_unit_fits,
	.role = ops_clock_role,
	.open = ops_open_unit,
	.close = ops_close,
	.start_sig = ops_start_sig,
	.read_sig = ops_read_sig,
	.stop_sig = ops_stop_sig,
};

/* ---- the clock ------------------------------------------------------------------ */

/* True if the clock event counts. Some machines accept the event but never count it. */
static bool clock_counts(struct mpxi_turns *turns)
{
	const struct mpxi_libupc *lib = turns->options.lib;
	struct upc_unit *unit;
	volatile unsigned work = 0;
	uint64_t cycles = 0;
	unsigned i;
	int error = make_turns_unit(turns, NULL, 0, &unit);

	if (error)
		return false;
	error = lib->upc_unit_start(unit);
	for (i = 0; i < 20000; i++)
		work = work + i;
	(void)lib->upc_unit_stop(unit);
	if (!error)
		error = lib->upc_unit_read_added(unit, &cycles, 1);
	lib->upc_unit_destroy(unit);
	return !error && cycles > 0;
}

/*
 * Choose the clock event. Cycles are preferred: they are read together with the group, while reading the
 * thread's CPU time takes an additional system call.
 */
static void choose_clock(struct mpxi_turns *turns)
{
	static const char *const names[] = {"perf::CYCLES", "perf::CPU-CYCLES"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names) && !turns->has_clock; i++) {
		if (turns->options.lib->upc_catalogue_find(turns->options.catalogue, names[i], &turns->clock))
			continue;
		turns->has_clock = true;
		turns->has_clock = clock_counts(turns);
	}
}

/* ---- time slices ------------------------------------------------------------------ */

static int on_sharing(void *arg, bool on)
{
	struct mpxi_turns *turns = arg;

	if (!on) {
		mpxi_slices_end(&turns->ticker);
		return 0;
	}
	if (turns->options.counted != (int)syscall(SYS_gettid))
		return mpxi_error(MPXI_ENOSUPP,
				  "a multiplexed set whose events take turns is started by the "
				  "thread that it counts; this one counts thread %d",
				  turns->options.counted);
	/*
	 * A tick may write libupc's message of this thread. Calling upc_last_message now allocates the
	 * memory for the message.
	 */
	(void)turns->options.lib->upc_last_message();
	return mpxi_slices_begin(&turns->ticker, turns->core, turns->options.slice_ns);
}

static bool on_overdue(void *arg)
{
	const struct mpxi_turns *turns = arg;

	return mpxi_slices_overdue(&turns->ticker);
}

/* ---- life -------------------------------------------------------------------------- */

int mpxi_turns_create(const struct mpxi_turns_options *options, struct mpxi_turns **made)
{
	struct mpxi_turns *turns = calloc(1, sizeof(*turns));
	struct mpxi_core_options core = {
		.ops = &ops,
		.backend = turns,
		.sharing = on_sharing,
		.arg = turns,
		.overdue = on_overdue,
	};
	int error;

	if (!turns)
		return MPXI_ENOMEM - MPXI_TOLD;
	turns->options = *options;
	turns->process = getpid();
	choose_clock(turns);
	mpxi_tick_options(&core, options->slice_ns, turns);
	error = mpxi_core_create(&core, &turns->core);
	if (!error)
		error = mpxi_set_create(turns->core, &turns->set);
	if (error) {
		error = settle_core_error(turns, error);
		mpxi_core_destroy(turns->core);
		free(turns);
		return error;
	}
	*made = turns;
	return 0;
}

void mpxi_turns_destroy(struct mpxi_turns *turns)
{
	if (!turns)
		return;
	mpxi_slices_end(&turns->ticker);
	/* In a forked child, the copies of the parent's units are stopped, and are closed like any other
	 * unit. */
	mpxi_core_destroy(turns->core);
	free(turns);
}

int mpxi_turns_inherited(const struct mpxi_turns *turns)
{
	return turns->process != getpid();
}

/* ---- events ------------------------------------------------------------------------- */

static int check_turning_event(const struct mpxi_turns *turns, uint32_t code)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	int error = turns->options.lib->upc_catalogue_info(turns->options.catalogue, code, &info);

	if (error)
		return error;
	if (info.kind == UPC_KIND_LEVEL)
		return turns->options.tell(
			mpxi_error(MPXI_ENOSUPP,
				   "%s is a level or a quotient, which cannot be added up over "
				   "time slices: count it in a set that fits",
				   info.name));
	return 0;
}

int mpxi_turns_add(struct mpxi_turns *turns, uint32_t code)
{
	int index, error = check_turning_event(turns, code);

	if (error)
		return error;
	index = mpxi_set_add(turns->set, code);
	if (index < 0)
		return settle_core_error(turns, index);
	turns->given[index] = MPXI_NEVER;
	return 0;
}

void mpxi_turns_remove(struct mpxi_turns *turns, uint32_t code)
{
	unsigned n = mpxi_turns_events(turns), i;

	for (i = 0; i < n && mpxi_set_event(turns->set, i) != code; i++)
		;
	if (i == n || mpxi_set_remove(turns->set, code))
		return;
	memmove(turns->given + i, turns->given + i + 1, (n - i - 1) * sizeof(turns->given[0]));
}

unsigned mpxi_turns_events(const struct mpxi_turns *turns)
{
	return turns ? mpxi_set_events(turns->set) : 0;
}

/* ---- counting ------------------------------------------------------------------------ */

static void forget_given_values(struct mpxi_turns *turns)
{
	unsigned i;

	for (i = 0; i < mpxi_turns_events(turns); i++)
		turns->given[i] = MPXI_NEVER;
}

int mpxi_turns_check(const struct mpxi_turns *turns)
{
	if (!mpxi_slices_foreign(&turns->ticker))
		return 0;
	return turns->options.tell(mpxi_error(MPXI_EISRUN,
					      "a multiplexed set whose events take turns is used by "
					      "the thread that has started it, as long as it runs"));
}

int mpxi_turns_start(struct mpxi_turns *turns)
{
	int error = mpxi_set_start(turns->set);

	if (!error)
		forget_given_values(turns);
	return settle_core_error(turns, error);
}

int mpxi_turns_stop(struct mpxi_turns *turns)
{
	int error = mpxi_set_stop(turns->set);

	return error == MPXI_ENOTRUN ? 0 : settle_core_error(turns, error);
}

int mpxi_turns_reset(struct mpxi_turns *turns)
{
	int error = mpxi_set_reset(turns->set);

	if (!error)
		forget_given_values(turns);
	return settle_core_error(turns, error);
}

/* Return the estimate of an event's count (N_e of MPX) as an integer. */
static uint64_t whole_estimate(const struct mpxi_window *window, const struct mpxi_estimate *estimate)
{
	/* A count above 2^53 may not be exact as a double, so take an exact count as an integer. */
	if (estimate->exact)
		return window->sums.count;
	return estimate->value < 0x1p63 ? (uint64_t)(estimate->value + .5) : INT64_MAX;
}

int mpxi_turns_read(struct mpxi_turns *turns, uint64_t *counts)
{
	int error = mpxi_set_read(turns->set);
	struct mpxi_estimate estimate;
	unsigned i;

	if (error) {
		/*
		 * End the slice, which cannot be read. The values returned now do not include its time. The
		 * next read treats the time as that of a lost slice.
		 */
		(void)mpxi_core_tick_sig(turns->core);
		memcpy(counts, turns->given, mpxi_turns_events(turns) * sizeof(*counts));
		return settle_core_error(turns, error);
	}
	for (i = 0; i < mpxi_turns_events(turns); i++) {
		const struct mpxi_window *window = mpxi_set_window(turns->set, i);
		uint64_t count;

		mpxi_estimate(window, MPXI_AUTO, &estimate);
		count = estimate.never ? MPXI_NEVER : whole_estimate(window, &estimate);
		/* Values never decrease, except from MPXI_NEVER, the largest value, to a count. */
		if (count != MPXI_NEVER && (turns->given[i] == MPXI_NEVER || count > turns->given[i]))
			turns->given[i] = count;
		counts[i] = turns->given[i];
	}
	return 0;
}

int mpxi_turns_lost(const struct mpxi_turns *turns)
{
	return mpxi_set_lost(turns->set);
}

void mpxi_turns_hold(struct mpxi_turns *turns)
{
	if (turns)
		mpxi_core_hold(turns->core);
}

void mpxi_turns_release(struct mpxi_turns *turns)
{
	if (turns)
		mpxi_core_release(turns->core);
}
