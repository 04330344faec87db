/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_front.h - gives the page to browsers of this machine, and passes its questions to pmproxy.
 */
#ifndef UTIL_SERVE_FRONT_H
#define UTIL_SERVE_FRONT_H

struct serve_front {
	int listening;      /* socket of 127.0.0.1 */
	const char *socket; /* pmproxy's */
	const char *about;  /* JSON: what the page says of this node */
};

/* Answers for as long as the process lives. */
_Noreturn void serve_front_run(const struct serve_front *front);

/* The page's bytes, made of its files. */
extern const char *const serve_page_html[], *const serve_page_css[], *const serve_page_js[];

#endif
