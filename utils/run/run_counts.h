/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_counts.h - adds up the counts of a run from its records.
 *
 * Terms (count/thread.h: record, column, region, to doubt, to fold; decode/decode.h: guest, core, tally):
 *   item       a tally, or a number that is derived from tallies (decode/model.h)
 *   vector     the items of one thread, process, core or function, with their doubts
 *   place      in reports: 0, the sum of all cores; or 1 + the number of a core
 *   to gather  to collect records while the program runs, and free them for new processes (run_gather.h)
 *   results    the run's results file, mapped (count/results.h)
 *   lost       of a process: killed before it stored its end; its counts may still be complete
 *   function   code of one symbol of one file, counted without the functions that it calls
 *   unit       the counter unit of the simulated node, which monitors can read (run_unit.h)
 *   form       of the report: text, JSON, CSV, or upc_stat's table
 *   sheet      the report as data, which writers turn into a form (sheet/sheet.h)
 *   measure    in a sheet: a value that each row of a section has, such as an item
 */
#ifndef RUN_COUNTS_H
#define RUN_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "count/results.h"

struct run_vector {
	uint64_t item[UPCS_ITEMS];
	unsigned doubt; /* bits of enum upcs_doubt; 0: all items are exact */
	uint64_t slack; /* number by which an item is too high at most; run_vector_settle subtracts it */
};

struct run_counts {
	/* By column: [0] the whole program, [1 + r] region r. */
	struct run_vector core[UPCS_COLUMNS][UPCS_CORES], sum[UPCS_COLUMNS];
	struct run_vector whole; /* sum[0] before its slack is subtracted: the sum of all functions */
	uint64_t entered[UPCS_REGIONS_MAX];
	unsigned regions_found;  /* bit per region whose function some process had in memory */
	unsigned regions_unseen; /* bit per region whose IFUNC resolver's choice was not seen */
	unsigned cores;          /* bit per core that a thread ran on */
	uint64_t processes, threads;
	enum upcs_guest guest; /* guest of the first process */
	unsigned guests;       /* bit per guest that ran */

	/* Facts that the report states in addition to the counts. */
	uint64_t threads_without, processes_without; /* requests for a record that failed */
	uint64_t unfolded;                           /* other counts that could not be stored */
	unsigned cut_off;    /* killed processes with counts in private memory, now lost */
	bool no_memory;      /* some counts could not be stored because /dev/shm was full */
	unsigned unread;     /* processes whose file of counts could not be read */
	unsigned lost;       /* processes killed before they stored their end */
	unsigned lost_whole; /* lost processes whose counts are complete */
	unsigned running;    /* processes that had not ended yet */
	unsigned spins;      /* processes with threads that wait actively */
	unsigned left;       /* processes that executed a program that is not simulated */
	unsigned folded;     /* threads that share a core with earlier threads of their process */
};

/* True if no counts of simulated work are missing. */
bool run_counts_are_whole(const struct run_counts *counts);

/* Return the number of columns in use. The file may have any content, so the number is limited. */
unsigned run_columns(const struct upcs_results *results);

/* Add a record to counts that were zero at first. A process with a record in state UPCS_RUNS counts as still
 * running. */
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
