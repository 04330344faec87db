/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_threads.h - a unit for each thread of the program and of its children,
 * from the thread's birth to its end.
 *
 * upc_stat traces the program: every thread stops when it is born, until its
 * unit runs, and once more when it ends, until the unit is read. So nothing of
 * a thread is missed, however short it lives.
 */
#ifndef STAT_THREADS_H
#define STAT_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stat_events.h"

struct stat_thread {
	pid_t tid, pid; /* pid: the process that it belongs to */
	char name[32];
	struct upc_unit *unit;     /* NULL: not counted, or ended */
	uint64_t *values;          /* n_own of the events, since its birth */
	uint64_t *before;          /* the same as of the last interval     */
	uint64_t *terms;           /* n_terms of their ratios, since its birth */
	unsigned *flags;
	bool ended;
	int64_t born, died;        /* monotonic ns */
};

struct stat_threads {
	const struct stat_events *events;
	pid_t main;
	struct stat_thread *thread; /* in the order of their birth */
	unsigned n, room;
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

/*
 * Event i (below n_own) of n threads together, since their births: a count's sum, a
 * ratio of sums, the largest of other levels. which has their numbers; NULL: the first n.
 */
uint64_t stat_threads_together(const struct stat_threads *threads, const unsigned *which, unsigned n,
			       unsigned i);

/* The program has ended: reads and destroys the units that are left. */
void stat_threads_end(struct stat_threads *threads);

void stat_threads_free(struct stat_threads *threads);

#endif
