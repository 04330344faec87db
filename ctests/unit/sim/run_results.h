/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_results.h - a results file that no simulator has written, whose numbers differ in every
 * place.
 */
#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../utils/run/run_counts.h"
#include "count/results.h"

/* Each test's own, all zero, and as large as it is: only what is touched takes memory. */
static struct upcs_results *results;

static inline int run_results_set_up(void **state)
{
	(void)state;
	results = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return (void *)results == MAP_FAILED ? -1 : 0;
}

static inline int run_results_tear_down(void **state)
{
	(void)state;
	return munmap(results, sizeof(*results));
}

/* The tally of the thread of that index in a place: a number that no other place has. */
static inline uint64_t run_results_tally(unsigned thread, unsigned column, unsigned tally)
{
	uint64_t whole = tally == UPCS_INSTRUCTIONS ? 9000000 : 1000000;

	/* Hardly any program has unknown instructions, which are reported. */
	if (tally == UPCS_UNKNOWN)
		return 0;
	return whole + 100000 * column + 10000 * thread + 100 * upcs_tally_place[tally] + 10 * column +
	       thread;
}

static inline struct upcs_process *run_results_process(unsigned index, enum upcs_guest guest)
{
	struct upcs_process *process = &results->process[index];

	process->state = UPCS_ENDED;
	process->serial = index;
	process->guest = guest;
	process->pid = 1000 + (int)index;
	process->parent = 1;
	process->begin_ns = 1000000000;
	process->end_ns = 1250000000;
	snprintf(process->program, sizeof(process->program), "/bin/program-%u", index);
	if (results->processes.there <= index)
		results->processes.there = index + 1;
	return process;
}

/* The next thread, number-th of its process. */
static inline struct upcs_thread *run_results_thread(unsigned process, unsigned number)
{
	unsigned index = results->threads.there++;
	struct upcs_thread *thread = &results->thread[index];

	thread->state = UPCS_ENDED;
	thread->process = process;
	thread->number = number;
	thread->core = number % UPCS_CORES;
	thread->tid = 2000 + (int)index;
	for (unsigned column = 0; column < UPCS_COLUMNS; column++)
		for (unsigned k = 0; k < UPCS_TALLIES; k++)
			thread->tally[column][k] = run_results_tally(index, column, k);
	for (unsigned r = 0; r < UPCS_REGIONS_MAX; r++)
		thread->entered[r] = 100 * (r + 1) + index;
	results->process[process].threads++;
	return thread;
}

/* All that is there, added up, as when everything has been gathered; what is not settled runs. */
static inline void run_results_take(struct run_counts *counts)
{
	unsigned columns = run_columns(results);

	memset(counts, 0, sizeof(*counts));
	for (uint32_t p = 0; p < upcs_results_processes(results); p++)
		if (upcs_results_state(&results->process[p].state) > UPCS_MAKING)
			run_counts_add_process(counts, &results->process[p]);
	for (uint32_t t = 0; t < upcs_results_threads(results); t++)
		if (upcs_results_state(&results->thread[t].state) > UPCS_MAKING)
			run_counts_add_thread(counts, &results->thread[t], columns);
	run_counts_finish(counts, results);
}

#endif
