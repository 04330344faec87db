/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * users.h - finds other processes that hold hardware counters: perf events and MSRs.
 * Terms: service/service.h.
 */
#ifndef SERVICE_USERS_H
#define SERVICE_USERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "service/service.h"

#define USERS_MAX 64u /* limit of users that are described; further users are only counted */

struct users;

struct users_options {
	pid_t self;    /* process to skip, together with its children; 0: the caller */
	bool software; /* include processes with only software events, which take no hardware counter */
};

/* Errors: UPC_ENOSUPP (no /proc), UPC_ENOMEM, UPC_EMFILE. */
int users_create(const struct users_options *options, struct users **users);
void users_destroy(struct users *users);

/*
 * Look at all processes. A process that ends meanwhile may be missed. users_hidden counts the processes that
 * an ordinary user may not look at. Errors: UPC_ESYSTEM (/proc cannot be listed); the former result then
 * stays.
 */
int users_look(struct users *users);

/* True if any user that the last users_look found still has a counter. Cheaper than users_look, but finds no
 * new users. */
bool users_still(struct users *users);

/* Return the users that the last users_look found: *count of them in the array, ordered by pid, and *more
 * others. */
const struct service_user *users_found(const struct users *users, unsigned *count, unsigned *more);

/* Return how many processes the last users_look was not allowed to look at. */
unsigned users_hidden(const struct users *users);

/* True if this /proc shows all processes of the machine: not in a container, and not with hidepid. */
bool users_all_here(void);

#endif
