/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.c - takes and releases the records of the results file.
 *
 * Terms: count/thread.h.
 */
#include "count/records.h"

#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "count/memory.h"
#include "count/results.h"

_Static_assert(offsetof(struct upcs_process, state) == 0 && offsetof(struct upcs_thread, state) == 0,
	       "a record begins with its state");

/* upc_run collects ended records more often than this. */
#define NAP_MS 10
#define NAPS 200

/* Records of one sort: processes or threads. */
struct sort {
	struct upcs_places *places;
	char *first;
	size_t bytes; /* size of one record */
	uint32_t max;
};

static uint32_t *state_of(const struct sort *sort, uint32_t i)
{
	return (uint32_t *)(void *)(sort->first + i * sort->bytes);
}

/* Take record i. The acquire order pairs with the release store in release_record(). */
static bool claim_record(const struct sort *sort, uint32_t i, uint32_t making)
{
	uint32_t was = UPCS_FREE;

	return __atomic_compare_exchange_n(state_of(sort, i), &was, making, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Allocate memory for one more record. Several processes may do this for the same record. */
static bool grow_records(const struct sort *sort, uint32_t there)
{
	if (there >= sort->max)
		return false;
	if (!upcs_memory_take(state_of(sort, there), sort->bytes))
		return false;
	(void)__atomic_compare_exchange_n(&sort->places->there, &there, there + 1, false, __ATOMIC_SEQ_CST,
					  __ATOMIC_RELAXED);
	return true;
}

/* Search all records for a free one, beginning after the record taken last, since the next record is likely
 * free. */
static bool claim_any(const struct sort *sort, uint32_t making, uint32_t *index)
{
	uint32_t there = __atomic_load_n(&sort->places->there, __ATOMIC_ACQUIRE), i;
	uint32_t start = __atomic_fetch_add(&sort->places->next, 1, __ATOMIC_RELAXED);

	for (i = 0; i < there && i < sort->max; i++) {
		*index = (start + i) % (there < sort->max ? there : sort->max);
		if (claim_record(sort, *index, making)) {
			__atomic_store_n(&sort->places->next, *index + 1, __ATOMIC_RELAXED);
			__atomic_fetch_sub(&sort->places->free, 1, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

static bool claim_new(const struct sort *sort, uint32_t making, uint32_t *index)
{
	do {
		*index = __atomic_load_n(&sort->places->there, __ATOMIC_ACQUIRE);
		if (!grow_records(sort, *index))
			return false;
	} while (!claim_record(sort, *index, making));
	return true;
}

/* True if some records have ended, so that upc_run will free them. */
static bool is_worth_waiting(const struct upcs_results *results, const struct sort *sort)
{
	uint32_t there = __atomic_load_n(&sort->places->there, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < there && i < sort->max; i++)
		if (upcs_results_state(state_of(sort, i)) == UPCS_ENDED)
			return !upcs_results_are_closed(results);
	return false;
}

/* Take a record, napping while all are in use. The caller may hold its process's lock, which upc_run never
 * takes. */
static bool take_record(struct upcs_results *results, const struct sort *sort, uint32_t owner,
			uint32_t *index)
{
	const struct timespec nap = {.tv_nsec = NAP_MS * 1000000l};
	uint32_t making = UPCS_MAKING | owner << UPCS_STATE_BITS, naps;

	for (naps = 0;; naps++) {
		if (__atomic_load_n(&sort->places->free, __ATOMIC_RELAXED) > 0 &&
		    claim_any(sort, making, index))
			return true;
		if (claim_new(sort, making, index) || claim_any(sort, making, index))
			return true;
		if (naps == NAPS || !is_worth_waiting(results, sort))
			break;
		nanosleep(&nap, NULL);
	}
	__atomic_fetch_add(&sort->places->without, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&sort->places->there, __ATOMIC_RELAXED) < sort->max)
		__atomic_store_n(&sort->places->without_memory, 1, __ATOMIC_RELAXED);
	return false;
}

static struct sort processes_of(struct upcs_results *results)
{
	return (struct sort){&results->processes, (char *)results->process, sizeof(*results->process),
			     UPCS_PROCESSES_MAX};
}

static struct sort threads_of(struct upcs_results *results)
{
	return (struct sort){&results->threads, (char *)results->thread, sizeof(*results->thread),
			     UPCS_THREADS_MAX};
}

struct upcs_process *upcs_records_process(struct upcs_results *results, uint32_t *index)
{
	const struct sort sort = processes_of(results);
	uint64_t space = upcs_results_space();

	if (!take_record(results, &sort, (uint32_t)getpid(), index))
		return NULL;
	results->process[*index].space = space;
	results->process[*index].serial = __atomic_fetch_add(&sort.places->begun, 1, __ATOMIC_RELAXED);
	return &results->process[*index];
}

struct upcs_thread *upcs_records_thread(struct upcs_results *results, uint32_t process, uint32_t *index)
{
	const struct sort sort = threads_of(results);

	if (!take_record(results, &sort, process, index))
		return NULL;
	results->thread[*index].process = process;
	return &results->thread[*index];
}

void upcs_records_give_up(struct upcs_results *results, struct upcs_process *process)
{
	__atomic_fetch_add(&results->processes.without, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&process->state, UPCS_FREE, __ATOMIC_RELEASE);
}

/* Free the record. The state is stored last: nobody else takes the record before that. */
static void release_record(const struct sort *sort, uint32_t index)
{
	uint32_t *state = state_of(sort, index);

	memset(state + 1, 0, sort->bytes - sizeof(*state));
	__atomic_store_n(state, UPCS_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_add(&sort->places->free, 1, __ATOMIC_RELAXED);
}

void upcs_records_free_process(struct upcs_results *results, uint32_t index)
{
	const struct sort sort = processes_of(results);

	release_record(&sort, index);
}

void upcs_records_free_thread(struct upcs_results *results, uint32_t index)
{
	const struct sort sort = threads_of(results);

	release_record(&sort, index);
}
