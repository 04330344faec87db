/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - accounts: counts of the work of a process's threads, each under a number that the program
 * passes (that of a call path, for example). A thread works for one account at a time. Its counts are charged
 * to the account when the thread changes to another account and when a caller reads the account. While a
 * thread executes a library with which programs mark regions, it works for no account. In account.h and
 * account.c, a region is a region that the program marks (upc_regions), and not a function as in region.h.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_ACCOUNT_H
#define UPCS_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/model.h"

#define UPCS_ACCOUNT_LOW 1u  /* work of other threads may be missing from the account */
#define UPCS_ACCOUNT_HIGH 2u /* work for another account may be counted in this one */

struct upcs_account {
	uint64_t tally[UPCS_TALLIES];
	uint64_t names;  /* marked regions that the account's work is in, a bit per name */
	unsigned doubts; /* UPCS_ACCOUNT_LOW, _HIGH */
};

/* True if upc_run enabled accounts for this run. */
bool upcs_account_is_there(void);
/* Switch the calling thread to the account with this number. open is the thread's number of open regions plus
 * 1, or 0 to leave that number as before. names has a bit per name of these regions, and is read only if open
 * is not 0. Return false if the thread is not counted or memory is short. */
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
/* Return the account that the thread works for: set by the thread itself, inherited from the thread that made
 * it, or that of its team's work. While the thread executes a marking function, the account is the same as
 * before that call. */
uint64_t upcs_account_of(const struct upcs_counted *thread);
/* Return the marked regions that the account's work is in, a bit per name, or 0 for an account without
 * regions. */
uint64_t upcs_account_names_locked(uint64_t number);
void upcs_account_doubt_locked(uint64_t number, unsigned doubts);

/* bequeath: the calling thread is about to make a thread, which will work for the same account. inherit: the
 * new thread begins, and takes over the account. */
void upcs_account_bequeath_locked(struct upcs_counted *thread);
void upcs_account_inherit_locked(struct upcs_counted *thread);

#endif
