/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taking over what has ended: when a record may be, that each number is taken once, and that the records
 * are free for others behind it.
 */
#include "../../../utils/run/run_gather.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "results_test.h"

static struct run_gathered gathered;

static int set_up_gathered(void **state)
{
	set_up(state);
	results->options.regions = 1;
	run_gather_begin(&gathered, results, true, true);
	return 0;
}

static int tear_down_gathered(void **state)
{
	run_gather_end(&gathered);
	return tear_down(state);
}

static struct upcs_process *begin_process(uint32_t *index)
{
	struct upcs_process *process = upcs_records_process(results, index);

	assert_non_null(process);
	process->pid = getpid();
	process->state = UPCS_RUNS;
	return process;
}

static struct upcs_thread *begin_thread(uint32_t process, uint32_t number, uint64_t instructions,
					uint32_t *index)
{
	struct upcs_thread *thread = upcs_records_thread(results, process, index);

	assert_non_null(thread);
	thread->number = number;
	thread->core = number % UPCS_CORES;
	thread->tally[0][UPCS_INSTRUCTIONS] = instructions;
	thread->tally[1][UPCS_INSTRUCTIONS] = instructions / 2;
	thread->entered[0] = 1;
	thread->doubt[1] = (uint32_t)UPCS_DOUBT_FORGOT << number % 4;
	thread->state = UPCS_RUNS;
	return thread;
}

static uint64_t taken(void)
{
	uint64_t sum = 0;

	for (unsigned core = 0; core < UPCS_CORES; core++)
		sum += gathered.counts.core[0][core].item[UPCS_INSTRUCTIONS];
	return sum;
}

static void gather(void)
{
	run_gather(&gathered, results, path);
}

/* Threads of a process that runs, at once; those of one that ends, when it is gone. */
TEST_WITH(test_threads, set_up_gathered, tear_down_gathered)
{
	uint32_t process, a, b;
	struct upcs_thread *thread;

	begin_process(&process);
	thread = begin_thread(process, 1, 100, &a);
	begin_thread(process, 0, 1000, &b);
	gather();
	assert_int_equal(taken(), 0);
	thread->state = UPCS_ENDED;
	gather();
	gather();
	assert_int_equal(taken(), 100);
	assert_int_equal(thread->state, UPCS_FREE);
	assert_int_equal(thread->tally[0][UPCS_INSTRUCTIONS] + thread->entered[0] + thread->doubt[1], 0);
	/* The process says so of another, which may be at work. */
	results->process[process].state = UPCS_ENDED;
	results->thread[b].state = UPCS_ENDED;
	gather();
	assert_int_equal(taken(), 100);
	assert_int_equal(results->process[process].state, UPCS_ENDED);
	/* Another program has taken its place. */
	results->process[process].settled = 1;
	gather();
	assert_int_equal(taken(), 1100);
	assert_int_equal(results->process[process].state, UPCS_FREE);
	assert_int_equal(gathered.counts.entered[0], 2);
	assert_int_equal(gathered.counts.processes, 1);
	assert_int_equal(gathered.counts.threads, 2);
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.counts.sum[0].item[UPCS_TOT_INS], 1100);
	assert_int_equal(gathered.counts.sum[1].item[UPCS_TOT_INS], 550);
	assert_int_equal(gathered.counts.sum[1].doubt, UPCS_DOUBT_FORGOT | UPCS_DOUBT_FORGOT << 1);
	/* Rows are in order, and a process's is what its threads had. */
	assert_int_equal(gathered.threads, 2);
	assert_int_equal(gathered.thread[0]->number, 0);
	assert_int_equal(gathered.thread[0]->pid, getpid());
	assert_int_equal(gathered.thread[1]->vector[1].item[UPCS_TOT_INS], 50);
	assert_int_equal(gathered.processes, 1);
	assert_int_equal(gathered.process[0]->vector[0].item[UPCS_TOT_INS], 1100);
	assert_int_equal(gathered.process[0]->vector[1].doubt, UPCS_DOUBT_FORGOT | UPCS_DOUBT_FORGOT << 1);
}

enum child {
	COUNTS, /* folds some of it, and is killed */
	MAKES,  /* only begins to make its record */
	SPOILS, /* what it counts cannot be read, as when it is of another release */
};

static pid_t killed_child(enum child child)
{
	int told[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (pid == 0) {
		struct upcs_kind kind = {.tally[UPCS_INSTRUCTIONS] = 3};
		char counts_of[UPCS_COUNTS_PATH_MAX];
		struct upcs_counts *counts;
		uint32_t process, thread;

		if (child == MAKES) {
			upcs_records_process(results, &process);
			upcs_records_thread(results, process, &thread);
		} else {
			begin_process(&process);
			upcs_counts_path(counts_of, path, process);
			counts = upcs_counts_create(counts_of, NULL, 0, NULL);
			begin_thread(process, 0, 30, &thread);
			upcs_counts_add_kind(counts, &kind);
			counts->count[upcs_counts_take(counts, thread, 0)][0] = 20;
			counts->magic += child == SPOILS;
		}
		if (write(told[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	close(told[0]);
	close(told[1]);
	return pid;
}

/* Linux has it from 5.3 on, valgrind 3.19 has not: who is gone is not seen without it. */
static void need_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (fd < 0)
		skip_because("no pidfd_open here: %s", strerror(errno));
	close(fd);
}

TEST_WITH(test_killed, set_up_gathered, tear_down_gathered)
{
	pid_t pid, making;

	need_pidfd();
	pid = killed_child(COUNTS);
	making = killed_child(MAKES);
	gather();
	assert_int_equal(taken(), 0);
	assert_int_equal(access(counts_path, F_OK), 0);
	gathered.program = pid;
	kill(pid, SIGKILL);
	kill(making, SIGKILL);
	/* Gone, though nobody has waited for them. */
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){.si_pid = 0}, WEXITED | WNOWAIT), 0);
	assert_int_equal(waitid(P_PID, (id_t)making, &(siginfo_t){.si_pid = 0}, WEXITED | WNOWAIT), 0);
	gather();
	gather();
	assert_int_equal(taken(), 60);
	assert_int_equal(gathered.counts.lost, 1);
	assert_int_equal(gathered.counts.lost_whole, 1);
	assert_int_equal(gathered.counts.unread, 0);
	assert_int_equal(gathered.counts.processes, 1);
	assert_int_equal(gathered.died.pid, pid);
	assert_int_equal(gathered.own.pid, pid);
	assert_int_equal(access(counts_path, F_OK), -1);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(results->process[i].state, UPCS_FREE);
		assert_int_equal(results->thread[i].state, UPCS_FREE);
	}
	waitpid(pid, NULL, 0);
	waitpid(making, NULL, 0);
}

/* Counts that cannot be read are noted as missing for the run, the process and its threads. */
TEST_WITH(test_unread, set_up_gathered, tear_down_gathered)
{
	pid_t pid;

	need_pidfd();
	pid = killed_child(SPOILS);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	gather();
	assert_int_equal(taken(), 30);
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.counts.lost, 1);
	assert_int_equal(gathered.counts.lost_whole, 0);
	assert_int_equal(gathered.counts.unread, 1);
	assert_false(run_counts_are_whole(&gathered.counts));
	assert_int_equal(gathered.counts.sum[0].doubt, UPCS_DOUBT_MISSING);
	assert_int_equal(gathered.process[0]->vector[0].doubt, UPCS_DOUBT_MISSING);
	assert_int_equal(gathered.thread[0]->vector[0].doubt, UPCS_DOUBT_MISSING);
	assert_int_equal(access(counts_path, F_OK), -1);
}

/* The process is a zombie when the program ends: it does not go on. */
TEST_WITH(test_rest_gone, set_up_gathered, tear_down_gathered)
{
	pid_t pid;

	need_pidfd();
	pid = killed_child(COUNTS);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){.si_pid = 0}, WEXITED | WNOWAIT), 0);
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.counts.sum[0].item[UPCS_INSTRUCTIONS], 60);
	assert_int_equal(gathered.counts.running, 0);
	assert_int_equal(gathered.counts.lost_whole, 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The counts of a process that goes on cannot be read. */
TEST_WITH(test_rest_unread, set_up_gathered, tear_down_gathered)
{
	uint32_t process, thread;

	begin_process(&process);
	begin_thread(process, 0, 10, &thread);
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.counts.running, 1);
	assert_int_equal(gathered.counts.unread, 1);
	assert_int_equal(gathered.counts.sum[0].item[UPCS_INSTRUCTIONS], 10);
	assert_int_equal(gathered.counts.sum[0].doubt, UPCS_DOUBT_MISSING);
	assert_int_equal(results->process[process].unread, 0);
}

/* The last counts of a process lie in the emulator's memory, but those of a thread in a system call have
 * been taken over. */
TEST_WITH(test_rest_late, set_up_gathered, tear_down_gathered)
{
	uint32_t process, thread[2];

	begin_process(&process);
	for (unsigned i = 0; i < 2; i++) {
		begin_thread(process, i, 10, &thread[i])->scored = 1;
		results->thread[thread[i]].in_call = i;
	}
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.thread[0]->vector[0].doubt & UPCS_DOUBT_LATE, UPCS_DOUBT_LATE);
	assert_int_equal(gathered.thread[1]->vector[0].doubt & UPCS_DOUBT_LATE, 0);
	assert_int_equal(gathered.counts.core[0][0].doubt & UPCS_DOUBT_LATE, UPCS_DOUBT_LATE);
	assert_int_equal(results->thread[thread[0]].doubt[0], 0);
}

/* Its id says nothing here. */
TEST_WITH(test_other_space, set_up_gathered, tear_down_gathered)
{
	uint32_t process, thread;

	begin_process(&process)->pid = INT32_MAX;
	begin_thread(process, 0, 7, &thread);
	results->process[process].space++;
	gather();
	assert_int_equal(taken(), 0);
	results->process[process].space--;
	gather();
	assert_int_equal(taken(), 7);
}

/* A process that goes on is counted until now, with its unfolded counts; only it writes its records. */
TEST_WITH(test_rest, set_up_gathered, tear_down_gathered)
{
	struct upcs_kind kind = {.tally[UPCS_INSTRUCTIONS] = 1};
	uint32_t process, thread;
	struct upcs_counts *counts;

	begin_process(&process);
	counts = upcs_counts_create(counts_path, NULL, 0, NULL);
	begin_thread(process, 0, 10, &thread);
	assert_true(upcs_counts_add_kind(counts, &kind));
	counts->count[upcs_counts_take(counts, thread, 0)][0] = 15;
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.counts.running, 1);
	assert_int_equal(gathered.counts.lost, 0);
	assert_int_equal(gathered.counts.sum[0].item[UPCS_INSTRUCTIONS], 15);
	assert_int_equal(gathered.counts.sum[0].doubt, 0);
	assert_int_equal(results->thread[thread].tally[0][UPCS_INSTRUCTIONS], 10);
	assert_int_equal(results->thread[thread].state, UPCS_RUNS);
	upcs_counts_destroy(counts, counts_path);
}

/* A child whose record is being made is its own, and nothing was done in it. */
TEST_WITH(test_rest_making, set_up_gathered, tear_down_gathered)
{
	uint32_t process;

	assert_non_null(upcs_records_process(results, &process));
	results->process[process].begin_ns = 1;
	run_gather_rest(&gathered, results, path);
	assert_int_equal(gathered.counts.processes, 0);
	assert_int_equal(upcs_results_state(&results->process[process].state), UPCS_MAKING);
	assert_int_equal(results->process[process].begin_ns, 1);
}

/* Threads of several processes that come and go while we gather: each is counted once. */
TEST_WITH(test_churn, set_up_gathered, tear_down_gathered)
{
	enum { PROCESSES = 4, THREADS = 5000 };
	int status, ended = 0;

	need_pidfd();
	for (unsigned p = 0; p < PROCESSES; p++)
		if (fork() == 0) {
			uint32_t process, thread;

			begin_process(&process);
			for (unsigned i = 0; i < THREADS; i++)
				__atomic_store_n(&begin_thread(process, i, 2 * i, &thread)->state, UPCS_ENDED,
						 __ATOMIC_RELEASE);
			__atomic_store_n(&results->process[process].state, UPCS_ENDED, __ATOMIC_RELEASE);
			_exit(0);
		}
	while (ended < PROCESSES) {
		gather();
		if (waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			ended++;
		}
	}
	gather();
	assert_int_equal(taken(), (uint64_t)PROCESSES * THREADS * (THREADS - 1));
	assert_int_equal(gathered.counts.threads, PROCESSES * THREADS);
	assert_int_equal(gathered.counts.processes, PROCESSES);
	assert_int_equal(gathered.threads, PROCESSES * THREADS);
	assert_true(upcs_results_threads(results) < PROCESSES * THREADS);
	assert_int_equal(results->threads.without, 0);
}

/* Threads and processes beyond RUN_APART_MAX are in the sums only. */
TEST_WITH(test_apart, set_up_gathered, tear_down_gathered)
{
	uint32_t process, thread;

	begin_process(&process);
	begin_thread(process, 0, 5, &thread)->state = UPCS_ENDED;
	gathered.threads = RUN_APART_MAX;
	gather();
	gathered.threads = 0;
	assert_int_equal(gathered.threads_merged, 1);
	assert_int_equal(taken(), 5);
	results->process[process].settled = 1;
	results->process[process].state = UPCS_ENDED;
	gathered.processes = RUN_APART_MAX;
	gather();
	gathered.processes = 0;
	assert_int_equal(gathered.processes_merged, 1);
	assert_int_equal(gathered.counts.processes, 1);
}

/* A process was killed whose counts were in its own memory: its rows say so, and no other's. */
TEST_WITH(test_cut_off, set_up_gathered, tear_down_gathered)
{
	uint32_t process[2], thread;

	for (unsigned p = 0; p < 2; p++) {
		begin_process(&process[p]);
		begin_thread(process[p], 0, 5, &thread)->state = UPCS_ENDED;
		results->process[process[p]].state = p == 0 ? UPCS_LOST : UPCS_ENDED;
		results->process[process[p]].unshared = 1;
		results->process[process[p]].settled = 1;
	}
	results->process[process[0]].pid = 0x7fffffff; /* more than there can be */
	gather();
	assert_int_equal(gathered.processes, 2);
	assert_int_equal(gathered.threads, 2);
	for (unsigned i = 0; i < 2; i++) {
		bool killed = gathered.process[i]->record.serial == 0;

		assert_int_equal(gathered.process[i]->vector[0].doubt, killed ? UPCS_DOUBT_MISSING : 0);
		assert_int_equal(gathered.thread[i]->vector[0].doubt,
				 gathered.thread[i]->serial == 0 ? UPCS_DOUBT_MISSING : 0);
	}
	assert_int_equal(gathered.counts.cut_off, 1);
}

UNIT_TESTS(run_gather, NULL, NULL)
