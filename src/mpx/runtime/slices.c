/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slices.c - one timer in each thread, and one signal for all of them, for the sets whose events take
 * turns. ticker/tick.h decides what a tick may do. This file finds out for tick.h whether the thread is
 * inside a call of the component or a fork.
 *
 * A tick may interrupt four kinds of code. First, a call on the same set: it holds the core, and the tick
 * is handled at the end of the call. Second, a call on another set, or a fork: either may hold libupc's
 * lock, so the tick is deferred. Third, libupc, called by the program directly and not through PAPI. Acting
 * on the tick is safe, because the core uses other units than the program; turns.c lists the calls on them.
 * Fourth, libmpx or another component of PAPI. Acting on the tick is safe, because the handler calls
 * neither.
 *
 * Terms: runtime/turns.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "runtime/in_call.h"
#include "runtime/slices.h"
#include "ticker/thread_exit.h"
#include "ticker/tick.h"
#include "ticker/timer.h"

struct mpxi_ticker {
	struct mpxi_timer timer;
	/*
	 * core and ticking order a tick and mpxi_slices_end; all accesses are sequentially consistent.
	 * on_tick_sig, in the ticker's thread, stores ticking and then loads core. mpxi_slices_end, in any
	 * thread, stores core and then loads ticking.
	 */
	_Atomic(struct mpxi_core *) core;
	atomic_bool ticking;
	/*
	 * Address of the set's pointer to this ticker (the argument of mpxi_slices_begin); NULL without a
	 * core. The ticker's thread changes this field without the lock, and other threads change it with
	 * the lock.
	 */
	_Atomic(_Atomic(struct mpxi_ticker *) *) holder;
	struct mpxi_ticker *next, *previous;
};

/* The handler reads both variables. They are initial-exec TLS, since their access must not allocate
 * memory. */
static __thread struct mpxi_ticker *mine __attribute__((tls_model("initial-exec")));
static __thread volatile sig_atomic_t forking __attribute__((tls_model("initial-exec")));

/*
 * Protects the list `tickers', `timers', `opened', and changes of a ticker's holder by another thread than
 * the ticker's. The ticker's thread changes holder without the lock, because a handler of the program may
 * stop its set and start it again. The lock of ticker/timer_signal.c may be taken while this lock is held.
 * No signal handler takes this lock. It is held across a fork, so that the child finds the list consistent.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpxi_ticker *tickers;
static struct mpxi_timers *timers; /* timers of all threads; NULL while no timer is open */
static unsigned opened;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int fork_error;

static bool inside_sig(void *context)
{
	(void)context;
	return forking || mpxi_in_call_sig();
}

/*
 * End a slice, in the handler of the timer's signal. Calls only the core, whose backend is turns.c, which
 * lists the calls that it makes in turn.
 */
static void on_tick_sig(void *context)
{
	struct mpxi_ticker *ticker = mine;
	struct mpxi_core *core;

	if (!ticker)
		return;
	/*
	 * Another thread that takes the core away (end_foreign_locked) waits while ticking is true, since
	 * this tick may still use the core.
	 */
	atomic_store(&ticker->ticking, true);
	core = atomic_load(&ticker->core);
	if (core)
		(void)mpxi_tick_sig(core, mpxi_tick_look_sig(core, context, inside_sig));
	atomic_store(&ticker->ticking, false);
}

/* ---- timers ------------------------------------------------------------------ */

static void close_timer_locked(struct mpxi_ticker *ticker)
{
	if (!ticker->timer.open)
		return;
	mpxi_timer_close(&ticker->timer);
	if (--opened)
		return;
	mpxi_timers_destroy(timers);
	timers = NULL;
}

static int open_timer_locked(uint64_t ns)
{
	int error = 0;

	if (mine->timer.open && mine->timer.slice_ns == ns)
		return 0;
	close_timer_locked(mine);
	if (!timers)
		error = mpxi_timers_create(MPXI_TIMER_AUTO, ns, 0, on_tick_sig, &timers);
	if (error)
		return error;
	error = mpxi_timer_open_for(&mine->timer, timers, ns);
	opened += !error;
	if (opened)
		return error;
	mpxi_timers_destroy(timers);
	timers = NULL;
	return error;
}

/* ---- threads ----------------------------------------------------------------- */

/*
 * Separate a ticker and its set. Clear the set's pointer first, so that a child forked between the two
 * stores finds no set that points to a ticker without a holder.
 */
static void let_go(struct mpxi_ticker *ticker)
{
	_Atomic(struct mpxi_ticker *) *holder = atomic_load(&ticker->holder);

	if (holder)
		atomic_store(holder, NULL);
	atomic_store(&ticker->holder, NULL);
}

/* End the ticker of a thread that ends. The core is not destroyed, since its set can still be stopped. */
static void end_thread_ticker(void *arg)
{
	struct mpxi_ticker *ticker = arg;

	mine = NULL;
	pthread_mutex_lock(&lock);
	close_timer_locked(ticker);
	let_go(ticker);
	if (ticker->previous)
		ticker->previous->next = ticker->next;
	else
		tickers = ticker->next;
	if (ticker->next)
		ticker->next->previous = ticker->previous;
	pthread_mutex_unlock(&lock);
	free(ticker);
}

static void lock_slices_before_fork(void)
{
	forking++;
	pthread_mutex_lock(&lock);
}

static void unlock_slices_after_fork(void)
{
	pthread_mutex_unlock(&lock);
	forking--;
}

/*
 * Forget all tickers in the child of a fork. The timers belong to the parent. The sets find out from the
 * process id that their cores do, too.
 */
static void drop_slices_in_child(void)
{
	struct mpxi_ticker *ticker, *next;

	if (mine)
		(void)mpxi_thread_exit_keep(NULL);
	mine = NULL;
	for (ticker = tickers; ticker; ticker = next) {
		next = ticker->next;
		mpxi_timer_forget(&ticker->timer);
		let_go(ticker);
		free(ticker);
	}
	tickers = NULL;
	mpxi_timers_forget(timers);
	timers = NULL;
	opened = 0;
	pthread_mutex_unlock(&lock);
	forking--;
}

/*
 * Register fork handlers and make this library stay loaded. Called when units exist, so libupc's fork
 * handlers are already registered. At a fork, libupc's lock is therefore taken after this file's lock. The
 * signal handler may begin in a thread just after the last use of this library, so this library must never
 * be unloaded.
 */
static void set_slices_up(void)
{
	Dl_info here;

	fork_error = pthread_atfork(lock_slices_before_fork, unlock_slices_after_fork, drop_slices_in_child);
	if (dladdr((void *)on_tick_sig, &here) && here.dli_fname)
		(void)dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static int make_ticker_locked(void)
{
	struct mpxi_ticker *ticker = mpxi_error_prepare() ? calloc(1, sizeof(*ticker)) : NULL;

	if (!ticker || mpxi_thread_exit_keep(ticker)) {
		free(ticker);
		return mpxi_error(MPXI_ENOMEM, "out of memory for a thread's slice timer");
	}
	ticker->next = tickers;
	if (tickers)
		tickers->previous = ticker;
	tickers = ticker;
	mine = ticker;
	return 0;
}

/* Make sure that the thread has a ticker with a timer for slices of ns nanoseconds. */
static int prepare_thread_ticker(uint64_t ns)
{
	int error;

	if (mine && mine->timer.open && mine->timer.slice_ns == ns)
		return 0;
	pthread_once(&once, set_slices_up);
	if (fork_error)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a fork's handlers");
	error = mpxi_thread_exit_prepare(end_thread_ticker);
	if (error)
		return error;
	pthread_mutex_lock(&lock);
	if (!mine)
		error = make_ticker_locked();
	if (!error)
		error = open_timer_locked(ns);
	pthread_mutex_unlock(&lock);
	return error;
}

int mpxi_slices_begin(_Atomic(struct mpxi_ticker *) *holder, struct mpxi_core *core, uint64_t ns)
{
	int error;

	if (mine && atomic_load(&mine->holder))
		return mpxi_error(MPXI_EISRUN, "another multiplexed set of this thread has events "
					       "that take turns: stop it first");
	error = prepare_thread_ticker(ns);
	if (error)
		return error;
	atomic_store(&mine->core, core);
	error = mpxi_timer_arm(&mine->timer);
	if (error) {
		atomic_store(&mine->core, NULL);
		return error;
	}
	atomic_store(&mine->holder, holder); /* stored before *holder, for the reason in let_go */
	atomic_store(holder, mine);
	return 0;
}

/*
 * Take the core from another thread's ticker. Waits for a tick that already uses the core, which takes
 * microseconds. The wait sleeps, because a yielding thread of higher priority would keep the other thread
 * from running. The wait uses the bare system call, because nanosleep is a cancellation point, and a
 * cancelled thread would end while holding the lock.
 */
static void end_foreign_locked(struct mpxi_ticker *ticker)
{
	static const struct timespec moment = {.tv_nsec = 20000};

	atomic_store(&ticker->core, NULL);
	while (atomic_load(&ticker->ticking))
		(void)syscall(SYS_nanosleep, &moment, NULL);
	let_go(ticker);
}

void mpxi_slices_end(_Atomic(struct mpxi_ticker *) *holder)
{
	struct mpxi_ticker *ticker = atomic_load(holder);

	if (!ticker)
		return;
	if (ticker == mine) {
		/* No tick is in progress: it would run on this thread's stack and end before this call
		 * continues. */
		mpxi_timer_disarm(&ticker->timer);
		atomic_store(&ticker->core, NULL);
		let_go(ticker);
		return;
	}
	pthread_mutex_lock(&lock);
	ticker = atomic_load(holder); /* the ticker's thread may have ended */
	if (ticker && atomic_load(&ticker->holder) == holder)
		end_foreign_locked(ticker);
	pthread_mutex_unlock(&lock);
}

int mpxi_slices_foreign(_Atomic(struct mpxi_ticker *) const *holder)
{
	const struct mpxi_ticker *ticker = atomic_load(holder);

	return ticker && ticker != mine;
}

bool mpxi_slices_overdue(_Atomic(struct mpxi_ticker *) const *holder)
{
	return mine && atomic_load(holder) == mine && mpxi_timer_mend(&mine->timer);
}
