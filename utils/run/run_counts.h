/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_counts.h - adds up the counts of a run: pure arithmetic on records.
 */
#ifndef RUN_COUNTS_H
#define RUN_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "count/results.h"

struct run_vector {
	uint64_t item[UPCS_ITEMS];
	unsigned doubt; /* bits of enum upcs_doubt; 0: all items are exact */
	uint64_t slack; /* upper limit of an item's excess, subtracted by run_vector_settle */
};

struct run_counts {
	/* [0] the whole program, [1 + r] region r. */
	struct run_vector core[UPCS_COLUMNS][UPCS_CORES], sum[UPCS_COLUMNS];
	struct run_vector whole; /* sum[0] before its slack is subtracted: the sum of all functions */
	uint64_t entered[UPCS_REGIONS_MAX];
	unsigned regions_found;  /* bit per region whose function some process had in memory */
	unsigned regions_unseen; /* bit per region whose IFUNC resolver ran, with an unseen choice */
	unsigned cores;          /* bit per core that a thread ran on */
	uint64_t processes, threads;
	enum upcs_guest guest; /* of the first process */
	unsigned guests;       /* bit per guest that ran */

	/* Facts that the report states in addition to the counts. */
	uint64_t threads_without, processes_without; /* requests that got no record */
	uint64_t unfolded;                           /* other counts that could not be stored */
	unsigned cut_off;                            /* killed processes whose counts were partly private */
	bool no_memory;                              /* some of these failed because /dev/shm was full */
	unsigned unread;                             /* processes whose file of counts could not be read */
	unsigned lost;                               /* processes killed before they stored their end */
	unsigned lost_whole;                         /* lost processes whose counts are complete */
	unsigned running;                            /* processes that had not ended yet */
	unsigned spins;                              /* processes with threads that wait actively */
	unsigned left;   /* processes that executed a program that is not simulated */
	unsigned folded; /* threads whose number exceeds the cores */
};

/* True if no counts of simulated work are missing. */
bool run_counts_are_whole(const struct run_counts *counts);

/* Return the number of columns in use. The file may have any content, so the number is limited. */
unsigned run_columns(const struct upcs_results *results);

/* Add a record to counts that were zero at first. A record of a running process is one whose process
 * continues. */
void run_counts_add_process(struct run_counts *counts, const struct upcs_process *process);
void run_counts_add_thread(struct run_counts *counts, const struct upcs_thread *thread, unsigned columns);
/* Finish the counts after all records are added: sums, derived items, and requests without a record. */
void run_counts_finish(struct run_counts *counts, const struct upcs_results *results);

/* True if counts of this process are missing: they could not be stored, or are gone with the process. */
bool run_process_misses(const struct upcs_process *process);
/* True if the process's counts cover only a part of its work: some are missing, or it executed a program that
 * could not be simulated. */
bool run_process_is_part(const struct upcs_process *process);

/* Add a column of a record to the vector of one thread or process. Call run_vector_settle once after all
 * additions. */
void run_vector_add(struct run_vector *vector, const struct upcs_thread *thread, unsigned column);
/* Subtract the slack, so that the items become lower bounds, and compute the derived items. */
void run_vector_settle(struct run_vector *vector);

/* Return the instructions so far: those of ended threads, which are in counts, and those of threads in
 * results. *threads: the number of running threads. */
uint64_t run_instructions(const struct run_counts *counts, const struct upcs_results *results,
			  unsigned *threads);

/* Return the doubts about a region's number of entries. */
unsigned run_entered_doubt(const struct run_counts *counts, unsigned region);

/* Return an item in percent of INSTRUCTIONS, or 0 if a percentage has no meaning. */
double run_percent(const struct run_vector *vector, unsigned item);

#endif
