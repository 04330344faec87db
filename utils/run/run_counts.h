/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_counts.h - what a run has counted, added up: pure arithmetic on records.
 */
#ifndef RUN_COUNTS_H
#define RUN_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "count/results.h"

struct run_vector {
	uint64_t item[UPCS_ITEMS];
	unsigned doubt; /* bits of enum upcs_doubt; 0: all are exact */
	uint64_t slack; /* no item is too large by more, and settling takes it off */
};

struct run_counts {
	/* [0] the whole program, [1 + r] in region r. */
	struct run_vector core[UPCS_COLUMNS][UPCS_CORES], sum[UPCS_COLUMNS];
	struct run_vector whole; /* sum[0] before it is settled: what functions add up to */
	uint64_t entered[UPCS_REGIONS_MAX];
	unsigned regions_found;  /* bit per region: some process had its function in memory */
	unsigned regions_unseen; /* ... chosen when it ran, and not seen which */
	unsigned cores;          /* bit per core on which a thread ran */
	uint64_t processes, threads;
	enum upcs_guest guest; /* of the first */
	unsigned guests;       /* bit per guest that ran */

	/* The facts that the report states beside the counts. */
	uint64_t threads_without, processes_without; /* a record */
	uint64_t unfolded;                           /* other counts that found no place */
	unsigned cut_off;    /* processes that were killed, with counts that nobody else sees */
	bool no_memory;      /* in /dev/shm, for some of these */
	unsigned unread;     /* processes that left counts which could not be read */
	unsigned lost;       /* processes that died without a word */
	unsigned lost_whole; /* of these, those of which nothing else is said here */
	unsigned running;    /* that had not ended yet */
	unsigned spins;      /* that have threads which wait actively */
	unsigned left;       /* that executed what is not simulated */
	unsigned folded;     /* threads beyond the cores */
};

/* Whether nothing is missing that the program did while it could be seen. */
bool run_counts_are_whole(const struct run_counts *counts);

/* How many columns of a record are in use. The file may be anything: nothing in it is trusted. */
unsigned run_columns(const struct upcs_results *results);

/* Adds a record to counts that began as zero. A process that runs is one that goes on. */
void run_counts_add_process(struct run_counts *counts, const struct upcs_process *process);
void run_counts_add_thread(struct run_counts *counts, const struct upcs_thread *thread, unsigned columns);
/* All have been added: sums, what is derived, and what found no record. */
void run_counts_finish(struct run_counts *counts, const struct upcs_results *results);

/* Whether counts of this process are missing: some found no place, or were gone with it. */
bool run_process_misses(const struct upcs_process *process);
/* Whether its counts are a part of what it did: some are missing, or it went on as a program that could not
 * be simulated. */
bool run_process_is_part(const struct upcs_process *process);

/* The same of one thread or process: a column of a record is added, then the vector is settled, once. */
void run_vector_add(struct run_vector *vector, const struct upcs_thread *thread, unsigned column);
/* Takes off the slack, so that a lower bound is one, and derives items from others. */
void run_vector_settle(struct run_vector *vector);

/* Instructions so far, those of what has ended in counts, and threads that run now. */
uint64_t run_instructions(const struct run_counts *counts, const struct upcs_results *results,
			  unsigned *threads);

/* Doubts about how often a region was entered. */
unsigned run_entered_doubt(const struct run_counts *counts, unsigned region);

/* value in percent of the instructions; 0 where that says nothing. */
double run_percent(const struct run_vector *vector, unsigned item);

#endif
