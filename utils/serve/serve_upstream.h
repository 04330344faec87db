/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_upstream.h - sends requests to pmproxy over its own socket.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_UPSTREAM_H
#define UTIL_SERVE_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>

struct serve_reply {
	int status;    /* HTTP status */
	char type[64]; /* of the body: "application/json" */
	char *body;    /* NUL-terminated */
	size_t length;
};

/*
 * Send GET for the path, and store the reply; the caller frees its body. False, with errno, if pmproxy does
 * not answer within this number of seconds, or if its answer is invalid.
 */
bool serve_upstream(const char *socket, const char *path, int seconds, struct serve_reply *reply);

/* Parse a complete reply. False if it is invalid. The body is a copy. */
bool serve_reply_read(const char *bytes, size_t length, struct serve_reply *reply);

#endif
