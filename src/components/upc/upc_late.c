/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_late.c - when the component is opened, by one thread, and with no fork in between. Of PAPI only
 * its public header.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <errno.h>
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

/* An enum upcp_late: stored with release when what it stands for is there, loaded with acquire. */
static int state;

/* Held by who opens; libupc's locks nest in it; no handler takes it. A child of a fork gets a new
 * one, and opens by itself what another thread was opening. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/*
 * Loading libupc and forks keep out of each other's way. A child would have half of a library; and
 * libupc's handlers, which are registered when it is loaded, do not run for a fork that
 * has begun before: nobody may be inside libupc then. So who loads waits for forks that are under
 * way, before and after, and those that begin meanwhile wait until libupc is loaded.
 * A leaf lock, held across a fork.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int loading;
	unsigned forks;
} turn = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* This thread forks: a handler of the program's that uses PAPI has turn.lock already. */
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
	pthread_mutex_init(&turn.lock, NULL);
	pthread_cond_init(&turn.changed, NULL);
	pthread_mutex_init(&opening, NULL);
}

static const struct upcp_library *load_library(char *reason, size_t size)
{
	const struct upcp_library *library;

	if (forking)
		return upcp_library_find(reason, size);
	pthread_mutex_lock(&turn.lock);
	turn.loading = 1;
	pthread_mutex_unlock(&turn.lock);
	library = upcp_library_find(reason, size);
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

/* Who has chosen something hears why it is not so: PAPI would only say that there is no such
 * event. Where nothing was chosen a PAPI without libupc stays silent. */
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

/* The loader says in words what it lacked. */
static int can_pass(const char *reason)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM};
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (strstr(reason, strerror(errors[i])))
			return errors[i];
	return 0;
}

static int fail_for_now(int error)
{
	if (error == ENOMEM)
		return PAPI_ENOMEM;
	errno = error;
	return PAPI_ESYS;
}

static int fail_for_good(void)
{
	cmp->initialized = 0;
	cmp->disabled = PAPI_ECMP;
	enter_state(UPCP_LATE_FAILED);
	tell_of_setting(cmp->disabled_reason);
	return PAPI_ECMP_DISABLED;
}

static int open_locked(int on_demand)
{
	char *const reason = cmp->disabled_reason;
	const struct upcp_library *library = load_library(reason, sizeof(cmp->disabled_reason));
	int error;

	if (!library) {
		error = can_pass(reason);
		return error && on_demand ? fail_for_now(error) : fail_for_good();
	}
	error = upcp_open(library, on_demand, cmp, opened);
	if (on_demand && (error == UPC_ENOMEM || error == UPC_EMFILE))
		return fail_for_now(error == UPC_ENOMEM ? ENOMEM : EMFILE);
	if (error)
		return fail_for_good();
	cmp->initialized = 1;
	cmp->disabled = PAPI_OK;
	on_open();
	enter_state(UPCP_LATE_OPEN);
	return PAPI_OK;
}

static int describe_locked(void)
{
	int error = upcp_describe(opened, cmp);

	if (error == UPC_ENOMEM || error == UPC_EMFILE)
		return fail_for_now(error == UPC_ENOMEM ? ENOMEM : EMFILE);
	if (error)
		return PAPI_ESYS;
	enter_state(UPCP_LATE_DESCRIBED);
	return PAPI_OK;
}

static int reach_locked(enum upcp_late wanted, int on_demand)
{
	int error = PAPI_OK;

	if (upcp_late_state() <= UPCP_LATE_CLOSED)
		return PAPI_ECMP_DISABLED;
	if (upcp_late_state() < UPCP_LATE_OPEN)
		error = open_locked(on_demand);
	if (error == PAPI_OK && upcp_late_state() < wanted)
		error = describe_locked();
	return error;
}

/* A handler on top of it that calls PAPI would wait for its own thread. */
static int reach(enum upcp_late wanted, int on_demand)
{
	sigset_t all, before;
	int cancellable, error;

	sigfillset(&all);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&opening);
	error = reach_locked(wanted, on_demand);
	pthread_mutex_unlock(&opening);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(cancellable, NULL);
	return error;
}

int upcp_late_open(enum upcp_late wanted)
{
	return upcp_late_state() >= wanted ? PAPI_OK : reach(wanted, 1);
}

static int is_chosen(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value && strcmp(value, "live") != 0;
}

#ifdef UPC_PRESETS
#define HAS_PRESETS 1
#else
#define HAS_PRESETS 0
#endif

static int is_needed_now(void)
{
	return HAS_PRESETS || is_chosen("UPC_SOURCE") || is_chosen("UPC_WIRING");
}

int upcp_late_prepare(PAPI_component_info_t *info, struct upcp_opened *place, void (*when_open)(void))
{
	static struct upcp_fork fork = {begin_fork, end_fork, end_fork_in_child, 0};

	cmp = info;
	opened = place;
	on_open = when_open;
	if (upcp_fork_register(&fork)) {
		snprintf(cmp->disabled_reason, sizeof(cmp->disabled_reason), "Out of memory.");
		return PAPI_ENOMEM;
	}
	enter_state(UPCP_LATE_DELAYED);
	if (is_needed_now())
		return reach(UPCP_LATE_DESCRIBED, 0) == PAPI_OK ? PAPI_OK : cmp->disabled;
	snprintf(
		cmp->disabled_reason, sizeof(cmp->disabled_reason),
		"Not initialised. Opened at its first use: an event's name, a list of events, an event set.");
	return PAPI_EDELAY_INIT;
}

void upcp_late_close(void)
{
	enter_state(UPCP_LATE_CLOSED);
}
