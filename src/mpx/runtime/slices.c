/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slices.c - one timer a thread, one signal for all sets that take turns. libmpx decides what a
 * tick may do (ticker/tick.h); this file says when the thread is inside.
 *
 * The handler may interrupt the following. A call on the set itself holds the core: the tick is
 * acted on at its end. A call on another set, or a fork, may hold libupc's lock: the tick is put
 * off. A program that calls libupc itself, beside PAPI, may be interrupted in there: the core uses
 * units of its own, and turns.c lists the calls on them. A program in libmpx, or in another
 * component of PAPI, may be interrupted too: the handler calls neither.
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
	/* Partners: mpxi_slices_end in any thread, and on_tick_sig in the ticker's. */
	_Atomic(struct mpxi_core *) core;
	atomic_bool ticking;
	/* The field of the core's owner that points here; NULL without a core. Partners: the ticker's
	 * thread, and under lock all. */
	_Atomic(_Atomic(struct mpxi_ticker *) *) holder;
	struct mpxi_ticker *next, *previous;
};

/* The handler reads both: initial-exec, so that no access allocates. */
static __thread struct mpxi_ticker *mine __attribute__((tls_model("initial-exec")));
static __thread volatile sig_atomic_t forking __attribute__((tls_model("initial-exec")));

/* Protects the list, the process's timers, and holders where they are changed by another thread
 * than the ticker's, which needs no lock: a handler of the program's may stop its set and start it
 * again. The timers' own lock nests in it; no handler takes it. Held across a fork, so that a child
 * finds the list whole. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpxi_ticker *tickers;
static struct mpxi_timers *timers; /* of all threads, while one of them is open */
static unsigned opened;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int fork_error;

static bool inside_sig(void *context)
{
	(void)context;
	return forking || mpxi_in_call_sig();
}

/* Calls nothing but the core, whose backend says what that calls. */
static void on_tick_sig(void *context)
{
	struct mpxi_ticker *ticker = mine;
	struct mpxi_core *core;

	if (!ticker)
		return;
	/* Whoever takes the core away looks whether a tick has it still. */
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

/* In this order: a child of a fork meanwhile finds no owner whose ticker does not know of it. */
static void let_go(struct mpxi_ticker *ticker)
{
	_Atomic(struct mpxi_ticker *) *holder = atomic_load(&ticker->holder);

	if (holder)
		atomic_store(holder, NULL);
	atomic_store(&ticker->holder, NULL);
}

/* The core stays where it is: its owner can still stop it. */
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

/* The timers are the parent's; the cores' owners find out by their process. */
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
 * Only when units are there: libupc's handlers of forks are installed by then, and run
 * inside of these. The handler may begin on a thread just after its last use: this
 * library is never unloaded from here on.
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

/* The thread's, with a timer of such slices. */
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
	atomic_store(&mine->holder, holder); /* as in let_go */
	atomic_store(holder, mine);
	return 0;
}

/* A tick that has the core already is a matter of microseconds. Sleeps: a thread of higher priority
 * that only yields would keep the other off. By the bare call: nanosleep would let a cancelled
 * thread end with the lock. */
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
		/* A tick would lie above us on the stack. */
		mpxi_timer_disarm(&ticker->timer);
		atomic_store(&ticker->core, NULL);
		let_go(ticker);
		return;
	}
	pthread_mutex_lock(&lock);
	ticker = atomic_load(holder); /* its thread may have ended */
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
