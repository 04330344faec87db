/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_parts.h - what upc_stat counts part by part: threads, processes, CPUs or groups of
 * these, each with counts of its own, and all of them together.
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
	pid_t tid, pid; /* of a thread its number and its process; of a process pid; else 0 */
	char name[32];
	struct upc_unit *unit; /* NULL: not counted, ended, or made of other parts */
	uint64_t *values;      /* n_own of the events, since it began      */
	uint64_t *before;      /* the same as of the last interval         */
	uint64_t *terms;       /* n_terms of their ratios, since it began  */
	unsigned *flags;
	bool ended;
	int64_t born, died; /* monotonic ns */
};

struct stat_parts {
	const struct stat_events *events;
	struct stat_part *part; /* in the order in which they came */
	unsigned n;
};

/* A new one at the end, of which nothing is known; NULL: there is no memory. */
struct stat_part *stat_parts_add(struct stat_parts *parts);

/* Brings values, terms and flags up to date; of a stopped unit takes what it holds. */
void stat_part_read(const struct stat_events *events, struct stat_part *part);

/* Takes the name that a thread has now, by its numbers; of one that has ended the last one stays. */
void stat_part_read_name(struct stat_part *thread);

/*
 * Each own event of n parts together, since they began: a count's sum, a ratio of sums, the
 * largest of other levels. which has their numbers; NULL: the first n. With flags: not counted is
 * what none of them has counted.
 */
void stat_parts_sum(const struct stat_parts *parts, const unsigned *which, unsigned n, uint64_t *values,
		    unsigned *flags);

/* The end of an interval: what was counted until now was before the next one. */
void stat_parts_end_interval(struct stat_parts *parts);

void stat_parts_free(struct stat_parts *parts);

#endif
