/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - accounts: the work of a process's threads, by a number that the program passes. A thread works
 * for one account at a time. Its counts are charged to the account when the thread changes to another account
 * and when a caller reads the account. A thread that executes a library that marks regions works for no
 * account.
 */
#ifndef UPCS_ACCOUNT_H
#define UPCS_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/model.h"

#define UPCS_ACCOUNT_LOW 1u  /* work of other threads may be missing */
#define UPCS_ACCOUNT_HIGH 2u /* work for another account may be in it */

struct upcs_account {
	uint64_t tally[UPCS_TALLIES];
	uint64_t names;  /* the account's regions, a bit per name */
	unsigned doubts; /* UPCS_ACCOUNT_LOW, _HIGH */
};

/* True if upc_run enabled accounts for this run. */
bool upcs_account_is_there(void);
/* Switch the calling thread to account number. open is the number of open regions plus 1, or 0 to leave that
 * number as before. names holds the regions' names, a bit each, and is read only if open is not 0. Return
 * false if the thread is not counted or memory is short. */
bool upcs_account_set_locked(uint64_t number, uint64_t open, uint64_t names);
struct upcs_region_block;
/* Update the account of the calling thread, which has begun the block: a team, or entering or leaving a
 * marking function, can change the account. Takes the lock. */
void upcs_account_follow(const struct upcs_region_block *block);
/* Return the account with all threads' work up to now, or NULL if there is no such account. */
const struct upcs_account *upcs_account_locked(uint64_t number);

/* Forget the n accounts from number on. */
void upcs_account_close_locked(uint64_t number, uint64_t n);

/* Add doubts to all accounts: work was done for an unknown account. */
void upcs_account_doubt_all(unsigned doubts);
/* Remove all accounts in a forked child. */
void upcs_account_forked(void);

/* ---- for thread.c ---------------------------------------------------------------------------- */

struct upcs_counted;
/* Charge the last counts of a thread that ends. The caller has folded the thread. */
void upcs_account_end_locked(struct upcs_counted *thread);
/* Return the account that the thread works for through its own call, its maker or a team, even while the
 * thread marks a region. */
uint64_t upcs_account_of(const struct upcs_counted *thread);
/* The caller of the functions below holds the lock. upcs_account_names_locked returns the account's regions,
 * a bit per name, or 0 for an account without regions. */
uint64_t upcs_account_names_locked(uint64_t number);
void upcs_account_doubt_locked(uint64_t number, unsigned doubts);

/* bequeath: the calling thread makes another, which will work for the same account. inherit: the new thread
 * begins. */
void upcs_account_bequeath_locked(struct upcs_counted *thread);
void upcs_account_inherit_locked(struct upcs_counted *thread);

#endif
