/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_gather.h - collects the counts of ended threads and processes while a program runs, and frees their
 * records. A run may thus have any number of processes and threads, as long as not too many live at the same
 * time.
 *
 * Only upc_run does this. It keeps the collected numbers in private memory, so a killed process cannot leave
 * a number half copied or in two places. run_gather.c says when a record may be collected.
 */
#ifndef RUN_GATHER_H
#define RUN_GATHER_H

#include <sys/types.h>

#include "run/run_counts.h"

/* Greatest number of rows of each sort. Further threads and processes are only in the sums. */
#define RUN_APART_MAX 65536u

struct run_thread_row {
	uint32_t serial; /* of its process */
	int32_t pid, tid;
	uint32_t number, core;
	uint32_t guest;             /* UPCS_GUESTS: unknown */
	struct run_vector vector[]; /* one per column */
};

struct run_process_row {
	struct upcs_process record;
	struct run_vector vector[];
};

struct run_gathered {
	struct run_counts counts; /* of all collected records; sums are filled in by run_gather_rest */
	unsigned columns;
	bool threads_apart, processes_apart;
	pid_t program;  /* pid of the program that upc_run started */
	uint64_t space; /* upc_run's PID namespace */
	/* Sorted by their beginning after run_gather_rest. */
	struct run_thread_row **thread;
	struct run_process_row **process;
	unsigned threads, processes;
	uint64_t threads_merged, processes_merged; /* number of those beyond RUN_APART_MAX */
	uint64_t (*function)[UPCS_STATIC]; /* by number (functions.h); NULL: not counted, or no memory */
	struct upcs_process own, died;     /* the program's record; the last one that died */
	/* Counts of collected threads whose process is not collected yet. */
	struct run_process_row *open[UPCS_PROCESSES_MAX];
};

void run_gather_begin(struct run_gathered *gathered, const struct upcs_results *results, bool threads_apart,
		      bool processes_apart);
/* Collect the records that have ended and will not be written any more. */
void run_gather(struct run_gathered *gathered, struct upcs_results *results, const char *path);
/* Collect all other records after the program has ended. Processes that still run are counted up to now. */
void run_gather_rest(struct run_gathered *gathered, struct upcs_results *results, const char *path);
void run_gather_end(struct run_gathered *gathered);

#endif
