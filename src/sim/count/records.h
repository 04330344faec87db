/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.h - who has which record of the results file.
 *
 * A record is free or somebody's. Any thread of any process takes one, by a single
 * compare-and-swap which says who it is: killed behind it, at whatever instruction, it leaves a
 * record whose owner can be looked for. Records below `there` have memory, and others are looked
 * at by nobody: to read where a tmpfs has none left is a SIGBUS, as is to write.
 *
 *   UPCS_FREE -> UPCS_MAKING -> UPCS_RUNS -> UPCS_ENDED -> UPCS_FREE
 *
 * The first three steps are its owner's, or, when that is dead, those of the process that settles it;
 * the last one is upc_run's alone, which has taken the numbers over (run_gather.h). A number is thus in one
 * place only, and no death leaves one half taken over.
 */
#ifndef UPCS_RECORDS_H
#define UPCS_RECORDS_H

#include <stdint.h>

struct upcs_places {
	uint32_t there;          /* never shrinks */
	uint32_t next;           /* where to look for a free one */
	int32_t free;            /* about so many there are */
	uint32_t begun;          /* so many were taken, ever */
	uint32_t without;        /* so many were asked for and not had */
	uint32_t without_memory; /* 1: some of these since /dev/shm was full */
};

struct upcs_results;
struct upcs_process;
struct upcs_thread;

/* A process's or a thread's record in state UPCS_MAKING with its index, or NULL. Waits a little
 * where all are taken and some have ended. */
struct upcs_process *upcs_records_process(struct upcs_results *results, uint32_t *index);
struct upcs_thread *upcs_records_thread(struct upcs_results *results, uint32_t process, uint32_t *index);
/* There is no memory for what belongs to it: as if none had been had. */
void upcs_records_give_up(struct upcs_results *results, struct upcs_process *process);

/* upc_run: the record is zero, and anybody's. */
void upcs_records_free_process(struct upcs_results *results, uint32_t index);
void upcs_records_free_thread(struct upcs_results *results, uint32_t index);

/* The bits of a state. In a record that is being made the others hold the process's id or index. */
#define UPCS_STATE_BITS 8

#endif
