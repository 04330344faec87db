/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_run.c - process-wide sets from start to stop: the owner's calls, and their results, the sums over
 * all members.
 *
 * Terms: process/thread.h.
 */
#include <string.h>

#include "core/error.h"
#include "process/process_private.h"
#include "process/thread.h"

/* ---- results -------------------------------------------------------------------------- */

static void add_set(struct mpxi_pool *pool, const struct mpxi_set *set, unsigned i)
{
	const struct mpxi_window *window = mpxi_set_best_window(set, i, mpxi_library_estimator());

	mpxi_pool_add(pool, window, mpxi_library_estimator(), mpxi_set_lost(set));
	/* This stretch continues a stretch of the same slice, but the pool has stretches of other
	 * threads between the two, so they cannot form one cluster. */
	pool->torn |= window->continues && !window->turns && pool->shared > 1;
}

/* True if the member has the process-wide set's present events, and counts of its present run. */
static bool member_has_counts(const struct mpxi_member *member)
{
	return mpxi_member_takes_part(member) && member->known && !member->stale;
}

static void sum_up_locked(struct mpxi_process *process)
{
	unsigned threads = 1, present = mpxi_processes.present, i;
	struct mpxi_member *member;

	for (member = process->members; member; member = member->next)
		threads += member_has_counts(member);
	for (i = 0; i < process->events; i++) {
		struct mpxi_result *result = &process->result[i];
		struct mpxi_pool *sum = &process->pool[i];

		*sum = process->gone[i];
		add_set(sum, process->own, i);
		for (member = process->members; member; member = member->next)
			if (member_has_counts(member))
				add_set(sum, member->set, i);
		mpxi_pool_result(sum, mpxi_library_estimator(), result);
		result->threads = threads + process->gone_threads;
		result->missed = present > threads ? present - threads : 0;
		result->partial = sum->partial = process->partial || result->missed;
	}
}

void mpxi_process_inherit_locked(const struct mpxi_member *member)
{
	struct mpxi_process *process = member->process;
	unsigned i;

	if (!member_has_counts(member)) {
		process->partial |= process->runs;
		return;
	}
	for (i = 0; i < process->events; i++)
		add_set(&process->gone[i], member->set, i);
	process->gone_threads++;
}

/* Discard the counts of ended threads, since the set counts from zero from now on. */
static void forget_gone_locked(struct mpxi_process *process)
{
	memset(process->gone, 0, process->events * sizeof(process->gone[0]));
	process->gone_threads = 0;
}

static void forget_members_locked(struct mpxi_process *process)
{
	struct mpxi_member *member;

	for (member = process->members; member; member = member->next)
		member->known = false;
}

static void forget_results(struct mpxi_process *process)
{
	static const struct mpxi_pool empty;
	unsigned i;

	for (i = 0; i < process->events; i++)
		mpxi_pool_result(&empty, mpxi_library_estimator(), &process->result[i]);
}

const struct mpxi_pool *mpxi_process_pool(const struct mpxi_process *process, unsigned index)
{
	return &process->pool[index];
}

const struct mpxi_result *mpxi_process_result(const struct mpxi_process *process, unsigned index)
{
	return &process->result[index];
}

/* ---- calls of the owner ---------------------------------------------------------------- */

/* Send the request to all other threads, call own_call for the owner's part, and wait for the answers. */
static int ask_all(struct mpxi_process *process, enum mpxi_wish wish, int (*own_call)(struct mpxi_set *))
{
	int error, silent;

	mpxi_process_ask_locked(process, wish);
	error = own_call(process->own);
	silent = mpxi_process_wait_locked(process);
	return error ? error : silent;
}

int mpxi_process_start(struct mpxi_process *process)
{
	struct mpxi_member *member;
	int error;

	mpxi_process_lock();
	error = mpxi_set_start(process->own);
	if (!error) {
		process->runs = true;
		process->partial = false;
		forget_gone_locked(process);
		/* A member that the last stop has not reached still runs and has counts of the last run. */
		for (member = process->members; member; member = member->next) {
			member->known = false;
			member->stale = mpxi_set_runs(member->set);
		}
		forget_results(process);
		atomic_fetch_add(&mpxi_processes.changes, 1);
		mpxi_process_ask_locked(process, MPXI_WISH_START);
		(void)mpxi_process_wait_locked(process);
	}
	mpxi_process_unlock();
	return error;
}

int mpxi_process_stop(struct mpxi_process *process)
{
	int error;

	if (!process->runs)
		return mpxi_error(MPXI_ENOTRUN, "the event set does not run");
	mpxi_process_lock();
	error = ask_all(process, MPXI_WISH_STOP, mpxi_set_stop);
	process->runs = false;
	sum_up_locked(process);
	mpxi_process_unlock();
	return error;
}

int mpxi_process_read(struct mpxi_process *process)
{
	int error;

	/* A stopped set keeps the counts of its stop. */
	if (!process->runs)
		return 0;
	mpxi_process_lock();
	error = ask_all(process, MPXI_WISH_READ, mpxi_set_read);
	sum_up_locked(process);
	mpxi_process_unlock();
	return error;
}

int mpxi_process_take(struct mpxi_process *process)
{
	int error;

	mpxi_process_lock();
	/* If a thread does not answer, this take lacks its counts, and the next take includes them. */
	forget_members_locked(process);
	error = ask_all(process, MPXI_WISH_TAKE, mpxi_set_take);
	sum_up_locked(process);
	forget_gone_locked(process);
	forget_members_locked(process);
	mpxi_process_unlock();
	return error;
}

int mpxi_process_reset(struct mpxi_process *process)
{
	struct mpxi_member *member;
	unsigned i;
	int error;

	mpxi_process_lock();
	if (process->runs) {
		forget_members_locked(process);
		process->partial = false;
		error = ask_all(process, MPXI_WISH_TAKE, mpxi_set_take);
		sum_up_locked(process);
		for (member = process->members; member; member = member->next)
			member->stale |= !member->known;
		forget_members_locked(process);
	} else {
		error = mpxi_set_reset(process->own);
		forget_members_locked(process);
	}
	forget_gone_locked(process);
	forget_results(process);
	/* A stopped set that was reset has counted exactly nothing. */
	for (i = 0; !process->runs && i < process->events; i++)
		process->result[i].estimate = (struct mpxi_estimate){.coverage = 1, .exact = true};
	mpxi_process_unlock();
	return error;
}
