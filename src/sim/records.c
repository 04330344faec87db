/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records.c - who has which record of the results file.
 */
#include "records.h"

#include <stddef.h>
#include <unistd.h>

#include "memory.h"
#include "results.h"

_Static_assert(offsetof(struct upcs_process, state) == 0 && offsetof(struct upcs_thread, state) == 0,
	       "a record begins with its state");

/* Records of one sort. */
struct sort {
	struct upcs_places *places;
	char *first;
	size_t bytes; /* of each */
	uint32_t max;
};

static uint32_t *state_of(const struct sort *sort, uint32_t i)
{
	return (uint32_t *)(void *)(sort->first + i * sort->bytes);
}

/* Partner: the release with which it was made free. */
static bool claim(const struct sort *sort, uint32_t i, uint32_t making)
{
	uint32_t was = UPCS_FREE;

	return __atomic_compare_exchange_n(state_of(sort, i), &was, making, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* One more record has memory; several may see to the same one. */
static bool grow(const struct sort *sort, uint32_t there)
{
	if (there >= sort->max)
		return false;
	if (!upcs_memory_take(state_of(sort, there), sort->bytes)) {
		__atomic_store_n(&sort->places->without_memory, 1, __ATOMIC_RELAXED);
		return false;
	}
	(void)__atomic_compare_exchange_n(&sort->places->there, &there, there + 1, false, __ATOMIC_SEQ_CST,
					  __ATOMIC_RELAXED);
	return true;
}

static bool take(const struct sort *sort, uint32_t owner, uint32_t *index)
{
	uint32_t making = UPCS_MAKING | owner << UPCS_STATE_BITS;

	do {
		*index = __atomic_load_n(&sort->places->there, __ATOMIC_ACQUIRE);
		if (!grow(sort, *index)) {
			__atomic_fetch_add(&sort->places->without, 1, __ATOMIC_RELAXED);
			return false;
		}
	} while (!claim(sort, *index, making));
	return true;
}

struct upcs_process *upcs_records_process(struct upcs_results *results, uint32_t *index)
{
	const struct sort sort = {&results->processes, (char *)results->process, sizeof(*results->process),
				  UPCS_PROCESSES_MAX};

	return take(&sort, (uint32_t)getpid(), index) ? &results->process[*index] : NULL;
}

struct upcs_thread *upcs_records_thread(struct upcs_results *results, uint32_t process, uint32_t *index)
{
	const struct sort sort = {&results->threads, (char *)results->thread, sizeof(*results->thread),
				  UPCS_THREADS_MAX};

	if (!take(&sort, process, index))
		return NULL;
	results->thread[*index].process = process;
	return &results->thread[*index];
}

void upcs_records_give_up(struct upcs_results *results, struct upcs_process *process)
{
	__atomic_fetch_add(&results->processes.without, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&process->state, UPCS_FREE, __ATOMIC_RELEASE);
}
