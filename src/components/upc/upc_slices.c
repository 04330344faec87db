/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_slices.c - one timer a thread, one signal handler for all sets whose slices are of
 * one length.
 *
 * What the handler may interrupt. A call on the set itself holds the core: the tick is
 * acted on at its end. A call on another set, or a fork, may hold libupc's lock: the
 * tick is dropped, and the slice ends with the next one. A program that calls libupc
 * itself, beside PAPI, may be interrupted in there: the core uses units of its own, and
 * upc_turns.c lists what is called on them.
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

#include "mpx/core/error.h"
#include "mpx/ticker/timer.h"
#include "upc_slices.h"

/* Timers of one slice length: they share a signal. */
struct slicer {
	uint64_t ns;
	unsigned users;
	struct mpxi_timers *timers;
	struct slicer *next;
};

struct upcp_ticker {
	struct mpxi_timer timer;
	struct slicer *slicer; /* NULL: the timer is not open */
	/* Partners: upcp_slices_end in any thread, and on_tick_sig in the ticker's. */
	_Atomic(struct mpxi_core *) core;
	atomic_bool ticking;
	struct upcp_ticker **holder; /* of the core's owner; NULL without a core */
	struct upcp_ticker *next, *previous;
};

/* The handler reads both: initial-exec, so that no access allocates. */
static __thread struct upcp_ticker *mine __attribute__((tls_model("initial-exec")));
static __thread volatile sig_atomic_t forking __attribute__((tls_model("initial-exec")));

/* Protects the lists, and all holders. The timers' own lock nests in it; no handler takes
 * it. Held across a fork, so that a child finds the lists whole. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slicer *slicers;
static struct upcp_ticker *tickers;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;

/* Calls nothing but the core, whose backend says what that calls. */
static void on_tick_sig(void *context)
{
	struct upcp_ticker *ticker = mine;
	struct mpxi_core *core;

	(void)context;
	if (!ticker || forking)
		return;
	/* Whoever takes the core away looks whether a tick has it still. */
	atomic_store(&ticker->ticking, true);
	core = atomic_load(&ticker->core);
	if (core && (mpxi_core_is_held_sig(core) || !upcp_inside_sig()))
		mpxi_core_tick_sig(core);
	atomic_store(&ticker->ticking, false);
}

/* ---- slice lengths ----------------------------------------------------------- */

static int get_slicer_locked(uint64_t ns, struct slicer **found)
{
	struct slicer *slicer = slicers;
	int error;

	while (slicer && slicer->ns != ns)
		slicer = slicer->next;
	if (!slicer) {
		slicer = calloc(1, sizeof(*slicer));
		if (!slicer)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a slice timer");
		slicer->ns = ns;
		error = mpxi_timers_create(MPXI_TIMER_AUTO, ns, 0, on_tick_sig, &slicer->timers);
		if (error) {
			free(slicer);
			return error;
		}
		slicer->next = slicers;
		slicers = slicer;
	}
	slicer->users++;
	*found = slicer;
	return 0;
}

static void put_slicer_locked(struct slicer *slicer)
{
	struct slicer **link;

	if (--slicer->users)
		return;
	for (link = &slicers; *link != slicer; link = &(*link)->next)
		;
	*link = slicer->next;
	mpxi_timers_destroy(slicer->timers);
	free(slicer);
}

/* ---- threads ----------------------------------------------------------------- */

static void close_timer_locked(struct upcp_ticker *ticker)
{
	if (!ticker->slicer)
		return;
	mpxi_timer_close(&ticker->timer);
	put_slicer_locked(ticker->slicer);
	ticker->slicer = NULL;
}

/* The core stays where it is: its owner can still stop it. */
static void end_of_thread(void *arg)
{
	struct upcp_ticker *ticker = arg;

	pthread_mutex_lock(&lock);
	close_timer_locked(ticker);
	mine = NULL;
	if (ticker->holder)
		*ticker->holder = NULL;
	if (ticker->previous)
		ticker->previous->next = ticker->next;
	else
		tickers = ticker->next;
	if (ticker->next)
		ticker->next->previous = ticker->previous;
	pthread_mutex_unlock(&lock);
	free(ticker);
}

static void before_fork(void)
{
	forking++;
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
	forking--;
}

/* The timers are the parent's; the cores' owners find out by their process. */
static void in_child(void)
{
	struct upcp_ticker *ticker, *next;
	struct slicer *slicer;

	for (ticker = tickers; ticker; ticker = next) {
		next = ticker->next;
		if (ticker->slicer)
			mpxi_timer_forget(&ticker->timer);
		if (ticker->holder)
			*ticker->holder = NULL;
		free(ticker);
	}
	tickers = NULL;
	mine = NULL;
	while ((slicer = slicers)) {
		slicers = slicer->next;
		mpxi_timers_forget(slicer->timers);
		free(slicer);
	}
	(void)pthread_setspecific(key, NULL);
	pthread_mutex_unlock(&lock);
	forking--;
}

/*
 * Only when units are there: libupc's handlers of forks are installed by then, and run
 * inside of these. The handler may begin on a thread just after its last use: this
 * library is never unloaded from here on.
 */
static void set_up(void)
{
	Dl_info here;

	key_error = pthread_key_create(&key, end_of_thread);
	if (!key_error)
		key_error = pthread_atfork(before_fork, after_fork, in_child);
	if (dladdr((void *)on_tick_sig, &here) && here.dli_fname)
		(void)dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static int make_ticker_locked(void)
{
	struct upcp_ticker *ticker = mpxi_error_prepare() ? calloc(1, sizeof(*ticker)) : NULL;

	if (!ticker || pthread_setspecific(key, ticker)) {
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

static int open_timer_locked(uint64_t ns)
{
	struct slicer *slicer = NULL;
	int error;

	if (mine->slicer && mine->slicer->ns == ns)
		return 0;
	error = get_slicer_locked(ns, &slicer);
	if (error)
		return error;
	close_timer_locked(mine);
	error = mpxi_timer_open(&mine->timer, slicer->timers);
	if (error)
		put_slicer_locked(slicer);
	else
		mine->slicer = slicer;
	return error;
}

int upcp_slices_begin(struct upcp_ticker **holder, struct mpxi_core *core, uint64_t ns)
{
	int error = 0;

	pthread_once(&once, set_up);
	if (key_error)
		return mpxi_error(MPXI_ENOMEM, "no thread-specific key is left for the end of threads");
	if (mine && mine->holder)
		return mpxi_error(MPXI_EISRUN, "another multiplexed set of this thread has events "
					       "that take turns: stop it first");
	pthread_mutex_lock(&lock);
	if (!mine)
		error = make_ticker_locked();
	if (!error)
		error = open_timer_locked(ns);
	if (!error) {
		atomic_store(&mine->core, core);
		error = mpxi_timer_arm(&mine->timer);
		if (error)
			atomic_store(&mine->core, NULL);
	}
	if (!error) {
		mine->holder = holder;
		*holder = mine;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

void upcp_slices_end(struct upcp_ticker **holder)
{
	static const struct timespec moment = {.tv_nsec = 20000};
	struct upcp_ticker *ticker;

	pthread_mutex_lock(&lock);
	ticker = *holder;
	if (ticker) {
		if (ticker == mine)
			mpxi_timer_disarm(&ticker->timer);
		atomic_store(&ticker->core, NULL);
		/* A tick that has the core already, in another thread, is a matter of
		 * microseconds; in this thread it would lie above us on the stack. Sleeps: a
		 * thread of higher priority that only yields would keep the other off. By the
		 * bare call: nanosleep would let a cancelled thread end with the lock. */
		while (ticker != mine && atomic_load(&ticker->ticking))
			(void)syscall(SYS_nanosleep, &moment, NULL);
		ticker->holder = NULL;
		*holder = NULL;
	}
	pthread_mutex_unlock(&lock);
}

int upcp_slices_foreign(struct upcp_ticker *const *holder)
{
	return *holder && *holder != mine;
}

bool upcp_slices_overdue(struct upcp_ticker *const *holder)
{
	return *holder && *holder == mine && mpxi_timer_mend(&mine->timer);
}

uint64_t upcp_slices_cpu_sig(void)
{
	return mpxi_timer_cpu_sig();
}
