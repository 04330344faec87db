/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.c - the table of accounts by number, and the account that each thread works for. A thread made in a
 * region works for the region's account while the thread is in no region itself. When the region ends, the
 * thread works for the account of the enclosing region. If a thread outlives the region, the region's account
 * becomes a lower bound.
 *
 * Terms: count/thread.h.
 */
#include "count/account.h"

#include <stdlib.h>
#include <string.h>

#include "count/thread_private.h"

#define ROOM_FIRST 256u
#define ROOM_MAX (1u << 22)

struct entry {
	uint64_t number; /* 0: free, since account 0 is never stored */
	struct upcs_account *account;
};

/* The table is protected by upcs_threads.lock. */
static struct entry *entry;
static uint32_t room, used; /* room: a power of two, or 0 */
static unsigned doubts_of_all;

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t home_of(uint64_t number, uint32_t size)
{
	return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

static struct entry *find_account_entry(struct entry *in, uint32_t size, uint64_t number)
{
	uint32_t i = home_of(number, size);

	while (in[i].number && in[i].number != number)
		i = (i + 1) & (size - 1);
	return &in[i];
}

/* Grow the table so that half of it stays free. Return false if memory is short. */
static bool make_account_room(void)
{
	uint32_t size = room ? 2 * room : ROOM_FIRST, i;
	struct entry *larger;

	if (2 * used < room)
		return true;
	larger = size <= ROOM_MAX ? calloc(size, sizeof(*larger)) : NULL;
	if (!larger)
		return false;
	for (i = 0; i < room; i++)
		if (entry[i].number)
			*find_account_entry(larger, size, entry[i].number) = entry[i];
	free(entry);
	entry = larger;
	room = size;
	return true;
}

static struct upcs_account *look_up_account(uint64_t number)
{
	return room && number ? find_account_entry(entry, room, number)->account : NULL;
}

static struct upcs_account *take_account(uint64_t number)
{
	struct upcs_account *account = look_up_account(number);

	if (account || !number || !make_account_room())
		return account;
	account = calloc(1, sizeof(*account));
	if (!account)
		return NULL;
	*find_account_entry(entry, room, number) = (struct entry){number, account};
	used++;
	return account;
}

/* Remove the account. Entries behind it that hash to an earlier slot move up, so that probing finds them. */
static void take_account_out(uint64_t number)
{
	struct entry *gone = room && number ? find_account_entry(entry, room, number) : NULL;
	uint32_t hole, i;

	if (!gone || !gone->account)
		return;
	free(gone->account);
	used--;
	hole = (uint32_t)(gone - entry);
	for (i = (hole + 1) & (room - 1); entry[i].number; i = (i + 1) & (room - 1)) {
		uint32_t home = home_of(entry[i].number, room);

		if (((i - home) & (room - 1)) < ((i - hole) & (room - 1)))
			continue;
		entry[hole] = entry[i];
		hole = i;
	}
	entry[hole] = (struct entry){0, NULL};
}

void upcs_account_close_locked(uint64_t number, uint64_t n)
{
	for (; n && number; n--, number++)
		take_account_out(number);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Charge the thread's account with the counts since the last call. The caller has folded the thread. */
static void charge_locked(struct upcs_counted *t)
{
	struct upcs_account *account = look_up_account(t->account);
	unsigned i;

	for (i = 0; i < UPCS_TALLIES; i++) {
		uint64_t now = t->record->tally[0][i];

		if (account)
			account->tally[i] += now - t->charged[i];
		t->charged[i] = now;
	}
}

static void account_change_locked(struct upcs_counted *t, uint64_t number)
{
	if (t->account == number)
		return;
	upcs_fold_thread_locked(t);
	charge_locked(t);
	__atomic_store_n(&t->account, number, __ATOMIC_RELAXED);
}

/* ---- accounts that other threads work for ------------------------------------------------------- */

/* True for the account of a region. False for 0, for code outside of all regions (UPCS_OUTSIDE), and for the
 * work of the marking functions themselves. */
static bool account_is_region(uint64_t account)
{
	return !(account & UPCS_OUTSIDE) && account >> 32;
}

static struct upcs_share account_hand_locked(struct upcs_counted *t, uint64_t account)
{
	struct upcs_handed_share *handed = t->handed_share;
	unsigned i;

	for (i = 0; i < t->handed_shares; i++)
		if (handed[i].share.account == account && handed[i].open == t->open)
			return handed[i].share;
	if (t->handed_shares == UPCS_SHARES) {
		upcs_account_doubt_locked(account, UPCS_ACCOUNT_LOW);
		return (struct upcs_share){0, 0};
	}
	t->handed_shares++;
	handed[i] = (struct upcs_handed_share){{account, ++upcs_threads.instances}, t->open};
	return handed[i].share;
}

/* A thread made while its maker works for a team inherits nothing, since the end of that work is unknown. */
void upcs_account_bequeath_locked(struct upcs_counted *t)
{
	uint64_t account = upcs_account_of(t);

	upcs_threads.share = (struct upcs_share){0, 0};
	if (!account_is_region(account) || upcs_region_is_in_runtime(t->stack))
		return;
	if (upcs_region_is_away(t->stack))
		upcs_account_doubt_locked(account, UPCS_ACCOUNT_LOW);
	else if (account == t->share.account)
		upcs_threads.share = t->share;
	else
		upcs_threads.share = account_hand_locked(t, account);
}

/* True while the maker is still in the region whose share it handed to the new thread. */
static bool account_is_handed_locked(uint64_t instance)
{
	const struct upcs_counted *t;
	unsigned i;

	for (t = upcs_threads.first; t; t = t->next)
		for (i = 0; i < t->handed_shares; i++)
			if (t->handed_share[i].share.instance == instance)
				return true;
	return false;
}

void upcs_account_inherit_locked(struct upcs_counted *t)
{
	const struct upcs_share share = upcs_threads.share;

	upcs_threads.share = (struct upcs_share){0, 0};
	if (!share.account)
		return;
	if (!account_is_handed_locked(share.instance)) {
		upcs_account_doubt_locked(share.account, UPCS_ACCOUNT_LOW);
		return;
	}
	t->share = share;
	t->account = share.account;
}

/* Move a thread, whose inherited region has ended, to the account of the enclosing region. From now on the
 * previous account is a lower bound, unless the thread is exiting. If the thread leads an OpenMP team, the
 * team's further work may be counted in the previous account, too. */
static void account_pass_on_locked(struct upcs_counted *t, struct upcs_share share)
{
	const unsigned team = __atomic_load_n(&t->was_in_runtime, __ATOMIC_RELAXED) ? UPCS_ACCOUNT_HIGH : 0;
	const uint64_t before = t->share.account;

	if (t->account == before)
		account_change_locked(t, share.account);
	t->share.instance = share.instance;
	__atomic_store_n(&t->share.account, share.account, __ATOMIC_RELAXED);
	if (!__atomic_load_n(&t->exits, __ATOMIC_ACQUIRE))
		upcs_account_doubt_locked(before, UPCS_ACCOUNT_LOW | team);
}

static void account_end_shares_locked(struct upcs_counted *t, uint64_t number, uint64_t open)
{
	struct upcs_handed_share ended;
	struct upcs_counted *other;
	struct upcs_share around;
	unsigned i = 0;

	t->open = open;
	while (i < t->handed_shares) {
		ended = t->handed_share[i];
		if (open > ended.open || (open == ended.open && number == ended.share.account)) {
			i++;
			continue;
		}
		t->handed_share[i] = t->handed_share[--t->handed_shares];
		around = (struct upcs_share){0, 0};
		if (open < ended.open && account_is_region(number))
			around = account_hand_locked(t, number);
		for (other = upcs_threads.first; other; other = other->next)
			if (other->share.account && other->share.instance == ended.share.instance)
				account_pass_on_locked(other, around);
	}
}

/* ---- what a thread works for -------------------------------------------------------------------- */

bool upcs_account_is_there(void)
{
	return upcs_run.results->options.accounts;
}

uint64_t upcs_account_of(const struct upcs_counted *t)
{
	uint64_t own = upcs_region_account(t->stack);
	uint64_t share = __atomic_load_n(&t->share.account, __ATOMIC_RELAXED);

	return share && (!own || own & UPCS_OUTSIDE) ? share : own;
}

/* Return the account that the thread works for now. */
static uint64_t account_now(const struct upcs_counted *t)
{
	return t->marking ? 0 : upcs_account_of(t);
}

/* Note whether the thread is in a marking function: from the function's first instruction to its return,
 * including all calls in between. */
static void follow_marks(struct upcs_counted *t, const struct upcs_region_block *block)
{
	uint64_t depth = upcs_region_depth(t->stack);

	if (t->marking && depth + 1 < t->marking)
		t->marking = 0;
	if (block->marks && !t->marking)
		t->marking = depth + 1;
}

bool upcs_account_set_locked(uint64_t number, uint64_t open, uint64_t names)
{
	struct upcs_counted *t = upcs_self;

	if (!t || !t->stack || (number && !take_account(number)))
		return false;
	upcs_region_set_account(t->stack, number);
	if (open) {
		if (number)
			take_account(number)->names = names;
		account_end_shares_locked(t, number, open - 1);
	}
	account_change_locked(t, account_now(t));
	return true;
}

void upcs_account_follow(const struct upcs_region_block *block)
{
	struct upcs_counted *t = upcs_self;

	follow_marks(t, block);
	if (__atomic_load_n(&t->account, __ATOMIC_RELAXED) == account_now(t))
		return;
	pthread_mutex_lock(&upcs_threads.lock);
	account_change_locked(t, account_now(t));
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_account_end_locked(struct upcs_counted *t)
{
	if (!t->stack)
		return;
	charge_locked(t);
	account_end_shares_locked(t, 0, 0);
}

const struct upcs_account *upcs_account_locked(uint64_t number)
{
	struct upcs_account *account = look_up_account(number);
	struct upcs_counted *t;

	for (t = upcs_threads.first; account && t; t = t->next)
		if (t->account == number) {
			upcs_fold_thread_locked(t);
			charge_locked(t);
		}
	if (account)
		account->doubts |= doubts_of_all;
	return account;
}

/* ---- doubts ---------------------------------------------------------------------------------- */

void upcs_account_doubt_all(unsigned doubts)
{
	pthread_mutex_lock(&upcs_threads.lock);
	doubts_of_all |= doubts;
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_account_doubt_locked(uint64_t number, unsigned doubts)
{
	struct upcs_account *account = look_up_account(number);

	if (account)
		account->doubts |= doubts;
}

uint64_t upcs_account_names_locked(uint64_t number)
{
	const struct upcs_account *account = look_up_account(number);

	return account ? account->names : 0;
}

void upcs_account_forked(void)
{
	uint32_t i;

	for (i = 0; i < room; i++)
		free(entry[i].account);
	free(entry);
	entry = NULL;
	room = used = 0;
	doubts_of_all = 0;
}
