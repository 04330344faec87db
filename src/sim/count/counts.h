/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - how often a process's threads began blocks of each kind: the raw counts, in a
 * file beside the results file.
 *
 * A kind is what one execution of a run of instructions tallies. Blocks that tally the
 * same are of one kind, so that programs have few, however much they translate.
 *
 * A thread has an array of counts for each set of regions in which it was: to enter a region
 * is to take another array. Only the thread adds to it, and nothing takes away, so
 *
 *   tally of a thread = sum over its arrays and the kinds of count x what the kind tallies
 *
 * at any time, for every process that maps the file. Folding computes that, and doing it once
 * more changes nothing. No count is thus lost with a process, however it dies, and none is
 * taken twice: a process that finds the file afterwards computes the sums anew.
 *
 * While a region is suspect (region.h), the thread has an array without it. When the region turns out not
 * to have been left, those counts are moved to the array that has it (upcs_fold_move_locked).
 *
 * An array is given back when its thread has ended: first the thread's record is made whole and
 * UPCS_ENDED, then the array is cleared. Counts that an ended thread left in one are not read.
 *
 * Where functions are asked for, kinds are of one function each, and arrays are not cleared: the
 * next thread goes on where the last one stopped, from a base. Then
 *
 *   tally of a function = sum over all arrays and its kinds of count x what the kind tallies
 *
 * which upc_run computes once, when the process is gone. A function's counts thus have no other
 * place in which they could be missed, or found twice.
 */
#ifndef UPCS_COUNTS_H
#define UPCS_COUNTS_H

#include "count/results.h"

#define UPCS_COUNTS_MAGIC UINT64_C(0x31434d4953435055)
#define UPCS_KINDS_MAX 131072u
#define UPCS_ARRAYS_MAX 16384u
/* The last of the kinds are kept for single instructions, which have few: any code can
 * be counted by them when the rest is used up. */
#define UPCS_KINDS_SINGLE 8192u
/* Those of functions leave place for kinds of none. */
#define UPCS_KINDS_NAMED 98304u

struct upcs_kind {
	uint32_t tally[UPCS_STATIC];
	uint32_t function; /* whose instructions they are (functions.h); 0: nobody asks, or of others */
};

struct upcs_array {
	uint32_t thread; /* index of its record, plus 1; 0: free */
	uint32_t active; /* bit per region */
};

struct upcs_counts {
	uint64_t magic;
	uint32_t kinds;    /* written; release, acquire */
	uint32_t arrays;   /* that the file has room for */
	uint32_t unshared; /* 1: some of it is memory of our own, which others do not see */
	uint32_t keeps;    /* 1: what an ended thread left in an array stays there */
	uint32_t used;     /* arrays below it have been somebody's; release */
	uint32_t changes;  /* odd: a thread is beginning or ending */
	struct upcs_array array[UPCS_ARRAYS_MAX];
	struct upcs_kind kind[UPCS_KINDS_MAX];
	uint64_t base[UPCS_ARRAYS_MAX][UPCS_STATIC]; /* what arrays tallied when their threads took them */
	/* A page's boundary, for giving memory back. */
	_Alignas(4096) uint64_t count[][UPCS_KINDS_MAX];
};

#define UPCS_ARRAY_BYTES (UPCS_KINDS_MAX * sizeof(uint64_t))

/* The file's path: that of the results, and the index of the process. */
#define UPCS_COUNTS_PATH_MAX (UPCS_WORD_MAX + 16)
void upcs_counts_path(char path[UPCS_COUNTS_PATH_MAX], const char *results, uint32_t process);

/*
 * A new file, mapped, with so many kinds in it: at an address, if that is not NULL and free. Where
 * there can be no file, memory of our own, which is not there for others when we are killed.
 * NULL: no memory.
 */
struct upcs_counts *upcs_counts_create(const char *path, const struct upcs_kind *kinds, uint32_t n, void *at);
/* Unmaps it, and removes the file if path is not NULL. */
void upcs_counts_destroy(struct upcs_counts *counts, const char *path);

/* The rest: one thread at a time. Memory is taken here, so that a full tmpfs is no SIGBUS. */

/* The next kind; false where there is no more place. */
bool upcs_counts_add_kind(struct upcs_counts *counts, const struct upcs_kind *kind);
/* An array for a thread, of zeros if none are kept; -1: none is free. */
int upcs_counts_take(struct upcs_counts *counts, uint32_t thread, uint16_t active);
/* Counts stay in an array when it is given back. Called once, behind create. */
void upcs_counts_keep(struct upcs_counts *counts);
void upcs_counts_give(struct upcs_counts *counts, int array);

/* Before a thread begins or ends, and behind it. */
void upcs_counts_changes(struct upcs_counts *counts);

/* Adds n times what a kind tallies to the columns that are active. */
void upcs_counts_tally(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC]);
/* Without the whole program's. */
void upcs_counts_tally_regions(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC]);
void upcs_counts_sum(uint64_t sum[UPCS_STATIC], const struct upcs_kind *kind, uint64_t n);

/* The thread's last counts may not have been taken over (score.h). */
void upcs_counts_late(struct upcs_thread *record);
/* The thread executes no more; whether it may have ended within a block: it is in no system call, and
 * has sent no signal in its last one. */
bool upcs_counts_cut(struct upcs_thread *record);
/* Whether it has executed nothing since a call that sends a signal: one to itself came behind the call's
 * block. */
bool upcs_counts_has_sent(const struct upcs_thread *record);
/* The thread executes no more: what is open is decided. */
void upcs_counts_end(struct upcs_thread *record);
/* These columns may be another than the truth. Any thread. */
void upcs_counts_doubt(struct upcs_thread *record, uint16_t regions, uint32_t doubt);

#endif
