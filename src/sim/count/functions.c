/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * functions.c - the functions that a run has executed, by number.
 */
#include "count/functions.h"

#include <stddef.h>
#include <string.h>

#include "count/memory.h"
#include "count/results.h"

/* Number of slots that are used. The rest stays free, so that searches end. */
#define PLACES_MAX (UPCS_FUNCTIONS_MAX / 4 * 3)

bool upcs_functions_begin(struct upcs_functions *table)
{
	return upcs_memory_take(table, offsetof(struct upcs_functions, text));
}

void upcs_functions_miss(struct upcs_functions *table)
{
	__atomic_fetch_add(&table->without, 1, __ATOMIC_RELAXED);
}

static uint64_t hash_function_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++);
	return hash;
}

/* Return the names' offset in the table's text, or UINT32_MAX if there is no room. */
static uint32_t write_function_text(struct upcs_functions *table, const char *file, const char *symbol)
{
	size_t of_file = strlen(file) + 1, bytes = of_file + strlen(symbol) + 1;
	uint32_t at;

	if (bytes > UPCS_FUNCTIONS_TEXT ||
	    __atomic_load_n(&table->used, __ATOMIC_RELAXED) > UPCS_FUNCTIONS_TEXT - bytes)
		return UINT32_MAX;
	at = __atomic_fetch_add(&table->used, (uint32_t)bytes, __ATOMIC_RELAXED);
	if (at > UPCS_FUNCTIONS_TEXT - bytes || !upcs_memory_take(table->text + at, bytes))
		return UINT32_MAX;
	memcpy(table->text + at, file, of_file);
	memcpy(table->text + at + of_file, symbol, bytes - of_file);
	return at;
}

/* Return the slot with this hash, or a free slot. */
static uint32_t find_function_place(const struct upcs_functions *table, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32) % UPCS_FUNCTIONS_MAX;
	uint32_t state;

	for (;; at = (at + 1) % UPCS_FUNCTIONS_MAX) {
		state = __atomic_load_n(&table->slot[at].state, __ATOMIC_ACQUIRE);
		if (state == UPCS_FREE || (state == UPCS_ENDED && table->slot[at].hash == hash))
			return at;
	}
}

uint32_t upcs_functions_number(struct upcs_functions *table, const char *file, const char *symbol)
{
	uint64_t hash = hash_function_text(hash_function_text(UINT64_C(0xcbf29ce484222325), file), symbol);
	uint32_t at, text, was;

	for (;;) {
		at = find_function_place(table, hash);
		if (__atomic_load_n(&table->slot[at].state, __ATOMIC_ACQUIRE) == UPCS_ENDED)
			return at + 1;
		if (__atomic_load_n(&table->n, __ATOMIC_RELAXED) >= PLACES_MAX)
			break;
		was = UPCS_FREE;
		if (!__atomic_compare_exchange_n(&table->slot[at].state, &was, UPCS_MAKING, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
			continue;
		__atomic_fetch_add(&table->n, 1, __ATOMIC_RELAXED);
		text = write_function_text(table, file, symbol);
		/* Without room for the names, the slot stays UPCS_MAKING for ever, and searches skip it. */
		if (text == UINT32_MAX)
			break;
		table->slot[at].text = text;
		table->slot[at].hash = hash;
		__atomic_store_n(&table->slot[at].state, UPCS_ENDED, __ATOMIC_RELEASE);
		return at + 1;
	}
	upcs_functions_miss(table);
	return 0;
}

bool upcs_functions_name(const struct upcs_functions *table, uint32_t number, const char **file,
			 const char **symbol)
{
	uint32_t text;
	size_t left;

	if (!number || number > UPCS_FUNCTIONS_MAX ||
	    __atomic_load_n(&table->slot[number - 1].state, __ATOMIC_ACQUIRE) != UPCS_ENDED)
		return false;
	text = table->slot[number - 1].text;
	if (text >= UPCS_FUNCTIONS_TEXT)
		return false;
	*file = table->text + text;
	left = UPCS_FUNCTIONS_TEXT - text;
	*symbol = memchr(*file, 0, left);
	if (!*symbol)
		return false;
	++*symbol;
	left -= (size_t)(*symbol - *file);
	return left && memchr(*symbol, 0, left);
}
