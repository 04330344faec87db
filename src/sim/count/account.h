/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - accounts: what the process's threads have done for a number that they named. A thread
 * works for one at a time; what it has done since it began with that is added when it goes on with
 * another, or when somebody asks. While it is in a library that marks regions, it works for none.
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
	uint64_t names;  /* of its regions, a bit each */
	unsigned doubts; /* UPCS_ACCOUNT_LOW, _HIGH */
};

/* Was upc_run told so? */
bool upcs_account_is_there(void);
/* The calling thread works for it from now on. open: how many regions are open in it, and 1, or 0: as
 * before; names: which, a bit each. False: it is not counted, or there is no memory. */
bool upcs_account_set_locked(uint64_t number, uint64_t open, uint64_t names);
struct upcs_region_block;
/* The calling thread has begun the block: it may work for a team now, or mark a region, or not any
 * longer. Takes the lock. */
void upcs_account_follow(const struct upcs_region_block *block);
/* All threads' work up to now is added. NULL: there is no such account. */
const struct upcs_account *upcs_account_locked(uint64_t number);

/* Forgets so many, from this number on. */
void upcs_account_close_locked(uint64_t number, uint64_t n);

/* Work was done, and nobody knows for which account. */
void upcs_account_doubt_all(unsigned doubts);
/* The process is a new one: there are none. */
void upcs_account_forked(void);

/* ---- for thread.c ---------------------------------------------------------------------------- */

struct upcs_counted;
/* It ends, and has been folded. */
void upcs_account_end_locked(struct upcs_counted *thread);
/* The account that the thread works for by its own doing, its maker's or a team's: also while it marks a
 * region. */
uint64_t upcs_account_of(const struct upcs_counted *thread);
/* All of these are locked. Regions of the account, a bit for each name; 0: it is of none. */
uint64_t upcs_account_names_locked(uint64_t number);
void upcs_account_doubt_locked(uint64_t number, unsigned doubts);

/* The thread makes another, which will work for the account that it works for; and the other begins. */
void upcs_account_bequeath_locked(struct upcs_counted *thread);
void upcs_account_inherit_locked(struct upcs_counted *thread);

#endif
