/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.h - sends commands to the node service over its socket.
 */
#ifndef UTIL_CONTROL_H
#define UTIL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define UTIL_CONTROL_WHY 600 /* size of a reason, with its 0 */

struct util_control {
	int fd;         /* -1: no connection */
	char path[108]; /* of the socket */
	int wait_ms;    /* for an answer; negative: no limit */
	char *in;       /* received part of an answer, have bytes */
	size_t have, room;
	char why[UTIL_CONTROL_WHY]; /* the error, in a sentence or two */
};

/*
 * Connect to the service at path, or if path is NULL at $UPC_CONTROL, else to this user's private node, else
 * to the system's. The service must belong to root or to this user; root accepts any. Return 0, or -1 with
 * the attempts in why. Call util_control_close in both cases.
 */
int util_control_open(struct util_control *control, const char *path);
void util_control_close(struct util_control *control);

/* Send a command, given as words. Return the answer, which the caller frees: an object with a boolean "ok"
 * and a string "message". Return NULL with the reason in why. The connection is closed then, unless the words
 * could not be encoded. */
json_t *util_control_ask(struct util_control *control, const char *const *word, unsigned words);

#endif
