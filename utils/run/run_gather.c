/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_gather.c - collects the counts of threads and processes that have ended.
 *
 * A record may be collected when no process writes to it any more:
 *
 *   - A thread's record, when the thread has ended and its process still runs: a thread's last write to its
 *     record stores its end, under the process's lock. But a process that ends marks all of its threads as
 *     ended, and some of these threads may still count.
 *   - Therefore, the records of a process that has ended, and of its threads, only when the process is gone:
 *     the kernel has no thread of the process left, or the program that replaced it has completed its record.
 *   - The records of a process that died without storing its end, when upc_run has completed them from the
 *     process's file of counts.
 *
 * To see whether a process is gone, its process id must be in upc_run's PID namespace. Processes of
 * another namespace, as in a container within the run, are not checked, and their records stay until
 * the end.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_gather.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "count/left.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Make room for one more entry. The list doubles whenever n is a power of two. */
static bool make_gathered_room(void *list, unsigned n)
{
	void **old, **grown;

	if (n >= RUN_APART_MAX)
		return false;
	if ((n & (n - 1)) != 0)
		return true;
	memcpy(&old, list, sizeof(old));
	grown = realloc(old, (n > 0 ? 2 * (size_t)n : 1) * sizeof(*grown));
	if (grown == NULL)
		return false;
	memcpy(list, &grown, sizeof(grown));
	return true;
}

static void add_vectors(const struct run_gathered *g, struct run_vector *vector,
			const struct upcs_thread *thread)
{
	for (unsigned c = 0; c < g->columns; c++)
		run_vector_add(&vector[c], thread, c);
}

static struct run_process_row *open_row(struct run_gathered *g, uint32_t process)
{
	if (g->open[process] == NULL)
		g->open[process] =
			calloc(1, sizeof(*g->open[process]) + g->columns * sizeof(struct run_vector));
	return g->open[process];
}

static void keep_thread(struct run_gathered *g, const struct upcs_results *results,
			const struct upcs_thread *thread)
{
	const struct upcs_process *process = NULL;
	struct run_thread_row *row = NULL;

	if (make_gathered_room(&g->thread, g->threads))
		row = calloc(1, sizeof(*row) + g->columns * sizeof(struct run_vector));
	if (row == NULL) {
		g->threads_merged++;
		return;
	}
	row->guest = UPCS_GUESTS;
	if (thread->process < UPCS_PROCESSES_MAX) {
		process = &results->process[thread->process];
		row->serial = process->serial;
		row->pid = process->pid;
		row->guest = process->guest;
	}
	row->tid = thread->tid;
	row->number = thread->number;
	row->core = thread->core % UPCS_CORES;
	add_vectors(g, row->vector, thread);
	/* The missing counts may belong to any of the process's threads. */
	for (unsigned c = 0; process != NULL && run_process_is_part(process) && c < g->columns; c++)
		row->vector[c].doubt |= UPCS_DOUBT_MISSING;
	g->thread[g->threads++] = row;
}

static void keep_process(struct run_gathered *g, uint32_t process, const struct upcs_process *record)
{
	struct run_process_row *row =
		make_gathered_room(&g->process, g->processes) ? open_row(g, process) : NULL;

	if (row == NULL) {
		free(g->open[process]);
		g->open[process] = NULL;
		g->processes_merged++;
		return;
	}
	g->open[process] = NULL;
	row->record = *record;
	for (unsigned c = 0; c < g->columns; c++) {
		if (run_process_is_part(record))
			row->vector[c].doubt |= UPCS_DOUBT_MISSING;
		if (c > 0 && record->region_unseen >> (c - 1) & 1)
			row->vector[c].doubt |= UPCS_DOUBT_UNSEEN;
	}
	g->process[g->processes++] = row;
}

/* ---- records --------------------------------------------------------------------------------- */

static void take_thread(struct run_gathered *g, const struct upcs_results *results,
			const struct upcs_thread *thread)
{
	run_counts_add_thread(&g->counts, thread, g->columns);
	if (g->threads_apart)
		keep_thread(g, results, thread);
	if (g->processes_apart && thread->process < UPCS_PROCESSES_MAX &&
	    open_row(g, thread->process) != NULL)
		add_vectors(g, g->open[thread->process]->vector, thread);
}

static void take_process(struct run_gathered *g, uint32_t process, const struct upcs_process *record)
{
	run_counts_add_process(&g->counts, record);
	if (g->processes_apart)
		keep_process(g, process, record);
	/* The process may have executed another program, whose record is later. */
	if (record->pid == g->program && record->serial >= g->own.serial)
		g->own = *record;
	if (record->died)
		g->died = *record;
}

static void settle_ended_process(struct run_gathered *g, struct upcs_results *results, const char *path,
				 uint32_t p)
{
	struct upcs_process *process = &results->process[p];
	char counts[UPCS_COUNTS_PATH_MAX];
	struct upcs_left *left;

	upcs_counts_path(counts, path, p);
	left = upcs_left_read(counts);
	if (left != NULL) {
		upcs_left_settle(left, results, p);
		if (g->function != NULL)
			upcs_left_add(left, g->function);
		upcs_left_free(left);
	}
	unlink(counts);
	if (upcs_results_state(&process->state) != UPCS_RUNS)
		return;
	process->end_ns = upci_now_ns();
	__atomic_store_n(&process->state, UPCS_LOST, __ATOMIC_RELEASE);
}

static bool may_take(const struct upcs_results *results, const struct upcs_thread *thread, const bool *done)
{
	if (thread->process >= UPCS_PROCESSES_MAX)
		return true;
	return done[thread->process] ||
	       upcs_results_state(&results->process[thread->process].state) == UPCS_RUNS;
}

static void gather_thread(struct run_gathered *g, struct upcs_results *results, uint32_t t, const bool *done)
{
	struct upcs_thread *thread = &results->thread[t];
	uint32_t maker;

	switch (upcs_results_state(&thread->state)) {
	case UPCS_FREE:
		return;
	case UPCS_MAKING: /* nothing was counted */
		maker = __atomic_load_n(&thread->state, __ATOMIC_RELAXED) >> UPCS_STATE_BITS;
		if (maker < UPCS_PROCESSES_MAX && done[maker])
			upcs_records_free_thread(results, t);
		return;
	case UPCS_RUNS:
		if (thread->process >= UPCS_PROCESSES_MAX || !done[thread->process])
			return;
		/* upcs_left_settle marks all threads of the process as ended. Since this thread is not, the
		 * process's file of counts could not be read. */
		results->process[thread->process].unread = 1;
		break;
	case UPCS_ENDED:
	case UPCS_LOST:
		/* The thread's state was read before the state of its process. */
		if (!may_take(results, thread, done))
			return;
		break;
	}
	take_thread(g, results, thread);
	upcs_records_free_thread(results, t);
}

static void gather_process(struct run_gathered *g, struct upcs_results *results, uint32_t p)
{
	/* A record in state UPCS_MAKING was never written, so its process has not run. */
	if (upcs_results_state(&results->process[p].state) != UPCS_MAKING)
		take_process(g, p, &results->process[p]);
	upcs_records_free_process(results, p);
}

/* Collect processes that are done, and threads that have ended. */
static void gather_done(struct run_gathered *g, struct upcs_results *results, const char *path,
			const bool *done)
{
	uint32_t processes = upcs_results_processes(results), threads = upcs_results_threads(results);

	for (uint32_t p = 0; p < processes; p++)
		if (done[p])
			settle_ended_process(g, results, path, p);
	for (uint32_t t = 0; t < threads; t++)
		gather_thread(g, results, t, done);
	for (uint32_t p = 0; p < processes; p++)
		if (done[p])
			gather_process(g, results, p);
}

/* ---- while the program runs ------------------------------------------------------------------ */

/* True if the process has ended, even if its parent has not waited for it. */
static bool is_gathered_process_gone(const struct run_gathered *g, uint64_t space, pid_t pid)
{
	struct pollfd end = {.events = POLLIN};

	if (g->space == 0 || space != g->space || pid <= 0)
		return false;
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (end.fd < 0)
		return errno == ESRCH || (kill(pid, 0) != 0 && errno == ESRCH);
	if (poll(&end, 1, 0) < 0)
		end.revents = 0;
	close(end.fd);
	return (end.revents & POLLIN) != 0;
}

static bool is_done(const struct run_gathered *g, const struct upcs_process *process)
{
	uint32_t maker = __atomic_load_n(&process->state, __ATOMIC_ACQUIRE) >> UPCS_STATE_BITS;

	switch (upcs_results_state(&process->state)) {
	case UPCS_FREE:
		return false;
	case UPCS_MAKING:
		return is_gathered_process_gone(g, process->space, (pid_t)maker);
	case UPCS_ENDED:
		if (__atomic_load_n(&process->settled, __ATOMIC_ACQUIRE) != 0)
			return true;
		break;
	case UPCS_RUNS:
	case UPCS_LOST:
		break;
	}
	return is_gathered_process_gone(g, process->space, process->pid);
}

void run_gather(struct run_gathered *g, struct upcs_results *results, const char *path)
{
	uint32_t n = upcs_results_processes(results);
	bool done[UPCS_PROCESSES_MAX];

	for (uint32_t p = 0; p < n; p++)
		done[p] = is_done(g, &results->process[p]);
	memset(done + n, 0, sizeof(done) - n);
	gather_done(g, results, path, done);
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool goes_on(const struct run_gathered *g, const struct upcs_process *process)
{
	return upcs_results_state(&process->state) == UPCS_RUNS && process->pid > 0 &&
	       kill(process->pid, 0) == 0 && !is_gathered_process_gone(g, process->space, process->pid);
}

/* The number of attempts to read a process whose threads begin and end meanwhile, and the time between them.
 * The time lets such a thread run and finish its change. */
#define LOOKS 1000
#define BETWEEN_LOOKS_NS 1000000

struct copies {
	struct upcs_thread *thread;
	uint32_t *index;
	uint32_t n, room;
};

/* Copy the records of the process's threads, including ended ones. */
static void copy_threads(struct copies *copies, const struct upcs_results *results, uint32_t p)
{
	uint32_t threads = upcs_results_threads(results);

	copies->n = 0;
	for (uint32_t t = 0; t < threads && copies->n < copies->room; t++) {
		enum upcs_state state = upcs_results_state(&results->thread[t].state);

		if ((state != UPCS_RUNS && state != UPCS_ENDED) || results->thread[t].process != p)
			continue;
		copies->thread[copies->n] = results->thread[t];
		copies->index[copies->n++] = t;
	}
}

/* Read the counts of a running process. The process keeps writing its records, so copies are completed
 * instead. *still is set to true if no thread began or ended during the reading, so that the counts of
 * functions match the copies. Return NULL if the process has no file of counts. */
static struct upcs_left *look_at_running(const struct run_gathered *g, struct copies *copies,
					 const struct upcs_results *results, const char *counts, uint32_t p,
					 bool *still)
{
	const struct timespec pause = {.tv_nsec = BETWEEN_LOOKS_NS};
	struct upcs_left *left = NULL;
	uint32_t before = 0;

	*still = false;
	for (unsigned i = 0; i < LOOKS && !*still && goes_on(g, &results->process[p]); i++) {
		bool there;

		if (i > 0)
			nanosleep(&pause, NULL);
		if (left != NULL)
			upcs_left_free(left);
		there = upcs_left_changes(counts, &before);
		copy_threads(copies, results, p);
		left = there ? upcs_left_read(counts) : NULL;
		if (!there)
			break;
		*still = left != NULL && upcs_left_is_still(left, before);
	}
	return left;
}

static void take_copies(struct run_gathered *g, const struct upcs_results *results, uint32_t p,
			struct copies *copies, const struct upcs_left *left, bool still)
{
	struct upcs_process process = results->process[p];

	process.unread = left == NULL || process.unshared;
	for (uint32_t i = 0; i < copies->n; i++) {
		if (left != NULL)
			upcs_left_whole(left, &copies->thread[i], copies->index[i]);
		upcs_counts_late(&copies->thread[i]);
		take_thread(g, results, &copies->thread[i]);
	}
	if (left != NULL && still && g->function != NULL)
		upcs_left_add(left, g->function);
	take_process(g, p, &process);
}

/* Collect a running process from copies. Return false if the process has ended meanwhile. */
static bool take_running_process(struct run_gathered *g, const struct upcs_results *results, const char *path,
				 uint32_t p, struct copies *copies)
{
	char counts[UPCS_COUNTS_PATH_MAX];
	struct upcs_left *left;
	bool still, ended;

	upcs_counts_path(counts, path, p);
	left = look_at_running(g, copies, results, counts, p, &still);
	ended = !still && !goes_on(g, &results->process[p]);
	if (!ended)
		take_copies(g, results, p, copies, left, still);
	if (left != NULL)
		upcs_left_free(left);
	return !ended;
}

/* Collect process p only. Other processes that have ended since may already be collected, from copies. */
static void gather_ended(struct run_gathered *g, struct upcs_results *results, const char *path, uint32_t p)
{
	uint32_t threads = upcs_results_threads(results);
	bool done[UPCS_PROCESSES_MAX] = {false};

	done[p] = true;
	settle_ended_process(g, results, path, p);
	for (uint32_t t = 0; t < threads; t++)
		if (results->thread[t].process == p)
			gather_thread(g, results, t, done);
	gather_process(g, results, p);
}

static void gather_running(struct run_gathered *g, struct upcs_results *results, const char *path, uint32_t p)
{
	/* More threads may begin meanwhile. calloc takes no memory for pages that stay untouched. */
	struct copies copies = {.thread = calloc(UPCS_THREADS_MAX, sizeof(*copies.thread)),
				.index = calloc(UPCS_THREADS_MAX, sizeof(*copies.index)),
				.room = UPCS_THREADS_MAX};

	if (copies.thread == NULL || copies.index == NULL) /* without memory no thread is read */
		take_copies(g, results, p, &copies, NULL, false);
	else if (!take_running_process(g, results, path, p, &copies))
		gather_ended(g, results, path, p);
	free(copies.thread);
	free(copies.index);
}

static int compare_threads(const void *a, const void *b)
{
	const struct run_thread_row *x = *(struct run_thread_row *const *)a,
				    *y = *(struct run_thread_row *const *)b;

	if (x->serial != y->serial)
		return x->serial < y->serial ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_processes(const void *a, const void *b)
{
	const struct run_process_row *x = *(struct run_process_row *const *)a,
				     *y = *(struct run_process_row *const *)b;

	return x->record.serial < y->record.serial ? -1 : x->record.serial > y->record.serial;
}

static void finish_rows(struct run_gathered *g)
{
	for (unsigned c = 0; c < g->columns; c++) {
		for (unsigned t = 0; t < g->threads; t++)
			run_vector_settle(&g->thread[t]->vector[c]);
		for (unsigned p = 0; p < g->processes; p++)
			run_vector_settle(&g->process[p]->vector[c]);
	}
	if (g->threads > 0)
		qsort(g->thread, g->threads, sizeof(*g->thread), compare_threads);
	if (g->processes > 0)
		qsort(g->process, g->processes, sizeof(*g->process), compare_processes);
}

void run_gather_rest(struct run_gathered *g, struct upcs_results *results, const char *path)
{
	uint32_t n = upcs_results_processes(results);
	bool done[UPCS_PROCESSES_MAX] = {false};

	/* A process that is being made has done nothing, and its record belongs to its maker. */
	for (uint32_t p = 0; p < n; p++)
		done[p] = upcs_results_state(&results->process[p].state) > UPCS_MAKING &&
			  !goes_on(g, &results->process[p]);
	gather_done(g, results, path, done);
	for (uint32_t p = 0; p < n; p++) {
		enum upcs_state state = upcs_results_state(&results->process[p].state);

		if (state == UPCS_RUNS || state == UPCS_ENDED)
			gather_running(g, results, path, p);
	}
	run_counts_finish(&g->counts, results);
	finish_rows(g);
}

void run_gather_begin(struct run_gathered *g, const struct upcs_results *results, bool threads_apart,
		      bool processes_apart)
{
	memset(g, 0, sizeof(*g));
	g->columns = run_columns(results);
	g->threads_apart = threads_apart;
	g->processes_apart = processes_apart;
	g->space = upcs_results_space();
	if (results->options.functions)
		g->function = calloc(UPCS_FUNCTIONS_MAX + 1, sizeof(*g->function));
}

void run_gather_end(struct run_gathered *g)
{
	for (unsigned t = 0; t < g->threads; t++)
		free(g->thread[t]);
	for (unsigned p = 0; p < g->processes; p++)
		free(g->process[p]);
	for (unsigned p = 0; p < UPCS_PROCESSES_MAX; p++)
		free(g->open[p]);
	free(g->function);
	free(g->thread);
	free(g->process);
	memset(g, 0, sizeof(*g));
}
