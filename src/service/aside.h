/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aside.h - lets the service step aside for users of hardware counters: finds who else has counters
 * (watch.h), and decides whether the service's own counters run (yield.h). Only for the worker thread.
 * Terms: service/service.h.
 */
#ifndef SERVICE_ASIDE_H
#define SERVICE_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "service/service.h"

struct aside;

struct aside_options {
	bool notice;   /* step aside for users that are noticed; otherwise only report these users */
	bool hardware; /* the service has hardware counters */
	bool software; /* for tests without a PMU: treat software events of users as hardware counters */
};

/* Errors: UPC_ENOMEM, UPC_EMFILE. It is no error if some users cannot be noticed; aside_unseen then returns
 * the reason. */
int aside_create(const struct aside_options *options, struct aside **aside);
void aside_destroy(struct aside *aside);

/* Note that the first hardware counter was added or the last one removed. */
void aside_set_hardware(struct aside *aside, bool hardware);

/* Note that a client of upcctl run begins or has ended. Takes effect at once: call aside_runs afterwards. */
void aside_ask(struct aside *aside);
void aside_ask_no_more(struct aside *aside);

/* Look for users, if the time of the next look has come, and decide whether the counters run. now_ns never
 * decreases. True if the result of aside_runs, the texts or aside_users have changed. */
bool aside_tick(struct aside *aside, uint64_t now_ns);

/* Return the time of the next look. */
uint64_t aside_due(const struct aside *aside);

/* True if the hardware counters run. If they do not, their state is SERVICE_YIELDED, for the reason that
 * aside_why returns. */
bool aside_runs(const struct aside *aside);
const char *aside_why(const struct aside *aside);

/* Return the users that have hardware counters; valid until the next tick. */
const struct service_user *aside_users(const struct aside *aside, unsigned *count);

/* Return a text about users that cannot be noticed: which, why, and the remedy; "" if all are seen. */
const char *aside_unseen(const struct aside *aside);

/* Return how users are noticed, and how soon, for the reply to status. */
const char *aside_how(const struct aside *aside);

#endif
