/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slices.c - one timer per thread and one signal for all sets whose events take turns. libmpx
 * decides what a tick may do (ticker/tick.h). This file reports whether the thread is inside a call
 * or a fork.
 *
 * A tick may interrupt four kinds of code. First, a call on the same set holds the core, and the
 * tick is handled at the end of that call. Second, a call on another set, or a fork, may hold
 * libupc's lock, and the tick is deferred. Third, a program that calls libupc directly, not through
 * PAPI, may be interrupted inside libupc. This is safe because the core uses separate units, and
 * turns.c lists the calls on them. Fourth, a program inside libmpx, or inside another component of
 * PAPI, may be interrupted because the handler calls neither.
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
	 * core and ticking order a tick against mpxi_slices_end, with sequentially consistent
	 * atomics. on_tick_sig, in the ticker's thread, stores ticking and then loads core.
	 * mpxi_slices_end, in any thread, stores core and then loads ticking.
	 */
	_Atomic(struct mpxi_core *) core;
	atomic_bool ticking;
	/*
	 * Address of the owner's pointer to this ticker, NULL without a core. The ticker's thread
	 * changes this field without the lock, and other threads change it with the lock.
	 */
	_Atomic(_Atomic(struct mpxi_ticker *) *) holder;
	struct mpxi_ticker *next, *previous;
};

/* The handler reads both variables. initial-exec: no access allocates. */
static __thread struct mpxi_ticker *mine __attribute__((tls_model("initial-exec")));
static __thread volatile sig_atomic_t forking __attribute__((tls_model("initial-exec")));

/*
 * Protects the list, the process's timers, and changes of holder by a thread other than the
 * ticker's. The ticker's thread changes holder without the lock, because a handler of the program
 * may stop its set and start it again. The lock of the timers nests in this lock. No signal handler
 * takes it. It is held across a fork, so that a child finds the list consistent.
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
 * End a slice. The handler calls only the core; turns.c, the core's backend, lists the calls that
 * follow.
 */
static void on_tick_sig(void *context)
{
	struct mpxi_ticker *ticker = mine;
	struct mpxi_core *core;

	if (!ticker)
		return;
	/*
	 * A thread that takes the core away checks ticking, in case this tick still uses the core.
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
 * Separate a ticker and its owner. The owner's pointer is cleared first. A child forked in between
 * then finds no owner that points to a ticker without a holder.
 */
static void let_go(struct mpxi_ticker *ticker)
{
	_Atomic(struct mpxi_ticker *) *holder = atomic_load(&ticker->holder);

	if (holder)
		atomic_store(holder, NULL);
	atomic_store(&ticker->holder, NULL);
}

/* End the ticker of a thread that ends. The core is not destroyed: its owner can still stop it. */
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
 * Forget all tickers in the child of a fork. The timers belong to the parent, and the owners of
 * cores compare their process id.
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
 * Register fork handlers and make this library stay loaded. Called when units exist, so libupc's
 * fork handlers are already registered, and libupc's lock is nested in this file's lock during a
 * fork. The signal handler may begin in a thread just after the last use of this library, so this
 * library must never be unloaded.
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
	atomic_store(&mine->holder, holder); /* before *holder: see let_go */
	atomic_store(holder, mine);
	return 0;
}

/*
 * Take the core from another thread's ticker, with lock held. Waits for a tick that already uses
 * the core, which takes microseconds. The wait sleeps, because a thread of higher priority that
 * only yields would keep the other thread from running. It uses the bare system call, because
 * nanosleep is a cancellation point, and a cancelled thread would end while holding the lock.
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
		/* No tick can be running: it would run on this thread's stack, above this call. */
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
