/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_front.h - serves the page to browsers on this machine, and forwards its requests to pmproxy.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_FRONT_H
#define UTIL_SERVE_FRONT_H

struct serve_front {
	int listening;      /* socket at 127.0.0.1 */
	const char *socket; /* path of pmproxy's socket */
	const char *about;  /* JSON: the page's facts about this node */
};

/* Answer clients. Never returns. */
_Noreturn void serve_front_run(const struct serve_front *front);

/* The page's files, compiled in as lines. */
extern const char *const serve_page_html[], *const serve_page_css[], *const serve_page_js[];

#endif
