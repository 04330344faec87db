/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_upstream.h - asks pmproxy, over its own socket.
 */
#ifndef UTIL_SERVE_UPSTREAM_H
#define UTIL_SERVE_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>

struct serve_reply {
	int status;    /* of HTTP */
	char type[64]; /* of the body: "application/json" */
	char *body;    /* with a 0 behind it */
	size_t length;
};

/*
 * The reply to a GET of path; the caller frees its body. False, with errno, where pmproxy does not
 * answer within the seconds, or its answer is none.
 */
bool serve_upstream(const char *socket, const char *path, int seconds, struct serve_reply *reply);

/* The reply in these bytes, all that came: false where they are none. The body is a copy. */
bool serve_reply_read(const char *bytes, size_t length, struct serve_reply *reply);

#endif
