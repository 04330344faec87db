/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_threads.c - a unit for each thread of the program and of its children, from the thread's start to its
 * end. Only this file uses ptrace.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_threads.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "lib/common.h"
#include "lib/stat_run.h"

/* ---- records ----------------------------------------------------------- */

/* Find a living thread by its ID. The search begins with the newest thread, since the kernel reuses IDs and
 * most threads that stop are young. */
static struct stat_part *find_stat_thread(struct stat_threads *threads, pid_t tid)
{
	for (unsigned i = threads->parts.n; i-- > 0;)
		if (threads->parts.part[i].tid == tid && !threads->parts.part[i].ended)
			return &threads->parts.part[i];
	return NULL;
}

static struct stat_part *record_thread(struct stat_threads *threads, pid_t tid)
{
	struct stat_part *thread = stat_parts_add(&threads->parts);

	if (thread != NULL) {
		thread->tid = thread->pid = tid;
		thread->born = stat_run_now();
	}
	return thread;
}

/*
 * Take the final counts of a thread and close its descriptors. The first thread's descriptors stay open: the
 * kernel waits tens of milliseconds when the last descriptor of a tracepoint is closed, and the thread would
 * wait as well.
 */
static void finish_thread(struct stat_threads *threads, struct stat_part *thread)
{
	if (thread->unit != NULL) {
		upc_unit_stop(thread->unit);
		stat_part_read(threads->parts.events, thread);
		if (thread != &threads->parts.part[0]) {
			upc_unit_destroy(thread->unit);
			thread->unit = NULL;
		}
	}
	thread->ended = true;
	thread->died = stat_run_now();
}

/* ---- start of a thread ------------------------------------------------- */

static int create_thread_unit(struct upc_catalogue *catalogue, pid_t tid, bool at_exec,
			      struct upc_unit **unit)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);

	options.context = UPC_CONTEXT_THREAD;
	options.pid = tid;
	options.enable_on_exec = at_exec;
	return upc_unit_create(catalogue, &options, unit);
}

static void attach_unit(struct stat_threads *threads, struct stat_part *thread)
{
	const struct stat_events *events = threads->parts.events;
	int error = create_thread_unit(events->catalogue, thread->tid, false, &thread->unit);

	if (error == 0)
		error = stat_events_give(events, thread->unit, NULL);
	if (error == 0)
		error = upc_unit_start(thread->unit);
	if (error == 0)
		return;
	for (unsigned i = 0; i < events->n_own; i++)
		thread->flags[i] |= UPC_COUNTER_NEVER;
	if (threads->uncounted++ == 0)
		util_error("thread %d cannot be counted, and others perhaps neither: %s", (int)thread->tid,
			   upc_last_message());
	upc_unit_destroy(thread->unit);
	thread->unit = NULL;
}

int stat_threads_begin(struct stat_threads *threads, struct stat_events *events, pid_t pid,
		       struct upc_unit **unit)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT;

	*threads = (struct stat_threads){.parts.events = events, .main = pid};
	if (ptrace(PTRACE_SEIZE, pid, NULL, options) != 0) {
		util_error("-t has to trace the program, which is forbidden here: %s; look at "
			   "/proc/sys/kernel/yama/ptrace_scope, or at the container's seccomp profile",
			   strerror(errno));
		return -1;
	}
	if (create_thread_unit(events->catalogue, pid, true, unit) != 0) {
		util_error("%s", upc_last_message());
		return -1;
	}
	return 0;
}

int stat_threads_ready(struct stat_threads *threads, struct upc_unit *unit)
{
	struct stat_part *thread = record_thread(threads, threads->main);

	if (thread == NULL) {
		util_error("out of memory");
		upc_unit_destroy(unit);
		return -1;
	}
	thread->unit = unit;
	return 0;
}

/* ---- stops ------------------------------------------------------------- */

static struct stat_part *add_born_thread(struct stat_threads *threads, pid_t tid)
{
	struct stat_part *thread = record_thread(threads, tid);

	if (thread == NULL) {
		if (!threads->no_memory)
			util_error("out of memory: not all threads are counted");
		threads->no_memory = true;
		return NULL;
	}
	attach_unit(threads, thread);
	stat_part_read_name(thread);
	return thread;
}

/*
 * Handle a completed exec. The calling thread becomes the only thread of its process and takes the process's
 * ID. The unit belongs to the thread, not to the ID.
 */
static void exec_done(struct stat_threads *threads, pid_t tid)
{
	struct stat_part *thread, *leader;
	unsigned long former;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &former) != 0 || (pid_t)former == tid)
		return;
	leader = find_stat_thread(threads, tid);
	thread = find_stat_thread(threads, (pid_t)former);
	if (leader != NULL && thread != NULL)
		finish_thread(threads, leader);
	if (thread != NULL)
		thread->tid = tid;
}

/* Handle a stopped thread. Return the signal to continue the thread with, or -1 if the thread stays
 * stopped. */
static int handle_stopped_thread(struct stat_threads *threads, pid_t tid, int status)
{
	struct stat_part *thread = find_stat_thread(threads, tid);
	int signal_number = WSTOPSIG(status);

	if (thread == NULL)
		thread = add_born_thread(threads, tid);
	switch (status >> 16) {
	case 0: /* a signal is about to be delivered */
		return signal_number;
	case PTRACE_EVENT_STOP:
		/* SIGTRAP is the stop of a new thread; any other signal is a job-control stop. */
		return signal_number == SIGTRAP ? 0 : -1;
	case PTRACE_EVENT_EXEC:
		exec_done(threads, tid);
		break;
	case PTRACE_EVENT_EXIT:
		if (thread != NULL) {
			stat_part_read_name(thread);
			finish_thread(threads, thread);
		}
		break;
	}
	return 0;
}

bool stat_threads_serve(struct stat_threads *threads)
{
	for (;;) {
		siginfo_t info = {.si_pid = 0};
		struct stat_part *thread;
		int status, go_on;

		/* Peek with WNOWAIT first. The caller reaps the program itself, after reading its final
		 * counts. */
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) != 0)
			return errno == ECHILD;
		if (info.si_pid == 0)
			return false;
		if (info.si_pid == threads->main &&
		    (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED))
			return true;
		if (waitpid(info.si_pid, &status, __WALL | WNOHANG) != info.si_pid)
			continue;
		if (!WIFSTOPPED(status)) {
			thread = find_stat_thread(threads, info.si_pid);
			if (thread != NULL)
				finish_thread(threads, thread); /* killed without a PTRACE_EVENT_EXIT stop */
			continue;
		}
		go_on = handle_stopped_thread(threads, info.si_pid, status);
		/* If the thread was killed meanwhile, the next waitid reports the thread's end. */
		if (go_on < 0)
			ptrace(PTRACE_LISTEN, info.si_pid, NULL, 0L);
		else
			ptrace(PTRACE_CONT, info.si_pid, NULL, (long)go_on);
	}
}

/* ---- reading ----------------------------------------------------------- */

void stat_threads_read(struct stat_threads *threads)
{
	for (unsigned i = 0; i < threads->parts.n; i++)
		if (!threads->parts.part[i].ended) {
			stat_part_read_name(&threads->parts.part[i]);
			stat_part_read(threads->parts.events, &threads->parts.part[i]);
		}
}

void stat_threads_end(struct stat_threads *threads)
{
	for (unsigned i = 0; i < threads->parts.n; i++)
		if (!threads->parts.part[i].ended) {
			stat_part_read_name(&threads->parts.part[i]);
			finish_thread(threads, &threads->parts.part[i]);
		}
}
