/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - the raw counts: how often a process's threads began blocks of each kind, in a file next to the
 * results file.
 *
 * Parts of blocks with the same tallies share a kind, so programs have few kinds even if they translate much
 * code.
 *
 * A thread has one array of counts for each set of regions that the thread was in. Entering a region selects
 * another array. Only the owner thread adds to an array, and counts never shrink, so
 *
 *   tally of a thread = sum over its arrays and the kinds of count x the kind's tally
 *
 * at any time, for every process that maps the file. Folding computes this sum, and repeated folding changes
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
 *
 * Terms: count/thread.h.
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
	uint32_t kinds;    /* number of kinds written; stored with release, loaded with acquire order */
	uint32_t arrays;   /* number of arrays that the file has room for */
	uint32_t unshared; /* 1: some of the file is private memory, which other processes do not see */
	uint32_t keeps;    /* 1: counts of an ended thread stay in its array */
	uint32_t used;     /* arrays below this index have been used; stored with release order */
	uint32_t changes;  /* odd: a thread is beginning or ending */
	struct upcs_array array[UPCS_ARRAYS_MAX];
	struct upcs_kind kind[UPCS_KINDS_MAX];
	uint64_t base[UPCS_ARRAYS_MAX][UPCS_STATIC]; /* tally of each array when its thread took it */
	/* Aligned to a page, so that an array's memory can be freed. */
	_Alignas(4096) uint64_t count[][UPCS_KINDS_MAX];
};

#define UPCS_ARRAY_BYTES (UPCS_KINDS_MAX * sizeof(uint64_t))

/* Write the path of a process's file: the results file's path, a dot, and the index of the process's
 * record. */
#define UPCS_COUNTS_PATH_MAX (UPCS_WORD_MAX + 16)
void upcs_counts_path(char path[UPCS_COUNTS_PATH_MAX], const char *results, uint32_t process);

/*
 * Create a new file with n kinds, and map it at the address in the argument at, if this is not NULL and the
 * address is free. If no file can be made, map private memory instead, which other processes lose when the
 * process is killed. Return NULL if memory is short.
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

/* Increment the number of changes. Called before and after a thread begins or ends, so that the number is odd
 * meanwhile. */
void upcs_counts_changes(struct upcs_counts *counts);

/* Add a sum to the whole program's column and to those of the active regions. */
void upcs_counts_tally(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC]);
/* Add a sum to the active regions' columns only. */
void upcs_counts_tally_regions(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC]);
void upcs_counts_sum(uint64_t sum[UPCS_STATIC], const struct upcs_kind *kind, uint64_t n);

/* Add UPCS_DOUBT_LATE to the record of an ended thread whose last counts may not have been copied
 * (score.h). */
void upcs_counts_late(struct upcs_thread *record);
/* Add UPCS_DOUBT_CUT to the record of a thread that executes no more, if the thread may have ended within a
 * block: it was in no system call, and had not just sent a signal. Return true in this case. */
bool upcs_counts_cut(struct upcs_thread *record);
/* True if the thread has executed nothing since a system call that sends a signal. A signal to the thread
 * itself arrives after the call's block. */
bool upcs_counts_has_sent(const struct upcs_thread *record);
/* Close the record of a thread that executes no more: each suspect region gets a doubt. */
void upcs_counts_end(struct upcs_thread *record);
/* Add a doubt to the columns of these regions. May be called by any thread. */
void upcs_counts_doubt(struct upcs_thread *record, uint16_t regions, uint32_t doubt);

#endif
