/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.h - for tools that put a library between a program and those that it is linked with: can
 * that be done, before the program runs, and the word to the dynamic linker.
 */
#ifndef UTIL_PRELOAD_H
#define UTIL_PRELOAD_H

/* A library whose calls are not seen where it is in the program itself. */
struct util_preload_inside {
	const char *function; /* that it defines; NULL behind the last */
	const char *whose, *library;
};

struct util_preload {
	const char *tool;
	const char *between, *library; /* the program and "PAPI", which is "libpapi.so" */
	const struct util_preload_inside *inside;
};

/* 0: it may be run as execvp would; else the exit status: 127 not there, 126 cannot be run, 125 the
 * library would not be loaded, or see nothing. It has been said. PAPI inside the program is refused
 * for all. */
int util_preload_check(const char *program, const struct util_preload *preload);

/* Adds the tool's library to $LD_PRELOAD. 0, or the exit status; it has been said. */
int util_preload_add(const char *path, const char *tool);

#endif
