/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_overflow.c - PAPI_overflow and PAPI_profil in hardware. PAPI's tables contain the requested
 * thresholds. This file sets the unit's thresholds to those of the tables, or restores the old ones.
 *
 * A replay script interrupts between two cycles, on the thread that plays the script, and the
 * user's handler is called from there. A live source and the simulated node send a signal to the
 * counting thread.
 *
 * Terms: upc_set.h.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "upc_overflow.h"
#include "upc_report.h"
#include "upc_signal.h"

#include "extras.h"

static int component;
static int replays, simulates;
static __thread volatile sig_atomic_t gave_up; /* the signal stays blocked: see give_up() */

static atomic_bool closed = true;
/*
 * Order between a shutdown and a handler. All accesses are sequentially consistent.
 * upcp_overflow_close increments shutdowns and then loads under_way. A handler increments under_way
 * and then compares shutdowns with known_since, the value of shutdowns when PAPI last registered this
 * thread. Therefore the handler sees the shutdown, or the shutdown waits for the handler.
 */
static atomic_uint shutdowns, under_way;
/* initial-exec: no access in a handler allocates. */
static __thread unsigned known_since __attribute__((tls_model("initial-exec")));
static __thread unsigned handling __attribute__((tls_model("initial-exec"))); /* share of under_way */

void upcp_overflow_open(int index, int is_replay, int is_simulation)
{
	component = index;
	replays = is_replay;
	simulates = is_simulation;
	atomic_store(&closed, false);
}

/* ---- shutdown of PAPI ------------------------------------------------------- */

void upcp_overflow_enter_thread(void)
{
	known_since = atomic_load(&shutdowns);
}

/* Return PAPI's structure of this thread, or NULL if a shutdown has freed the structure. */
static ThreadInfo_t *find_thread(void)
{
	return known_since == atomic_load(&shutdowns) ? _papi_hwi_lookup_thread(0) : NULL;
}

/* upcp_overflow_close waits for threads between begin_handling and end_handling. */
static void begin_handling(void)
{
	handling++;
	atomic_fetch_add(&under_way, 1);
}

static void end_handling(void)
{
	atomic_fetch_sub(&under_way, 1);
	handling--;
}

void upcp_overflow_close(void)
{
	static const struct timespec moment = {.tv_nsec = 100000};
	unsigned i;

	if (atomic_exchange(&closed, true))
		return;
	atomic_fetch_add(&shutdowns, 1);
	for (i = 0; i < 1000 && atomic_load(&under_way) > handling; i++)
		(void)syscall(SYS_nanosleep, &moment, NULL);
}

/* ---- thresholds ------------------------------------------------------------- */

/*
 * Move an event to a free position below UPCP_THRESHOLDS, because PAPI reports an overflow as a bit
 * in a vector of 64 bits. Return the new position. A position is always free, because at most
 * UPCP_THRESHOLDS events have thresholds.
 */
static int bring_down(EventSetInfo_t *owner, int position)
{
	const struct upcp_set *set = owner->ctl_state;
	int low = 0;

	while (low < UPCP_THRESHOLDS && set->thresholds[low])
		low++;
	if (low == UPCP_THRESHOLDS)
		return UPCP_NO_POSITION;
	upcp_tables_swap(owner, position, low);
	upcp_set_swap(&((struct upcp_state *)owner->ctl_state)->set, (unsigned)position, (unsigned)low);
	return low;
}

static int apply_thresholds(EventSetInfo_t *owner)
{
	struct upcp_set *set = owner->ctl_state;
	const EventSetOverflowInfo_t *overflow = &owner->overflow;
	uint64_t wanted[UPCP_THRESHOLDS] = {0};
	int error = 0;
	int i;

	for (i = 0; i < overflow->event_counter; i++) {
		int position = upcp_tables_position(owner, i);

		if (position >= 0 && position < UPCP_THRESHOLDS)
			wanted[position] = (uint64_t)overflow->threshold[i];
	}
	/* Remove old thresholds first, to make room for new ones. */
	for (i = 0; i < UPCP_THRESHOLDS && !error; i++)
		if (set->thresholds[i] && !wanted[i])
			error = upcp_set_threshold(set, (unsigned)i, 0);
	for (i = 0; i < overflow->event_counter && !error; i++) {
		int position = upcp_tables_position(owner, i);

		if (position >= UPCP_THRESHOLDS)
			position = bring_down(owner, position);
		if (position < 0)
			return UPC_EINVAL;
		if (set->thresholds[position] != (uint64_t)overflow->threshold[i])
			error = upcp_set_threshold(set, (unsigned)position, (uint64_t)overflow->threshold[i]);
	}
	return error;
}

static int any_threshold(const struct upcp_set *set)
{
	int i;

	for (i = 0; i < UPCP_THRESHOLDS; i++)
		if (set->thresholds[i])
			return 1;
	return 0;
}

static void on_interrupt(struct upc_unit *unit, const struct upc_interrupt *interrupt, void *arg);

/*
 * Prepare the signal and the unit for the first threshold of a set. Return 0, or an error of
 * libupc, or UPC_ESYSTEM with PAPI's error in *papi.
 */
static int prepare_first_threshold(struct upcp_state *state, int *papi)
{
	if (any_threshold(&state->set))
		return 0;
	if (!replays && !state->signals) {
		*papi = upcp_signal_take(component);
		if (*papi != PAPI_OK)
			return UPC_ESYSTEM;
		state->signals = 1;
	}
	return upcp_set_watch(&state->set, on_interrupt, state, upcp_signal_number());
}

/* Unblock the overflow signal after give_up(): the program has set another threshold. */
static void listen_again(void)
{
	sigset_t signal;

	if (!gave_up)
		return;
	gave_up = 0;
	sigemptyset(&signal);
	sigaddset(&signal, upcp_signal_number());
	pthread_sigmask(SIG_UNBLOCK, &signal, NULL);
}

static void release_overflow_signal(struct upcp_state *state)
{
	if (!state->signals || any_threshold(&state->set))
		return;
	state->signals = 0;
	upcp_signal_give_back();
}

int upcp_overflow_set(EventSetInfo_t *owner, int *papi)
{
	struct upcp_state *state = owner->ctl_state;
	EventSetOverflowInfo_t *overflow = &owner->overflow;
	int error;

	*papi = PAPI_OK;
	state->owner = owner;
	upcp_tables_correct(owner);
	upcp_tables_drop_profiles(owner);
	/*
	 * If PAPI_overflow removes the threshold of one event, PAPI clears the handler of the whole
	 * set, which the other events still need.
	 */
	if (!overflow->handler)
		overflow->handler = state->good.handler;
	if (overflow->event_counter > UPCP_THRESHOLDS) {
		*papi = PAPI_ECNFLCT;
		upcp_tables_put_back(owner, &state->good);
		return UPC_ECONFLICT;
	}
	error = overflow->event_counter ? prepare_first_threshold(state, papi) : 0;
	if (!error)
		error = apply_thresholds(owner);
	if (error) {
		upcp_tables_put_back(owner, &state->good);
		apply_thresholds(owner); /* restores the old thresholds; no new one is set */
	} else {
		upcp_tables_remember(&state->good, owner);
		listen_again();
	}
	release_overflow_signal(state);
	return error;
}

void upcp_overflow_forget(struct upcp_state *state)
{
	memset(&state->good, 0, sizeof(state->good));
	release_overflow_signal(state);
}

/* ---- the user's handler ---------------------------------------------------- */

/*
 * True if the event at this position has the same index in PAPI's profile table as in PAPI's
 * overflow table. PAPI pairs entry i of one table with entry i of the other, which is wrong if only
 * some of the events with overflow are profiled.
 */
static int profile_is_whole(const EventSetInfo_t *owner, int position)
{
	int i;

	for (i = 0; i < owner->overflow.event_counter; i++)
		if (upcp_tables_position(owner, i) == position)
			return i < owner->profile.event_counter &&
			       owner->profile.EventCode[i] == owner->overflow.EventCode[i];
	return 0;
}

static void dispatch_overflow(EventSetInfo_t *owner, ThreadInfo_t *thread, int position, vptr_t address,
			      _papi_hwi_context_t *context)
{
	const long long vector = (long long)(UINT64_C(1) << position);

	upcp_tables_correct(owner);
	if ((owner->state & PAPI_PROFILING) && !profile_is_whole(owner, position)) {
		owner->overflow.handler(owner->EventSetIndex, (void *)address, vector, context->ucontext);
		return;
	}
	_papi_hwi_dispatch_overflow_signal(context, address, NULL, vector, 0, &thread, component);
}

/*
 * Call the user's handler for an overflow during a replay. The address of the program's call of
 * PAPI is both the reported address and the program counter of the context.
 */
static void dispatch_played(struct upcp_state *state, int position)
{
	EventSetInfo_t *owner = state->owner;
	_papi_hwi_context_t context;
	ucontext_t registers;
	siginfo_t info;

	if (getcontext(&registers))
		memset(&registers, 0, sizeof(registers));
	memset(&info, 0, sizeof(info));
	info.si_signo = upcp_signal_number();
	context.si = &info;
	context.ucontext = &registers;
	OVERFLOW_ADDRESS(context) = (__typeof__(OVERFLOW_ADDRESS(context)))state->address;
	state->interrupting = 1;
	dispatch_overflow(owner, owner->master, position, (vptr_t)state->address, &context);
	state->interrupting = 0;
}

/*
 * Handle an interrupt of a replay script. Called on the thread that plays, while the unit is
 * stopped between two cycles.
 */
static void on_interrupt(struct upc_unit *unit, const struct upc_interrupt *interrupt, void *arg)
{
	struct upcp_state *state = arg;
	EventSetInfo_t *owner = state->owner;
	int position;

	(void)unit;
	/* The next read reports a parity error. */
	if (interrupt->kind != UPC_INTERRUPT_THRESHOLD)
		return;
	position = upcp_set_find_threshold(&state->set, interrupt->code);
	if (position == UPCP_NO_POSITION)
		return;
	begin_handling();
	if (!atomic_load(&closed) && owner->master->running_eventset[component] == owner)
		dispatch_played(state, position);
	end_handling();
}

/*
 * QEMU's user mode before 9.1 calls signal handlers on x86-64 with a stack that is misaligned by 8
 * bytes.
 */
#ifdef __x86_64__
#define ALIGNED __attribute__((force_align_arg_pointer))
#else
#define ALIGNED
#endif

/*
 * Interrupts fetched at once. Later ones are fetched after the user's handler was called for these.
 */
#define CHUNK 64
/*
 * More interrupts than can queue up for a thread that blocks its signals. If one signal delivers
 * this number, the handler itself causes the overflows.
 */
#define ENDLESS 100000

/*
 * True if the set still runs. The user's handler may stop or destroy the set, or shut PAPI down,
 * which frees the thread's structure.
 */
static int still_runs(const EventSetInfo_t *owner)
{
	const ThreadInfo_t *thread = find_thread();

	return thread && thread->running_eventset[component] == owner;
}

/*
 * Stop delivering overflows to this thread, because the user's handler itself causes more events than
 * the threshold: each return would cause another call, and the program would never go on. The overflow
 * signal stays blocked in the thread until the thread sets another threshold.
 */
static void give_up(int signal, ucontext_t *interrupted)
{
	sigaddset(&interrupted->uc_sigmask, signal);
	gave_up = 1;
	upcp_report(UPCP_REPORT_SIGNAL,
		    "the overflow handler itself counts more than the threshold, and would be called "
		    "for ever: this thread hears of no more overflows; use a greater threshold, or an "
		    "event that the handler does not count");
}

/*
 * Handle all queued interrupts, for which the simulated node sends one signal. Up to CHUNK
 * interrupts are fetched before the user's handler is called for them, because the handler may not
 * return (longjmp) and the simulator waits until its interrupts are fetched.
 */
static void dispatch_queued(EventSetInfo_t *owner, ThreadInfo_t *thread, int signal,
			    _papi_hwi_context_t *context)
{
	int position[CHUNK];
	int called = 0, n, i;

	do {
		for (n = 0; n < CHUNK; n++) {
			position[n] = upcp_set_signalled(owner->ctl_state, context->si->si_fd);
			if (position[n] == UPCP_NO_POSITION)
				break;
		}
		for (i = 0; i < n && still_runs(owner); i++)
			dispatch_overflow(owner, thread, position[i], GET_OVERFLOW_ADDRESS((*context)),
					  context);
		called += n;
	} while (n && called < ENDLESS && still_runs(owner));
	if (n && called >= ENDLESS && still_runs(owner))
		give_up(signal, context->ucontext);
}

/*
 * Handle the overflow signal. Each call here is async-signal-safe. _papi_hwi_lookup_thread reads
 * thread-local storage that the thread's first use of PAPI has set up. In a build without such
 * storage PAPI takes a lock here, as it does in its other handlers. upc_unit_signalled is
 * async-signal-safe by design. The dispatch reads PAPI's tables of a running set, which PAPI does
 * not let change, and calls the user's handler. For a signal that was queued before the set
 * stopped, no set is running, and the signal is ignored.
 */
static void handle_overflow(int signal, siginfo_t *info, void *ucontext)
{
	ThreadInfo_t *thread = find_thread();
	EventSetInfo_t *owner = thread ? thread->running_eventset[component] : NULL;
	_papi_hwi_context_t context;
	int position;

	context.si = info;
	context.ucontext = ucontext;
	if (!owner || !(owner->state & PAPI_OVERFLOWING)) {
		/* ignore: no set of this thread has overflow */
	} else if (!(owner->overflow.flags & PAPI_OVERFLOW_HARDWARE)) {
		/* PAPI's timer for software overflow: PAPI reads the set and compares. */
		_papi_hwi_dispatch_overflow_signal(&context, GET_OVERFLOW_ADDRESS(context), NULL, 0, 0,
						   &thread, component);
	} else if (info && simulates) {
		dispatch_queued(owner, thread, signal, &context);
	} else if (info) {
		position = upcp_set_signalled(owner->ctl_state, info->si_fd);
		if (position != UPCP_NO_POSITION)
			dispatch_overflow(owner, thread, position, GET_OVERFLOW_ADDRESS(context), &context);
	}
}

ALIGNED void upcp_overflow_on_signal(int signal, siginfo_t *info, void *ucontext)
{
	const int saved = errno;

	begin_handling();
	handle_overflow(signal, info, ucontext);
	end_handling();
	errno = saved;
}
