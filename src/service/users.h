/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * users.h - who else has counters of the hardware: perf events and MSRs that other processes hold.
 */
#ifndef SERVICE_USERS_H
#define SERVICE_USERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "service/service.h"

#define USERS_MAX 64u /* of whom more is known than how many they are */

struct users;

struct users_options {
	pid_t self;    /* who is not another, nor are its children; 0: the caller */
	bool software; /* also those whose events are all the kernel's own, and take no counter */
};

/* Errors: UPC_ENOSUPP (no /proc), UPC_ENOMEM, UPC_EMFILE. */
int users_create(const struct users_options *options, struct users **users);
void users_destroy(struct users *users);

/*
 * Looks at all processes. A process that ends meanwhile is not seen. users_hidden counts the processes
 * that an ordinary user may not look at.
 * Errors: UPC_ESYSTEM (/proc cannot be listed); then what was found before holds.
 */
int users_look(struct users *users);

/* Whether any of those that the last users_look found still has one: cheaper, and blind to others. */
bool users_still(struct users *users);

/* The users that the last users_look found: count of them, ordered by pid, and more others. */
const struct service_user *users_found(const struct users *users, unsigned *count, unsigned *more);

/* How many processes the last users_look was not allowed to look at. */
unsigned users_hidden(const struct users *users);

/* Whether all processes of the machine are in this /proc: not in a container, nor with hidepid. */
bool users_all_here(void);

#endif
