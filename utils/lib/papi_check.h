/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_check.h - whether PAPI can count events, asked before a program is run that counts them.
 */
#ifndef UTIL_PAPI_CHECK_H
#define UTIL_PAPI_CHECK_H

struct util_papi_events {
	const char *program;   /* that counts them, and may have a PAPI of its own */
	const char *events;    /* names with commas, or NULL                       */
	const char *covariate; /* of libmpx, or NULL                               */
};

/* Opens, adds and starts them as the program will, in a process of its own: 0, or UTIL_FAILED, said. */
int util_papi_check(const struct util_papi_events *wanted);

#endif
