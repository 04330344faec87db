/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - the process's record: begin and end, exec and fork, and whether its blocks call the plugin.
 *
 * Terms: count/thread.h.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "count/account.h"
#include "count/score.h"

struct upcs_run upcs_run;
struct upcs_threads upcs_threads = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};
static uint32_t before_fork = UPCS_NO_THREAD;
static unsigned leaving; /* number of threads that are executing another program in this process's place */

void upcs_process_hold(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
}

void upcs_process_release(void)
{
	pthread_mutex_unlock(&upcs_threads.lock);
}

bool upcs_process_hold_all(void)
{
	struct timespec end;
	int error = 0;

	pthread_mutex_lock(&upcs_threads.lock);
	if (!upcs_threads.scores || !upcs_threads.coming)
		return true;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	upcs_threads.waiting++;
	while (upcs_threads.coming && !error)
		error = pthread_cond_timedwait(&upcs_threads.came, &upcs_threads.lock, &end);
	upcs_threads.waiting--;
	pthread_cond_broadcast(&upcs_threads.came);
	return !upcs_threads.coming;
}

void upcs_process_makes_no_more(void)
{
	(void)upcs_process_hold_all();
	upcs_threads.waiting += upcs_threads.scores != NULL;
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* ---- begin and end ------------------------------------------------------------------------- */

static void *take_nowhere(void *at)
{
	void *p = mmap(at, UPCS_KINDS_MAX * sizeof(*upcs_threads.nowhere), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Write the program's path to the record. A path that is too long keeps its end, which says more than its
 * beginning. */
static void write_name_locked(void)
{
	size_t length = strlen(upcs_run.program),
	       at = length < UPCS_WORD_MAX ? 0 : length - UPCS_WORD_MAX + 1;

	if (upcs_run.process)
		strcpy(upcs_run.process->program, upcs_run.program + at);
}

void upcs_process_note_memory_locked(void)
{
	if (upcs_run.counts->unshared)
		__atomic_store_n(&upcs_run.process->unshared, 1, __ATOMIC_RELAXED);
}

static void begin_sim_process_locked(void *at)
{
	struct upcs_run *run = &upcs_run;
	char path[UPCS_COUNTS_PATH_MAX];
	const struct upcs_kind *all;
	uint32_t n = upcs_kinds_all(run->kinds, &all);

	run->process = upcs_records_process(run->results, &run->index);
	if (!run->process)
		return;
	upcs_counts_path(path, run->path, run->index);
	run->counts = upcs_counts_create(path, all, n, at);
	if (!run->counts) {
		upcs_records_give_up(run->results, run->process);
		run->process = NULL;
		return;
	}
	if (run->results->options.functions)
		upcs_counts_keep(run->counts);
	/* If upc_run has ended, nobody else removes the file. */
	if (upcs_results_are_closed(run->results))
		unlink(path);
	upcs_process_note_memory_locked();
	run->process->begin_ns = upci_now_ns();
	run->process->guest = run->guest;
	run->process->pid = getpid();
	run->process->continues = run->continues;
	run->process->parent = getppid();
	write_name_locked();
	__atomic_store_n(&run->process->state, UPCS_RUNS, __ATOMIC_RELEASE);
}

bool upcs_process_begin(bool counted)
{
	upcs_threads.nowhere = take_nowhere(NULL);
	if (!upcs_threads.nowhere)
		return false;
	pthread_mutex_lock(&upcs_threads.lock);
	if (counted)
		begin_sim_process_locked(NULL);
	pthread_mutex_unlock(&upcs_threads.lock);
	upcs_fold_begin();
	return true;
}

void upcs_process_end(void)
{
	char path[UPCS_COUNTS_PATH_MAX];
	struct upcs_counted *t;
	bool whole;

	whole = upcs_process_hold_all();
	if (upcs_run.process) {
		upcs_fold_locked();
		for (t = upcs_threads.first; t; t = t->next) {
			if (!whole)
				upcs_counts_late(t->record);
			t->record->scored = 0;
		}
		/* Only the caller's block is cut. The emulator lets other threads finish their blocks. */
		if (upcs_self)
			upcs_run.process->died = upcs_counts_cut(upcs_self->record);
		upcs_run.process->end_ns = upci_now_ns();
		/* The process's state is stored first. upc_run treats the records of a running process as
		 * final once they have ended, but some of our threads may still be executing blocks. */
		__atomic_store_n(&upcs_run.process->state, UPCS_ENDED, __ATOMIC_RELEASE);
		for (t = upcs_threads.first; t; t = t->next) {
			upcs_counts_end(t->record);
			__atomic_store_n(&t->record->state, UPCS_ENDED, __ATOMIC_RELEASE);
		}
		upcs_counts_path(path, upcs_run.path, upcs_run.index);
		/* upc_run adds up the counts of each function while it lives, and removes the file itself. */
		if (!upcs_run.counts->keeps || upcs_results_are_closed(upcs_run.results))
			unlink(path);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

bool upcs_process_is_alone(void)
{
	return upcs_threads.alone && upcs_threads.made == 1;
}

/* The threads' records stay as they are: the next program in this process adds their last blocks. */
void upcs_process_leave(void)
{
	upcs_process_hold_all();
	leaving++;
	if (upcs_run.process) {
		upcs_fold_locked();
		upcs_run.process->end_ns = upci_now_ns();
		upcs_run.process->left = 1;
		__atomic_store_n(&upcs_run.process->state, UPCS_ENDED, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_process_stay(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	if (--leaving == 0 && upcs_run.process) {
		upcs_run.process->left = 0;
		upcs_run.process->end_ns = 0;
		__atomic_store_n(&upcs_run.process->state, UPCS_RUNS, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* ---- handlers ------------------------------------------------------------------------------ */

/*
 * Addresses of signal handlers. They are never removed, because old addresses may be stored elsewhere and set
 * again. Handlers beyond this number are treated as functions without a caller.
 */
#define HANDLERS_MAX 64u
static uint64_t handler[HANDLERS_MAX];
static uint32_t handlers;

void upcs_process_handles(uint64_t address)
{
	pthread_mutex_lock(&upcs_threads.lock);
	if (handlers < HANDLERS_MAX && !upcs_process_is_handler(address)) {
		handler[handlers] = address;
		__atomic_store_n(&handlers, handlers + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

bool upcs_process_is_handler(uint64_t address)
{
	uint32_t n = __atomic_load_n(&handlers, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < n && handler[i] != address; i++)
		;
	return i < n;
}

/* ---- blocks ------------------------------------------------------------------------------- */

void upcs_process_shares(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	upcs_threads.flushed = true;
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_process_expects_thread(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	if (upcs_threads.flushed && !upcs_threads.calls) {
		upcs_threads.calls = true;
		__atomic_store_n(&upcs_threads.old_code, upcs_threads.adding, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_process_has_threads(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	upcs_threads.calls = true;
	pthread_mutex_unlock(&upcs_threads.lock);
}

uint64_t *upcs_thread_inlined(void)
{
	uint64_t *to = NULL;

	pthread_mutex_lock(&upcs_threads.lock);
	if (!upcs_threads.calls) {
		if (!upcs_counting)
			upcs_thread_begin_next_locked(0);
		upcs_threads.inlined = to = upcs_counting;
		upcs_threads.adding = true;
	}
	pthread_mutex_unlock(&upcs_threads.lock);
	return to;
}

bool upcs_thread_adds(void)
{
	bool adds;

	pthread_mutex_lock(&upcs_threads.lock);
	adds = !upcs_threads.calls;
	upcs_threads.adding |= adds;
	pthread_mutex_unlock(&upcs_threads.lock);
	return adds;
}

bool upcs_process_is_old(void)
{
	return __atomic_load_n(&upcs_threads.old_code, __ATOMIC_ACQUIRE);
}

bool upcs_process_has_old_code(void)
{
	return __atomic_exchange_n(&upcs_threads.old_code, false, __ATOMIC_ACQ_REL);
}

void upcs_process_split(struct upcs_block *block)
{
	pthread_mutex_lock(&upcs_threads.lock);
	if (!upcs_block_split(block, upcs_run.kinds, upcs_run.counts))
		upcs_functions_miss(&upcs_run.results->functions);
	if (upcs_run.process) {
		upcs_process_note_memory_locked();
		upcs_run.process->unfolded += !block->parts;
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* ---- fork ---------------------------------------------------------------------------- */

/* Free the parent's threads. The child has neither the parent's counts mapped nor the parent's other
 * threads. */
static void forget_parent_locked(void)
{
	struct upcs_counted *t;

	while ((t = upcs_threads.first)) {
		upcs_threads.first = t->next;
		upcs_thread_free(t, false);
	}
	upcs_run.process = NULL;
	upcs_run.counts = NULL;
	upcs_run.continues = false;
	upcs_fold_forked();
}

/* Put the child in the regions that its parent was in. */
static void inherit_regions(struct upcs_region_stack *stack, uint16_t inherited)
{
	upcs_region_destroy(upcs_self->stack);
	upcs_self->stack = stack;
	upcs_self->doubts_now = upcs_region_changes(stack);
	upcs_region_forked(stack);
	upcs_region_set_account(stack, 0);
	upcs_self->inherited = inherited;
	if (upcs_region_active(stack) | inherited)
		upcs_thread_change_regions_locked(upcs_self);
}

/* Map private memory where the parent's counts were, since the parent's blocks add to that address. */
static void put_nowhere(uint64_t *at)
{
	uint64_t *p = take_nowhere(at);

	if (p)
		upcs_threads.nowhere = p;
}

uint32_t upcs_thread_before_fork(void)
{
	return before_fork;
}

void upcs_process_forked(bool counted)
{
	struct upcs_region_stack *stack = NULL;
	struct upcs_site *passed = upcs_passed;
	uint8_t last_end = upcs_last_end;
	uint16_t inherited = 0;
	unsigned vcpu = upcs_self ? upcs_self->vcpu : 0;
	void *at = upcs_run.counts;

	before_fork = upcs_thread_self();
	pthread_mutex_init(&upcs_threads.lock, NULL);
	pthread_cond_init(&upcs_threads.came, NULL);
	upcs_thread_forget_meetings_locked();
	upcs_account_forked();
	upcs_threads.waiting = 0;
	if (upcs_threads.scores)
		upcs_score_clear_locked();
	if (upcs_self) {
		inherited = upcs_self->inherited;
		stack = upcs_self->stack;
		upcs_self->stack = NULL;
	}
	forget_parent_locked();
	if (counted)
		begin_sim_process_locked(at);
	if (upcs_threads.calls)
		upcs_threads.inlined = NULL;
	if (upcs_threads.inlined && !upcs_run.process && upcs_threads.nowhere != upcs_threads.inlined)
		put_nowhere(upcs_threads.inlined);
	upcs_threads.alone = upcs_threads.made > 1 || upcs_threads.alone;
	upcs_threads.made = 1;
	leaving = 0;
	if (upcs_run.process)
		upcs_run.process->threads = 1;
	upcs_thread_begin_locked(0, vcpu);
	if (upcs_threads.inlined && upcs_counting != upcs_threads.inlined) {
		__atomic_store_n(&upcs_threads.old_code, true, __ATOMIC_RELEASE);
		upcs_threads.inlined = NULL;
	}
	upcs_last_end = last_end;
	upcs_passed = passed;
	if (upcs_self && stack)
		inherit_regions(stack, inherited);
	else if (stack)
		upcs_region_destroy(stack);
	/* The child was single-threaded until here, and needed no lock. */
	upcs_fold_begin();
}
