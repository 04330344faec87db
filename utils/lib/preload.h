/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.h - for tools that preload a library between a program and its libraries: checks that this is
 * possible, and sets LD_PRELOAD.
 */
#ifndef UTIL_PRELOAD_H
#define UTIL_PRELOAD_H

/* A library whose calls cannot be intercepted if it is linked into the program. */
struct util_preload_inside {
	const char *function; /* a function that the library defines; NULL ends an array */
	const char *whose, *library;
};

struct util_preload {
	const char *tool;
	const char *between, *library; /* for messages, for example "PAPI" and "libpapi.so" */
	const struct util_preload_inside *inside;
};

/* Check a program as execvp would find it. Return 0, or an exit status after printing an error: 127 not
 * found, 126 cannot be run, 125 the library would not be loaded or would see no calls. A program with PAPI
 * linked in is always refused. */
int util_preload_check(const char *program, const struct util_preload *preload);

/* Add the tool's library to $LD_PRELOAD. Return 0, or an exit status after printing an error. */
int util_preload_add(const char *path, const char *tool);

#endif
