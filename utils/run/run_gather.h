/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_gather.h - collects the counts of ended threads and processes while a program runs, and frees their
 * records. A run may thus have any number of processes and threads, as long as not too many live at the same
 * time.
 *
 * Only upc_run collects records, and keeps the collected numbers in private memory. A killed process
 * therefore cannot leave a number half copied or stored twice. run_gather.c says when a record may be
 * collected.
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_GATHER_H
#define RUN_GATHER_H

#include <sys/types.h>

#include "run/run_counts.h"

/* Greatest number of rows for threads, and for processes. Further threads and processes are only in the
 * sums. */
#define RUN_APART_MAX 65536u

struct run_thread_row {
	uint32_t serial; /* serial number of the thread's process */
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
	struct run_counts counts; /* sum of all collected records; run_gather_rest computes the totals */
	unsigned columns;
	bool threads_apart, processes_apart;
	pid_t program;  /* pid of the program that upc_run started */
	uint64_t space; /* upc_run's PID namespace */
	/* Sorted by their beginning after run_gather_rest. */
	struct run_thread_row **thread;
	struct run_process_row **process;
	unsigned threads, processes;
	uint64_t threads_merged, processes_merged; /* numbers of threads and processes without a row */
	uint64_t (*function)[UPCS_STATIC]; /* tallies by function number; NULL: not counted, or no memory */
	struct upcs_process own, died;     /* record of the program; record of the last process that died */
	/* By index of a process that is not collected yet: the counts of its collected threads. */
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
