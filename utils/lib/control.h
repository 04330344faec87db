/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.h - commands to the node service, over its socket: where it is, a connection, and
 * questions with their answers.
 */
#ifndef UTIL_CONTROL_H
#define UTIL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define UTIL_CONTROL_WHY 600 /* room for a reason, with its 0 */

struct util_control {
	int fd;         /* -1: there is no connection               */
	char path[108]; /* of the socket                            */
	int wait_ms;    /* for an answer; negative: however long    */
	char *in;       /* what has come of an answer: have bytes   */
	size_t have, room;
	char why[UTIL_CONTROL_WHY]; /* what went wrong, one sentence or two */
};

/*
 * Connects to the service at path; without one (NULL) at $UPC_CONTROL, else at the private node's
 * of this user, else at the system's. Only to a service of root or of this user; root to any.
 * 0, or -1, and why says what was tried. Then, too, util_control_close ends it.
 */
int util_control_open(struct util_control *control, const char *path);
void util_control_close(struct util_control *control);

/* A command as its words. The answer, which is the caller's: an object with a boolean "ok" and a
 * string "message". NULL: why says why there is none, and there is no connection any more, but for
 * words that cannot be sent. */
json_t *util_control_ask(struct util_control *control, const char *const *word, unsigned words);

#endif
