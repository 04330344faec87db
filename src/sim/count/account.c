/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.c - a table of accounts by number, and which of them each thread works for.
 */
#include "count/account.h"

#include <stdlib.h>
#include <string.h>

#include "count/thread_private.h"

#define ROOM_FIRST 256u
#define ROOM_MAX (1u << 22)

struct entry {
	uint64_t number; /* 0: free; account 0 is nobody's */
	struct upcs_account *account;
};

/* Under the lock of threads. */
static struct entry *entry;
static uint32_t room, used; /* room: a power of two, or 0 */
static bool all_doubted;

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t home_of(uint64_t number, uint32_t size)
{
	return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

static struct entry *find(struct entry *in, uint32_t size, uint64_t number)
{
	uint32_t i = home_of(number, size);

	while (in[i].number && in[i].number != number)
		i = (i + 1) & (size - 1);
	return &in[i];
}

/* Half of it stays free. */
static bool make_room(void)
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
			*find(larger, size, entry[i].number) = entry[i];
	free(entry);
	entry = larger;
	room = size;
	return true;
}

static struct upcs_account *look_up(uint64_t number)
{
	return room && number ? find(entry, room, number)->account : NULL;
}

static struct upcs_account *take(uint64_t number)
{
	struct upcs_account *account = look_up(number);

	if (account || !number || !make_room())
		return account;
	account = calloc(1, sizeof(*account));
	if (!account)
		return NULL;
	*find(entry, room, number) = (struct entry){number, account};
	used++;
	return account;
}

/* Those behind it that it was in the way of move up. */
static void take_out(uint64_t number)
{
	struct entry *gone = room && number ? find(entry, room, number) : NULL;
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
		take_out(number);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* What it has done since this was last called is its account's. It has been folded. */
static void charge_locked(struct upcs_counted *t)
{
	struct upcs_account *account = look_up(t->account);
	unsigned i;

	for (i = 0; i < UPCS_TALLIES; i++) {
		uint64_t now = t->record->tally[0][i];

		if (account)
			account->tally[i] += now - t->charged[i];
		t->charged[i] = now;
	}
}

static void change_locked(struct upcs_counted *t, uint64_t number)
{
	if (t->account == number)
		return;
	upcs_fold_thread_locked(t);
	charge_locked(t);
	t->account = number;
}

bool upcs_account_is_there(void)
{
	return upcs_run.results->options.accounts;
}

/* The account that the thread works for now. */
static uint64_t account_of(const struct upcs_counted *t)
{
	return t->marking ? 0 : upcs_region_account(t->stack);
}

/* From the first instruction of the library's function to its return, whatever it calls. */
static void follow_marks(struct upcs_counted *t, const struct upcs_region_block *block)
{
	uint64_t depth = upcs_region_depth(t->stack);

	if (t->marking && depth + 1 < t->marking)
		t->marking = 0;
	if (block->marks && !t->marking)
		t->marking = depth + 1;
}

bool upcs_account_set_locked(uint64_t number)
{
	struct upcs_counted *t = upcs_self;

	if (!t || !t->stack || (number && !take(number)))
		return false;
	upcs_region_set_account(t->stack, number);
	change_locked(t, account_of(t));
	return true;
}

void upcs_account_follow(const struct upcs_region_block *block)
{
	struct upcs_counted *t = upcs_self;

	follow_marks(t, block);
	if (t->account == account_of(t))
		return;
	pthread_mutex_lock(&upcs_threads.lock);
	change_locked(t, account_of(t));
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_account_end_locked(struct upcs_counted *t)
{
	if (t->stack)
		charge_locked(t);
}

const struct upcs_account *upcs_account_locked(uint64_t number)
{
	struct upcs_account *account = look_up(number);
	struct upcs_counted *t;

	for (t = upcs_threads.first; account && t; t = t->next)
		if (t->account == number) {
			upcs_fold_thread_locked(t);
			charge_locked(t);
		}
	if (account && all_doubted)
		account->doubted = true;
	return account;
}

/* ---- doubts ---------------------------------------------------------------------------------- */

void upcs_account_doubt_all(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	all_doubted = true;
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_account_forked(void)
{
	uint32_t i;

	for (i = 0; i < room; i++)
		free(entry[i].account);
	free(entry);
	entry = NULL;
	room = used = 0;
	all_doubted = false;
}
