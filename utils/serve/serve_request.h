/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_request.h - checks requests to the page. pmproxy would answer requests of any web page, for any node
 * that pmproxy can reach, and would store values for the web page. pmproxy therefore has no port, and only
 * requests that serve_request.c allows are forwarded to it.
 *
 * Pure, without I/O and global state: converts bytes to a kind of answer.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_REQUEST_H
#define UTIL_SERVE_REQUEST_H

#include <stddef.h>

#define SERVE_REQUEST_MAX 32768 /* limit of a request with its head, in bytes */

enum serve_answer {
	SERVE_MORE,      /* the request is incomplete */
	SERVE_PAGE,      /* the page */
	SERVE_STYLE,     /* the page's style */
	SERVE_SCRIPT,    /* the page's script */
	SERVE_ABOUT,     /* the page's facts about this node */
	SERVE_FORWARD,   /* pmproxy's answer to path */
	SERVE_BAD,       /* 400: not a request */
	SERVE_FORBIDDEN, /* 403: from another page, or by another host name */
	SERVE_NOTHING,   /* 404 */
	SERVE_METHOD,    /* 405: GET only */
	SERVE_LARGE      /* 431 */
};

/* For SERVE_FORWARD, store the path for pmproxy, including its NUL. */
enum serve_answer serve_request(const char *bytes, size_t length, char path[SERVE_REQUEST_MAX]);

#endif
