/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aside.h - the service out of the users' way: who else has counters (watch.h), and whether its own
 * run (yield.h). For the worker alone.
 */
#ifndef SERVICE_ASIDE_H
#define SERVICE_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "service/service.h"

struct aside;

struct aside_options {
	bool notice;   /* users who are seen are made way for; without it they are only told of */
	bool hardware; /* the service has counters of the hardware                              */
	bool software; /* for tests without a PMU: a user's software events are as good          */
};

/* Errors: UPC_ENOMEM, UPC_EMFILE. A use that cannot be noticed is no error: aside_unseen names it. */
int aside_create(const struct aside_options *options, struct aside **aside);
void aside_destroy(struct aside *aside);

/* Counters of the hardware were added first, or removed last. */
void aside_set_hardware(struct aside *aside, bool hardware);

/* A client of upcctl run begins, or has ended. Take effect at once: then ask aside_runs. */
void aside_ask(struct aside *aside);
void aside_ask_no_more(struct aside *aside);

/* Looks, if it is time to, and decides. now_ns never goes back. Returns whether aside_runs, or what the
 * texts and aside_users say, has changed. */
bool aside_tick(struct aside *aside, uint64_t now_ns);

/* When it is time again. */
uint64_t aside_due(const struct aside *aside);

/* Whether the hardware counters run; else the state is SERVICE_YIELDED, and aside_why is its reason. */
bool aside_runs(const struct aside *aside);
const char *aside_why(const struct aside *aside);

/* The users that have hardware counters, valid until the next tick. */
const struct service_user *aside_users(const struct aside *aside, unsigned *count);

/* The users whose use cannot be noticed, why, and the remedy, in words; "" where all are seen. */
const char *aside_unseen(const struct aside *aside);

/* How users are noticed and how soon: for status. */
const char *aside_how(const struct aside *aside);

#endif
