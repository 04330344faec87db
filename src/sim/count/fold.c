/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fold.c - folds counts into tallies: adds what each thread counted since the last time, for each kind, under
 * upcs_threads.lock, which translation takes too. Also runs the thread that folds on request.
 *
 * Terms: count/thread.h.
 */
#include <pthread.h>
#include <signal.h>

#include "base/now.h"
#include "count/score.h"

static bool running; /* the folding thread has been started */

static void fold_counting(struct upcs_thread *record, struct upcs_counting *c)
{
	uint32_t kinds = upcs_run.counts->kinds, k;
	const uint64_t *count = upcs_counts_of(c);
	uint64_t sum[UPCS_STATIC] = {0};
	bool any = false;

	for (k = 0; k < kinds; k++) {
		uint64_t now = __atomic_load_n(&count[k], __ATOMIC_RELAXED);

		if (now == c->seen[k])
			continue;
		upcs_counts_sum(sum, &upcs_run.counts->kind[k], now - c->seen[k]);
		c->seen[k] = now;
		any = true;
	}
	if (any)
		upcs_counts_tally(record, c->active, sum);
}

/* Move the counts of one array to another. A process that is killed in between leaves some counts in both
 * arrays, and an odd number of changes, by which upcs_left_settle() notices this. */
void upcs_fold_move_locked(struct upcs_thread *record, struct upcs_counting *from, struct upcs_counting *to)
{
	uint64_t *out = upcs_counts_of(from), *in = upcs_counts_of(to);
	struct upcs_counts *counts = upcs_run.counts;
	uint64_t sum[UPCS_STATIC] = {0};
	uint32_t kinds = counts->kinds, k;
	unsigned t;

	fold_counting(record, from);
	fold_counting(record, to);
	upcs_counts_changes(counts);
	for (k = 0; k < kinds; k++) {
		if (!out[k])
			continue;
		upcs_counts_sum(sum, &counts->kind[k], out[k]);
		in[k] += out[k];
		to->seen[k] += out[k];
		out[k] = from->seen[k] = 0;
	}
	/* The base of an array that keeps counts moves with the counts. */
	for (t = 0; counts->keeps && t < UPCS_STATIC; t++) {
		sum[t] -= counts->base[from->array][t];
		counts->base[to->array][t] += counts->base[from->array][t];
		counts->base[from->array][t] = 0;
	}
	upcs_counts_changes(counts);
	upcs_counts_tally_regions(record, to->active & (uint16_t)~from->active, sum);
}

void upcs_fold_thread_locked(struct upcs_counted *t)
{
	struct upcs_counting *c;

	if (t->scored && !upcs_threads.coming)
		upcs_score_take_locked(t);
	for (c = t->counting; c; c = c->next)
		fold_counting(t->record, c);
}

void upcs_fold_locked(void)
{
	struct upcs_counted *t;

	for (t = upcs_threads.first; t; t = t->next)
		upcs_fold_thread_locked(t);
}

void upcs_fold(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	upcs_fold_locked();
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* Counts in the emulator's memory are lost if the process is killed, so they are folded from time to time,
 * using at most one part in SPARE of the time. */
#define SPARE 50

static void *fold_for_ever(void *argument)
{
	struct upcs_results *results = upcs_run.results;
	uint64_t began;
	int64_t pause;
	uint32_t asked;

	(void)argument;
	for (;;) {
		asked = upcs_results_asked(results);
		began = upci_now_ns();
		upcs_fold();
		pause = (int64_t)((upci_now_ns() - began) * SPARE);
		if (pause < UPCS_SCORE_AGE_MS * 1000000)
			pause = UPCS_SCORE_AGE_MS * 1000000;
		upcs_results_wait(results, asked, upcs_threads.scores ? pause : -1);
	}
	return NULL;
}

/* Start the folding thread if it is needed. It blocks all signals, which are for the guest's threads. */
void upcs_fold_begin(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (running || !upcs_run.process || !(upcs_threads.scores || upcs_run.results->options.watched) ||
	    pthread_attr_init(&attributes))
		return;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* Without the thread, counts are older while the program runs, and complete at the end. */
	running = pthread_create(&thread, &attributes, fold_for_ever, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}

void upcs_fold_forked(void)
{
	running = false;
}
