/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * score.c - copies counts from the emulator's memory.
 *
 * Terms: count/thread.h.
 */
#include "count/score.h"

#include <string.h>

/* Return the array's count when its thread took the array. */
static uint64_t score_count_before(const struct upcs_counting *c, uint32_t kind)
{
	return kind < c->kinds_before ? c->before[kind] : 0;
}

void upcs_score_take_locked(struct upcs_counted *t)
{
	const struct upcs_scores *scores = upcs_threads.scores;
	uint32_t kinds = upcs_run.counts->kinds, first, k;
	uint64_t *to = upcs_counts_of(t->scored);
	/* A thread in a system call counts nothing. */
	bool called = __atomic_load_n(&t->record->in_call, __ATOMIC_ACQUIRE);
	/* Pairs with the release store in upcs_thread_calls(): counts from before the system call are visible
	 * after this load. */
	uint32_t calls = __atomic_load_n(&t->record->calls, __ATOMIC_ACQUIRE);

	for (first = 0; first < kinds; first += UPCS_SCORE_KINDS) {
		const uint64_t *from = scores->of(t->vcpu, first / UPCS_SCORE_KINDS);
		uint32_t n = kinds - first < UPCS_SCORE_KINDS ? kinds - first : UPCS_SCORE_KINDS;

		for (k = 0; from && k < n; k++)
			__atomic_store_n(&to[first + k],
					 __atomic_load_n(&from[k], __ATOMIC_RELAXED) +
						 score_count_before(t->scored, first + k),
					 __ATOMIC_RELAXED);
	}
	if (called)
		__atomic_store_n(&t->record->taken, calls, __ATOMIC_RELEASE);
}

static void clear_vcpu_scores(unsigned vcpu)
{
	unsigned i;

	for (i = 0; i < UPCS_SCORES_MAX; i++) {
		uint64_t *counts = upcs_threads.scores->of(vcpu, i);

		if (counts)
			memset(counts, 0, UPCS_SCORE_KINDS * sizeof(*counts));
	}
}

void upcs_score_finish_locked(struct upcs_counted *t)
{
	upcs_score_take_locked(t);
	clear_vcpu_scores(t->vcpu);
	t->scored = NULL;
	t->record->scored = 0;
}

void upcs_score_clear_locked(void)
{
	unsigned vcpus = upcs_threads.scores->vcpus(), i;

	for (i = 0; i < vcpus; i++)
		clear_vcpu_scores(i);
}
