/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_gather.h - takes over, while a program runs, the numbers of what has ended, and makes its
 * records free for others: so a run may have any number of processes and threads, as long as there are
 * not too many at a time.
 *
 * upc_run alone does so. It keeps the numbers that it has taken over in its own memory: a killed
 * process cannot leave a number half taken over, or in two places. When it may take a record over is in
 * run_gather.c.
 */
#ifndef RUN_GATHER_H
#define RUN_GATHER_H

#include <sys/types.h>

#include "run/run_counts.h"

/* The most rows of each sort; counts of further ones are in the sums only. */
#define RUN_APART_MAX 65536u

struct run_thread_row {
	uint32_t serial; /* of its process */
	int32_t pid, tid;
	uint32_t number, core;
	uint32_t guest;             /* UPCS_GUESTS: not known */
	struct run_vector vector[]; /* of each column */
};

struct run_process_row {
	struct upcs_process record;
	struct run_vector vector[];
};

struct run_gathered {
	struct run_counts counts; /* of all that was taken over, until run_gather_rest without sums */
	unsigned columns;
	bool threads_apart, processes_apart;
	pid_t program;  /* what upc_run began */
	uint64_t space; /* of process ids, upc_run's own */
	/* In the order in which they began, when all is gathered. */
	struct run_thread_row **thread;
	struct run_process_row **process;
	unsigned threads, processes;
	uint64_t threads_merged, processes_merged; /* beyond RUN_APART_MAX */
	uint64_t (*function)[UPCS_STATIC]; /* of each number (functions.h); NULL: nobody asks, or no memory */
	struct upcs_process own, died;     /* the program itself; the last one that died */
	/* The counts of gathered threads whose processes have not been gathered. */
	struct run_process_row *open[UPCS_PROCESSES_MAX];
};

void run_gather_begin(struct run_gathered *gathered, const struct upcs_results *results, bool threads_apart,
		      bool processes_apart);
/* Gathers the records that have ended, and cannot be written any more. */
void run_gather(struct run_gathered *gathered, struct upcs_results *results, const char *path);
/* Gathers all the rest after the program has ended; for processes that go on, their counts until now. */
void run_gather_rest(struct run_gathered *gathered, struct upcs_results *results, const char *path);
void run_gather_end(struct run_gathered *gathered);

#endif
