/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.h - sends commands to the node service over its socket.
 *
 * Terms: lib/common.h.
 */
#ifndef UTIL_CONTROL_H
#define UTIL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define UTIL_CONTROL_WHY 600 /* size of a reason, with its 0 */

struct util_control {
	int fd;         /* -1: no connection */
	char path[108]; /* path of the socket */
	int wait_ms;    /* maximum time to wait for an answer, in ms; negative: no limit */
	char *in;       /* the first have bytes are the received part of an answer */
	size_t have, room;
	char why[UTIL_CONTROL_WHY]; /* the error, in a sentence or two */
};

/*
 * Connect to the service at path. If path is NULL, connect to the service at $UPC_CONTROL or, if this is not
 * set, to this user's private node or else to the system's service. The service must belong to root or to
 * this user; if this user is root, it may belong to any user. Return 0, or -1 with a list of the attempts in
 * why. Call util_control_close in both cases.
 */
int util_control_open(struct util_control *control, const char *path);
void util_control_close(struct util_control *control);

/* Send a command, given as words. Return the answer, which the caller frees: an object with a boolean "ok"
 * and a string "message". On failure return NULL with the reason in why; the connection is then closed,
 * unless the words could not be encoded. */
json_t *util_control_ask(struct util_control *control, const char *const *word, unsigned words);

#endif
