/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yielders.h - the clients for which the service steps aside: who they are, and what they run.
 */
#ifndef SERVICE_YIELDERS_H
#define SERVICE_YIELDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service/control.h"

#define YIELDERS_PROGRAM_MAX 64u /* bytes of what it runs, with the 0 */

struct yielder {
	uint64_t client; /* its number */
	pid_t pid;
	uid_t uid;
	char program[YIELDERS_PROGRAM_MAX]; /* as it says; whole characters; "": it does not say */
};

struct yielders {
	struct yielder who[CONTROL_YIELDS_MAX];
	unsigned n;
};

/* The program of a word "for=PROGRAM", cut; false: the word is another. */
bool yielders_program(const char *word, char program[YIELDERS_PROGRAM_MAX]);

/* False: there is no room, or it was not there. */
bool yielders_add(struct yielders *yielders, const struct yielder *who);
bool yielders_remove(struct yielders *yielders, uint64_t client);

/* The text of a JSON object with a field "yielded_for" more, where there is anybody; takes the text, and
 * gives back another, or the same. */
char *yielders_put(const struct yielders *yielders, char *reply);

#endif
