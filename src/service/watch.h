/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.h - notices who else takes hardware counters, and when they are free again.
 */
#ifndef SERVICE_WATCH_H
#define SERVICE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "service/service.h"
#include "service/users.h"

#define WATCH_TICK_NS 200000000u   /* between two looks at whether anybody opened an event */
#define WATCH_PASS_NS 500000000u   /* between two passes where nothing tells of that       */
#define WATCH_SLOW_NS 10000000000u /* and where it does, for what it does not tell         */

struct watch;

/* Tells of openings: a number that grows with each. Returns 0 or a negative UPC_E*. */
struct watch_opens {
	int (*read)(void *arg, uint64_t *count);
	void *arg;
	const char *name; /* "a probe on perf_event_open": for the text about it */
};

struct watch_options {
	struct users_options users;
	const struct watch_opens *opens; /* lives as long as the watch; NULL: passes alone          */
	bool idle;                       /* no counter of the service is of the hardware: slow passes */
};

/* Errors: those of users_create. */
int watch_create(const struct watch_options *options, struct watch **watch);
void watch_destroy(struct watch *watch);

/* Whether the service has hardware counters that it could step aside with. */
void watch_set_idle(struct watch *watch, bool idle);

/*
 * Looks, if it is time to. now_ns never goes back. Returns whether what watch_users or watch_unseen say
 * has changed.
 */
bool watch_tick(struct watch *watch, uint64_t now_ns);

/* When it is time again. */
uint64_t watch_due(const struct watch *watch);

/* The users that have hardware counters: count of them in the array, and more others. Valid until the
 * next tick. */
const struct service_user *watch_users(const struct watch *watch, unsigned *count, unsigned *more);

/* The users whose use cannot be noticed, why, and the remedy; "" where all are seen. Valid until the
 * next tick. */
const char *watch_unseen(const struct watch *watch);

/* How others are noticed, and how soon, in words. */
const char *watch_how(const struct watch *watch);

#endif
