/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_threads.h - a unit for each thread of the program and of its children, from the thread's start to its
 * end.
 *
 * upc_stat traces the program. Every thread stops at its start until its unit runs, and again at its end
 * until the unit is read. Therefore no counts are missed, even of very short threads.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_THREADS_H
#define STAT_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

#include "stat/stat_parts.h"

struct stat_threads {
	struct stat_parts parts; /* the threads, in the order of their start */
	pid_t main;
	unsigned uncounted; /* threads without a unit */
	bool no_memory;
};

/*
 * Trace the program, which still waits for stat_run_release, and create a unit that exec starts. The caller
 * adds events to *unit and starts it. Return 0, or -1 after printing an error.
 */
int stat_threads_begin(struct stat_threads *threads, struct stat_events *events, pid_t pid,
		       struct upc_unit **unit);

/* Create the first thread's record, after the events were added. Return 0, or -1 after printing an error. */
int stat_threads_ready(struct stat_threads *threads, struct upc_unit *unit);

/* Handle all threads that have stopped or ended. Return true if the program itself has ended; the caller must
 * then reap the program. */
bool stat_threads_serve(struct stat_threads *threads);

/* Update the values of living threads. */
void stat_threads_read(struct stat_threads *threads);

/* Read and destroy the remaining units, after the program's end. */
void stat_threads_end(struct stat_threads *threads);

#endif
