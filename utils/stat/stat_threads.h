/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_threads.h - a unit for each thread of the program and of its children,
 * from the thread's birth to its end.
 *
 * upc_stat traces the program: every thread stops when it is born, until its
 * unit runs, and once more when it ends, until the unit is read. No counts of a
 * thread are therefore missed, however short it lives.
 */
#ifndef STAT_THREADS_H
#define STAT_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

#include "stat/stat_parts.h"

struct stat_threads {
	struct stat_parts parts; /* in the order of their birth */
	pid_t main;
	unsigned uncounted; /* threads that got no unit */
	bool no_memory;
};

/*
 * Begins to trace the program, which waits for its release, with a unit that
 * its exec starts: *unit, not yet with events, is for the caller to fill and to
 * start. Returns 0, or -1 with the error said.
 */
int stat_threads_begin(struct stat_threads *threads, struct stat_events *events, pid_t pid,
		       struct upc_unit **unit);

/* The events are added: makes the first thread's record. 0 or -1. */
int stat_threads_ready(struct stat_threads *threads, struct upc_unit *unit);

/* Looks after all threads that have stopped or ended. True when the program
 * itself has ended; then it is still to be reaped. */
bool stat_threads_serve(struct stat_threads *threads);

/* Brings the values of living threads up to date. */
void stat_threads_read(struct stat_threads *threads);

/* The program has ended: reads and destroys the units that are left. */
void stat_threads_end(struct stat_threads *threads);

#endif
