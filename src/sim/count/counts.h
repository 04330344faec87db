/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - the raw counts: how often a process's threads began blocks of each kind, in a file next to the
 * results file.
 *
 * A kind is the tally of one execution of a run of instructions. Blocks with the same tally share a kind, so
 * programs have few kinds even if they translate much code.
 *
 * A thread has one array of counts for each set of regions that the thread was in. Entering a region selects
 * another array. Only the owner thread adds to an array, and counts never shrink, so
 *
 *   tally of a thread = sum over its arrays and the kinds of count x the kind's tally
 *
 * at any time, for every process that maps the file. Folding computes this sum, and folding once more changes
 * nothing. No count is therefore lost with a process, however the process dies, and no count is added twice:
 * a process that finds the file afterwards computes the sums anew.
 *
 * While a region is suspect (region.h), the thread uses an array without that region. If the thread turns out
 * not to have left the region, upcs_fold_move_locked moves those counts to the array with the region.
 *
 * An array is released when its thread has ended. First the thread's record is completed and marked
 * UPCS_ENDED, then the array is cleared. Readers skip counts that an ended thread left in an array.
 *
 * When functions are counted, each kind belongs to one function, and arrays are not cleared: the next thread
 * of an array continues from a base, the counts of the threads before. Then
 *
 *   tally of a function = sum over all arrays and the function's kinds of count x the kind's tally
 *
 * which upc_run computes once, when the process is gone. A function's counts are stored nowhere else, so none
 * can be missed or counted twice.
 */
#ifndef UPCS_COUNTS_H
#define UPCS_COUNTS_H

#include "count/results.h"

#define UPCS_COUNTS_MAGIC UINT64_C(0x31434d4953435055)
#define UPCS_KINDS_MAX 131072u
#define UPCS_ARRAYS_MAX 16384u
/* The last kinds are reserved for single instructions, which need few kinds: any code can be counted with
 * them when the other kinds are used up. */
#define UPCS_KINDS_SINGLE 8192u
/* Limit for kinds of functions, which leaves room for kinds without a function. */
#define UPCS_KINDS_NAMED 98304u

struct upcs_kind {
	uint32_t tally[UPCS_STATIC];
	uint32_t function; /* functions.h; 0: another function, or functions are not counted */
};

struct upcs_array {
	uint32_t thread; /* index of the thread's record plus 1; 0: free */
	uint32_t active; /* bit per region */
};

struct upcs_counts {
	uint64_t magic;
	uint32_t kinds;    /* number of kinds written; release, acquire */
	uint32_t arrays;   /* number of arrays that the file has room for */
	uint32_t unshared; /* 1: some of the file is private memory, which other processes do not see */
	uint32_t keeps;    /* 1: counts of an ended thread stay in its array */
	uint32_t used;     /* arrays below this index have been used; release */
	uint32_t changes;  /* odd: a thread is beginning or ending */
	struct upcs_array array[UPCS_ARRAYS_MAX];
	struct upcs_kind kind[UPCS_KINDS_MAX];
	uint64_t base[UPCS_ARRAYS_MAX][UPCS_STATIC]; /* tally of each array when its thread took it */
	/* Aligned to a page, so that an array's memory can be freed. */
	_Alignas(4096) uint64_t count[][UPCS_KINDS_MAX];
};

#define UPCS_ARRAY_BYTES (UPCS_KINDS_MAX * sizeof(uint64_t))

/* Write the file's path: the results file's path and the index of the process. */
#define UPCS_COUNTS_PATH_MAX (UPCS_WORD_MAX + 16)
void upcs_counts_path(char path[UPCS_COUNTS_PATH_MAX], const char *results, uint32_t process);

/*
 * Create and map a new file with n kinds, at address at if that is not NULL and is free. If no file can be
 * made, map private memory instead, which other processes lose when the process is killed. Return NULL if
 * memory is short.
 */
struct upcs_counts *upcs_counts_create(const char *path, const struct upcs_kind *kinds, uint32_t n, void *at);
/* Unmap counts, and remove the file if path is not NULL. */
void upcs_counts_destroy(struct upcs_counts *counts, const char *path);

/* One thread at a time calls the functions below. They allocate memory before writing to it, so that a full
 * tmpfs raises no SIGBUS. */

/* Append a kind. Return false if the table is full. */
bool upcs_counts_add_kind(struct upcs_counts *counts, const struct upcs_kind *kind);
/* Return a free array for a thread, zeroed unless arrays keep counts, or -1 if no array is free. */
int upcs_counts_take(struct upcs_counts *counts, uint32_t thread, uint16_t active);
/* Let counts stay in arrays that are released. Called once, after create. */
void upcs_counts_keep(struct upcs_counts *counts);
void upcs_counts_give(struct upcs_counts *counts, int array);

/* Count a change of threads. Called before and after a thread begins or ends. */
void upcs_counts_changes(struct upcs_counts *counts);

/* Add a sum to the whole program's column and to those of the active regions. */
void upcs_counts_tally(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC]);
/* Add a sum to the active regions' columns only. */
void upcs_counts_tally_regions(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC]);
void upcs_counts_sum(uint64_t sum[UPCS_STATIC], const struct upcs_kind *kind, uint64_t n);

/* Doubt a thread that ended when its last counts may not have been taken over (score.h). */
void upcs_counts_late(struct upcs_thread *record);
/* Doubt a thread that executes no more if it may have ended within a block: it is in no system call and sent
 * no signal in its last call. Return true in this case. */
bool upcs_counts_cut(struct upcs_thread *record);
/* True if the thread has executed nothing since a system call that sends a signal. A signal to the thread
 * itself arrives after the call's block. */
bool upcs_counts_has_sent(const struct upcs_thread *record);
/* Close the record of a thread that executes no more: suspect regions become doubts. */
void upcs_counts_end(struct upcs_thread *record);
/* Mark the columns of these regions as inexact. Any thread. */
void upcs_counts_doubt(struct upcs_thread *record, uint16_t regions, uint32_t doubt);

#endif
