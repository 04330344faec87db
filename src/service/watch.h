/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.h - notices which other processes take hardware counters, and when these counters are free again.
 * Terms: service/service.h.
 */
#ifndef SERVICE_WATCH_H
#define SERVICE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "service/service.h"
#include "service/users.h"

#define WATCH_TICK_NS 200000000u   /* interval of reading the count of opens */
#define WATCH_PASS_NS 500000000u   /* interval of passes without a count of opens */
#define WATCH_SLOW_NS 10000000000u /* interval of passes if opens are counted, too */

struct watch;

/* Reads a number that grows with each open of an event. Returns 0 or a negative UPC_E*. */
struct watch_opens {
	int (*read)(void *arg, uint64_t *count);
	void *arg;
	const char *name; /* for texts: "a probe on perf_event_open" */
};

struct watch_options {
	struct users_options users;
	const struct watch_opens *opens; /* must outlive the watch; NULL: passes only */
	bool idle;                       /* the service has no hardware counter: slow passes */
};

/* Errors: those of users_create. */
int watch_create(const struct watch_options *options, struct watch **watch);
void watch_destroy(struct watch *watch);

/* Set whether the service has no hardware counters to yield. */
void watch_set_idle(struct watch *watch, bool idle);

/*
 * Look for users, if the time of the next look has come. now_ns never decreases. True if the results of
 * watch_users or watch_unseen have changed.
 */
bool watch_tick(struct watch *watch, uint64_t now_ns);

/* Return the time of the next look. */
uint64_t watch_due(const struct watch *watch);

/* Return the users that have hardware counters: *count of them in the array, and *more others. Valid until
 * the next tick. */
const struct service_user *watch_users(const struct watch *watch, unsigned *count, unsigned *more);

/* Return a text about users that cannot be noticed: which, why, and the remedy; "" if all are seen. Valid
 * until the next tick. */
const char *watch_unseen(const struct watch *watch);

/* Return how users are noticed, and how soon, in words. */
const char *watch_how(const struct watch *watch);

#endif
