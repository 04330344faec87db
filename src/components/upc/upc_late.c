/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_late.c - opens the component at its first use, in one thread and never while a fork is under
 * way. This file includes only PAPI's public header.
 *
 * Terms: upc_set.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <errno.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upc_fork.h"
#include "upc_late.h"
#include "upc_report.h"

static PAPI_component_info_t *cmp;
static struct upcp_opened *opened;
static void (*on_open)(void);

/*
 * The current enum upcp_late. The release store in enter_state, after all data of the new state are
 * written, pairs with the acquire load in upcp_late_state.
 */
static int state;

/*
 * Held by the thread that opens the component. The thread takes libupc's locks while it holds this
 * lock. No signal handler takes the lock. A forked child initialises the lock again; if another thread was
 * opening the component, the child opens the component itself.
 */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/*
 * Keeps loads of libupc and forks apart. libupc registers its fork handlers when it is loaded. A fork
 * that has begun before does not run these handlers, so no other thread may be inside libupc during
 * this fork. Therefore a thread that has loaded libupc waits for all forks that are under way, and a fork
 * waits for a load that is under way. No other lock is taken while turn.lock is held. It is held
 * across a fork.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int loading;
	unsigned forks;
} turn = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/*
 * Set while this thread forks. The thread then holds turn.lock. A prepare handler of the program,
 * which runs in this thread, may call PAPI.
 */
static __thread int forking __attribute__((tls_model("initial-exec")));

static void begin_fork(void)
{
	int cancellable;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	pthread_mutex_lock(&turn.lock);
	turn.forks++;
	while (turn.loading)
		pthread_cond_wait(&turn.changed, &turn.lock);
	forking = 1;
	pthread_setcancelstate(cancellable, NULL);
}

static void end_fork(void)
{
	forking = 0;
	turn.forks--;
	pthread_cond_broadcast(&turn.changed);
	pthread_mutex_unlock(&turn.lock);
}

static void end_fork_in_child(void)
{
	forking = 0;
	turn.forks = 0;
	turn.loading = 0;
	pthread_cond_init(&turn.changed, NULL);
	pthread_mutex_unlock(&turn.lock); /* held by this thread since begin_fork */
	pthread_mutex_init(&opening, NULL);
}

static const struct mpxi_libupc *load_library(char *reason, size_t size, int *lack)
{
	const struct mpxi_libupc *library;

	if (forking)
		return upcp_library_find(reason, size, lack);
	pthread_mutex_lock(&turn.lock);
	turn.loading = 1;
	pthread_mutex_unlock(&turn.lock);
	library = upcp_library_find(reason, size, lack);
	pthread_mutex_lock(&turn.lock);
	turn.loading = 0;
	pthread_cond_broadcast(&turn.changed);
	while (turn.forks)
		pthread_cond_wait(&turn.changed, &turn.lock);
	pthread_mutex_unlock(&turn.lock);
	return library;
}

static void enter_state(enum upcp_late reached)
{
	__atomic_store_n(&state, (int)reached, __ATOMIC_RELEASE);
}

enum upcp_late upcp_late_state(void)
{
	return (enum upcp_late)__atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

/*
 * Report the reason if the user set a variable that the reason names. PAPI itself says only that
 * the event does not exist.
 */
static void tell_of_setting(const char *reason)
{
	static const char *const names[] = {"UPC_LIBRARY", "UPC_SOURCE", "UPC_WIRING"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) && strstr(reason, names[i])) {
			upcp_report(UPCP_REPORT_SETTING, reason);
			return;
		}
}

/* Return the errno of a temporary failure, or 0 for other errors. */
static int lack_of(int error)
{
	return error == UPC_ENOMEM ? ENOMEM : error == UPC_EMFILE ? EMFILE : 0;
}

static int fail_for_now(int error)
{
	errno = error;
	return error == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS;
}

static int fail_for_good(void)
{
	cmp->initialized = 0;
	cmp->disabled = PAPI_ECMP;
	enter_state(UPCP_LATE_FAILED);
	tell_of_setting(cmp->disabled_reason);
	return PAPI_ECMP_DISABLED;
}

static int late_open_locked(int on_demand)
{
	int lack, error = 0;
	const struct mpxi_libupc *library =
		load_library(cmp->disabled_reason, sizeof(cmp->disabled_reason), &lack);

	if (library) {
		error = upcp_open(library, on_demand, cmp, opened);
		lack = lack_of(error);
	}
	if (!library || error)
		return lack && on_demand ? fail_for_now(lack) : fail_for_good();
	cmp->initialized = 1;
	cmp->disabled = PAPI_OK;
	on_open();
	enter_state(UPCP_LATE_OPEN);
	return PAPI_OK;
}

static int describe_locked(void)
{
	int error = upcp_describe(opened, cmp);

	if (error)
		return fail_for_now(lack_of(error) ? lack_of(error) : EIO);
	enter_state(UPCP_LATE_DESCRIBED);
	return PAPI_OK;
}

static int reach_locked(enum upcp_late wanted, int on_demand)
{
	int error = PAPI_OK;

	if (upcp_late_state() <= UPCP_LATE_CLOSED)
		return PAPI_ECMP_DISABLED;
	if (upcp_late_state() < UPCP_LATE_OPEN)
		error = late_open_locked(on_demand);
	if (error == PAPI_OK && upcp_late_state() < wanted)
		error = describe_locked();
	return error;
}

struct undisturbed {
	sigset_t signals;
	int cancellable;
};

/*
 * Block all signals, disable cancellation and take the lock `opening`. Otherwise a signal handler that
 * calls PAPI would wait for a lock that its own thread holds. Return 0, or EBUSY if this thread is
 * forking and another thread holds the lock, because that thread may be waiting for this fork.
 */
static int begin_opening(struct undisturbed *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancellable);
	pthread_sigmask(SIG_SETMASK, &all, &before->signals);
	return forking ? pthread_mutex_trylock(&opening) : pthread_mutex_lock(&opening);
}

static void end_opening(const struct undisturbed *before, int busy)
{
	if (!busy)
		pthread_mutex_unlock(&opening);
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
	pthread_setcancelstate(before->cancellable, NULL);
}

static int reach_state(enum upcp_late wanted, int on_demand)
{
	struct undisturbed before;
	int busy = begin_opening(&before);
	int error = busy ? fail_for_now(EAGAIN) : reach_locked(wanted, on_demand);

	end_opening(&before, busy);
	return error;
}

int upcp_late_open(enum upcp_late wanted)
{
	return upcp_late_state() >= wanted ? PAPI_OK : reach_state(wanted, 1);
}

#ifdef UPC_PRESETS
#define HAS_PRESETS 1
#else
#define HAS_PRESETS 0
#endif

/*
 * True if forks may wait for the loading of libupc. glibc before 2.36 holds a lock while it runs
 * prepare handlers, and a library that is being loaded takes that lock to register its own
 * handlers. With such a glibc a fork must not wait for a load.
 */
static int can_forks_wait(void)
{
#ifdef __GLIBC__
	return strverscmp(gnu_get_libc_version(), "2.36") >= 0;
#else
	return 0;
#endif
}

static int is_needed_now(void)
{
	const char *wiring = secure_getenv("UPC_WIRING");

	return HAS_PRESETS || upcp_source_is_chosen() || (wiring && *wiring) || !can_forks_wait();
}

static int watch_component_forks(void)
{
	static struct upcp_fork fork = {begin_fork, end_fork, end_fork_in_child, 0};

	if (upcp_fork_register(&fork) == 0)
		return PAPI_OK;
	snprintf(cmp->disabled_reason, sizeof(cmp->disabled_reason), "Out of memory.");
	return PAPI_ENOMEM;
}

int upcp_late_prepare(PAPI_component_info_t *info, struct upcp_opened *place, void (*when_open)(void))
{
	cmp = info;
	opened = place;
	on_open = when_open;
	if (can_forks_wait() && watch_component_forks() != PAPI_OK)
		return PAPI_ENOMEM;
	enter_state(UPCP_LATE_DELAYED);
	if (is_needed_now())
		return reach_state(UPCP_LATE_DESCRIBED, 0) == PAPI_OK ? watch_component_forks()
								      : cmp->disabled;
	snprintf(
		cmp->disabled_reason, sizeof(cmp->disabled_reason),
		"Not initialised. Opened at its first use: an event's name, a list of events, an event set.");
	return PAPI_EDELAY_INIT;
}

struct upc_catalogue *upcp_late_close(void)
{
	struct upc_catalogue *catalogue = NULL;
	struct undisturbed before;
	int busy = begin_opening(&before);

	if (opened && !busy) {
		catalogue = opened->catalogue;
		opened->catalogue = NULL;
	}
	enter_state(UPCP_LATE_CLOSED);
	end_opening(&before, busy);
	return catalogue;
}
