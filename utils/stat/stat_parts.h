/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_parts.h - upc_stat's counts of each part (threads, processes, CPUs or groups of these), and their
 * sums.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_PARTS_H
#define STAT_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stat/stat_events.h"

/* The kind of the parts. */
enum stat_by {
	STAT_BY_NONE,
	STAT_BY_THREAD,
	STAT_BY_PROCESS,
	STAT_BY_CPU,
	STAT_BY_CORE,
	STAT_BY_SOCKET,
	STAT_BY_NODE
};

struct stat_part {
	pid_t tid, pid; /* a thread's ID and its process's; a process has only pid; otherwise 0 */
	char name[32];
	struct upc_unit *unit; /* NULL: not counted, ended, or made of other parts */
	uint64_t *values;      /* n_own event values since the part began */
	uint64_t *before;      /* what values was at the end of the last interval */
	uint64_t *terms;       /* n_terms terms of the ratios, since the part began */
	unsigned *flags;
	bool ended;
	int64_t born, died; /* times of start and end in ns of CLOCK_MONOTONIC */
};

struct stat_parts {
	const struct stat_events *events;
	struct stat_part *part; /* the parts, in the order of their creation */
	unsigned n;
};

/* Append an empty part. Return NULL if memory is short. */
struct stat_part *stat_parts_add(struct stat_parts *parts);

/* Update values, terms and flags. A stopped unit supplies its final values. */
void stat_part_read(const struct stat_events *events, struct stat_part *part);

/* Read the thread's current name and process from /proc. After the thread ended, both keep their last
 * values. */
void stat_part_read_name(struct stat_part *thread);

/*
 * Combine the values of each own event over n parts, since the parts began: the sum of a count, the ratio of
 * the summed terms, or the maximum of any other level. which has the indices of the parts; NULL: the first n.
 * The combined flags of an event have UPC_COUNTER_NEVER only if no part counted the event.
 */
void stat_parts_sum(const struct stat_parts *parts, const unsigned *which, unsigned n, uint64_t *values,
		    unsigned *flags);

/* End an interval: the current values become the start of the next interval. */
void stat_parts_end_interval(struct stat_parts *parts);

void stat_parts_free(struct stat_parts *parts);

#endif
