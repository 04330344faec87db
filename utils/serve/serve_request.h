/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_request.h - what a client of the page may ask for. pmproxy answers any web page, on any node it can
 * reach, and stores for it: so it has no port, and what reaches it is written here, word by word.
 *
 * Pure: bytes in, an answer's kind out.
 */
#ifndef UTIL_SERVE_REQUEST_H
#define UTIL_SERVE_REQUEST_H

#include <stddef.h>

#define SERVE_REQUEST_MAX 32768 /* bytes of a request with its head */

enum serve_answer {
	SERVE_MORE,      /* the request is not whole yet */
	SERVE_PAGE,      /* the page */
	SERVE_STYLE,     /* ... its style */
	SERVE_SCRIPT,    /* ... its script */
	SERVE_ABOUT,     /* ... what it says of this node */
	SERVE_FORWARD,   /* pmproxy's answer to path */
	SERVE_BAD,       /* 400: no request */
	SERVE_FORBIDDEN, /* 403: from another page, or another name */
	SERVE_NOTHING,   /* 404 */
	SERVE_METHOD,    /* 405: GET only */
	SERVE_LARGE      /* 431 */
};

/* Writes the path for pmproxy, with its 0, where it is SERVE_FORWARD. */
enum serve_answer serve_request(const char *bytes, size_t length, char path[SERVE_REQUEST_MAX]);

#endif
