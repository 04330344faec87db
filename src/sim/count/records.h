/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.h - takes and releases the records of the results file.
 *
 * A record is free or owned. Any thread of any process takes one with a single compare-and-swap that stores
 * the owner. If the owner is killed after that, at whatever instruction, upc_run can still find out whose
 * record it was. Only records with an index below the field `there` have memory. Other records must not be
 * touched: reading or writing a page while the tmpfs is full raises SIGBUS.
 *
 *   UPCS_FREE -> UPCS_MAKING -> UPCS_RUNS -> UPCS_ENDED -> UPCS_FREE
 *
 * The owner makes the first three steps. If the owner is dead, the process that completes its record
 * makes them. Only upc_run makes the last step, after copying the numbers (run_gather.h). A number is
 * thus in one place only, and a death at any time cannot leave it half copied.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_RECORDS_H
#define UPCS_RECORDS_H

#include <stdint.h>

struct upcs_places {
	uint32_t there;          /* number of records with memory; never shrinks */
	uint32_t next;           /* index at which the search for a free record begins */
	int32_t free;            /* about the number of free records */
	uint32_t begun;          /* number of records ever taken */
	uint32_t without;        /* number of requests that found no record */
	uint32_t without_memory; /* 1: a request failed because /dev/shm was full */
};

struct upcs_results;
struct upcs_process;
struct upcs_thread;

/* Take a record for a process or a thread. Return the record in state UPCS_MAKING and its index, or NULL.
 * Wait a little if all records are taken and some have ended. */
struct upcs_process *upcs_records_process(struct upcs_results *results, uint32_t *index);
struct upcs_thread *upcs_records_thread(struct upcs_results *results, uint32_t process, uint32_t *index);
/* Give back a process's record unused, because memory for the process's counts is short. */
void upcs_records_give_up(struct upcs_results *results, struct upcs_process *process);

/* Called by upc_run: zero the record and mark it free. */
void upcs_records_free_process(struct upcs_results *results, uint32_t index);
void upcs_records_free_thread(struct upcs_results *results, uint32_t index);

/* Number of bits of the state. The higher bits of a record in UPCS_MAKING hold the owner's process id, or the
 * index of the owner's process. */
#define UPCS_STATE_BITS 8

#endif
