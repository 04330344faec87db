/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yielders.h - the clients for which the service steps aside: their processes and programs.
 * Terms: service/service.h.
 */
#ifndef SERVICE_YIELDERS_H
#define SERVICE_YIELDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service/control.h"

#define YIELDERS_PROGRAM_MAX 64u /* bytes of a program's name, including the NUL */

struct yielder {
	uint64_t client; /* number of the client */
	pid_t pid;
	uid_t uid;
	char program[YIELDERS_PROGRAM_MAX]; /* as given by the client, cut between characters; "": not given
					     */
};

struct yielders {
	struct yielder who[CONTROL_YIELDS_MAX];
	unsigned n;
};

/* Copy the program from a word "for=PROGRAM", cut to size. False: the word has another form. */
bool yielders_program(const char *word, char program[YIELDERS_PROGRAM_MAX]);

/* False: no room (add), or no such client (remove). */
bool yielders_add(struct yielders *yielders, const struct yielder *who);
bool yielders_remove(struct yielders *yielders, uint64_t client);

/* Add a field "yielded_for" to the text of a JSON object, if any client has yielded. Takes over reply;
 * returns it or a new text. */
char *yielders_put(const struct yielders *yielders, char *reply);

#endif
