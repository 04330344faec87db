/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_check.h - checks that PAPI can count events, before a program runs that counts them.
 *
 * Terms: lib/common.h.
 */
#ifndef UTIL_PAPI_CHECK_H
#define UTIL_PAPI_CHECK_H

struct util_papi_events {
	const char *program;   /* the program that counts, which may have its own PAPI */
	const char *events;    /* names separated by commas, or NULL */
	const char *covariate; /* covariate of libmpx, or NULL */
};

/* Open, add and start the events as the program will, in a child process. Return 0, or UTIL_FAILED after
 * printing an error. */
int util_papi_check(const struct util_papi_events *wanted);

#endif
