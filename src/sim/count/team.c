/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.c - the memory locations in which runtimes have stored functions, and the functions that each thread
 * has loaded.
 *
 * A thread that stores a function's address which it has loaded before passes on the loaded work. If the
 * address comes from the program's own call of the runtime, the function works for the regions of that call.
 * If other code copied the memory (memcpy), the regions are those of the function's last store, and they are
 * certain only if all stores had the same regions.
 *
 * Terms: count/thread.h.
 */
#include "count/team.h"

#include <stdlib.h>
#include <string.h>

#include "count/thread.h"

#define CODES 256u
#define ROOM_FIRST 1024u
#define ROOM_MAX (1u << 22)

static struct {
	uint64_t begin, end;
} code[CODES];
static uint32_t codes;

/* An entry by key: the address of a memory location, or of a function. Key 0: free. */
struct entry {
	uint64_t key;
	struct upcs_team_work work;
};

struct table {
	struct entry *entry;
	uint32_t room, used; /* room: a power of two */
};

/* The tables are protected by upcs_threads.lock. */
static struct table places, functions;

/* ---- code ---------------------------------------------------------------------------------- */

void upcs_team_code(uint64_t begin, uint64_t end)
{
	uint32_t n, i;

	upcs_process_hold();
	n = codes;
	for (i = 0; i < n && !(code[i].begin <= begin && end <= code[i].end); i++)
		;
	if (i == n && n < CODES) {
		code[n].begin = begin;
		code[n].end = end;
		__atomic_store_n(&codes, n + 1, __ATOMIC_RELEASE);
	}
	upcs_process_release();
}

bool upcs_team_is_code(uint64_t value)
{
	uint32_t n = __atomic_load_n(&codes, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < n; i++)
		if (value >= code[i].begin && value < code[i].end)
			return true;
	return false;
}

/* ---- tables -------------------------------------------------------------------------------- */

static struct entry *find_team_entry(const struct table *table, uint64_t key)
{
	uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->room - 1);

	while (table->entry[i].key && table->entry[i].key != key)
		i = (i + 1) & (table->room - 1);
	return &table->entry[i];
}

/* Grow the table so that half of it stays free. If memory is short, forget all entries. Return false if there
 * is no table. */
static bool make_team_room(struct table *table)
{
	struct table larger = {.room = table->room ? 2 * table->room : ROOM_FIRST};
	uint32_t i;

	if (2 * table->used < table->room)
		return true;
	larger.entry = larger.room <= ROOM_MAX ? calloc(larger.room, sizeof(*larger.entry)) : NULL;
	if (!larger.entry) {
		if (table->room)
			memset(table->entry, 0, table->room * sizeof(*table->entry));
		table->used = 0;
		return table->room != 0;
	}
	for (i = 0; i < table->room; i++)
		if (table->entry[i].key)
			*find_team_entry(&larger, table->entry[i].key) = table->entry[i];
	larger.used = table->used;
	free(table->entry);
	*table = larger;
	return true;
}

static const struct upcs_team_work *look_up_team_work(const struct table *table, uint64_t key)
{
	const struct entry *entry = table->room ? find_team_entry(table, key) : NULL;

	return entry && entry->key ? &entry->work : NULL;
}

static void put_team_work(struct table *table, uint64_t key, struct upcs_team_work work)
{
	struct entry *entry;

	if (!make_team_room(table))
		return;
	entry = find_team_entry(table, key);
	table->used += !entry->key;
	*entry = (struct entry){key, work};
}

/* ---- hands --------------------------------------------------------------------------------- */

static const struct upcs_team_work *in_hand(const struct upcs_team_hand *hand, uint64_t function)
{
	unsigned i;

	for (i = 1; i <= UPCS_TEAM_RECENT; i++) {
		const struct upcs_team_work *work = &hand->recent[(hand->next - i) % UPCS_TEAM_RECENT];

		if (work->function == function)
			return work;
	}
	return NULL;
}

void upcs_team_enter(struct upcs_team_hand *hand)
{
	memset(hand, 0, sizeof(*hand));
}

/* Note the work of a function that the program passed in its own call. */
static void note_function(struct upcs_team_work work)
{
	const struct upcs_team_work *before = look_up_team_work(&functions, work.function);

	if (before && (!before->sure || before->regions != work.regions || before->account != work.account))
		work.sure = false;
	put_team_work(&functions, work.function, work);
}

void upcs_team_store(struct upcs_team_hand *hand, uint16_t regions, uint64_t account, uint64_t address,
		     uint64_t value)
{
	const struct upcs_team_work *known = in_hand(hand, value);
	struct upcs_team_work work = {value, account, regions, true};

	upcs_process_hold();
	if (known)
		work = *known;
	else
		note_function(work);
	put_team_work(&places, address, work);
	upcs_process_release();
}

void upcs_team_load(struct upcs_team_hand *hand, uint64_t address, uint64_t value)
{
	const struct upcs_team_work *known;
	struct upcs_team_work work = {0};

	upcs_process_hold();
	known = look_up_team_work(&places, address);
	if (known && known->function == value)
		work = *known;
	else if ((known = look_up_team_work(&functions, value)))
		work = *known;
	upcs_process_release();
	if (work.function)
		hand->recent[hand->next++ % UPCS_TEAM_RECENT] = work;
}

bool upcs_team_call(struct upcs_team_hand *hand, uint64_t function, struct upcs_team_work *work)
{
	const struct upcs_team_work *known = in_hand(hand, function);
	bool found = known != NULL;

	if (found) {
		*work = *known;
	} else {
		upcs_process_hold();
		known = look_up_team_work(&functions, function);
		*work = known ? *known : (struct upcs_team_work){0};
		upcs_process_release();
	}
	upcs_team_enter(hand);
	return found;
}
