/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_functions.c - programs that upc_run counts function by function: calls of several sorts, and every way
 * in which threads and processes come and go.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned long sink;
static volatile double sum;

APART static void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sink += (unsigned long)i;
}

APART static void floating(int n)
{
	for (int i = 0; i < n; i++)
		sum = sum * 0.5 + 1;
}

APART static int recursive(int n)
{
	return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

APART static void sorted(int n)
{
	int *number = malloc((size_t)n * sizeof(*number));

	for (int i = 0; i < n; i++)
		number[i] = i * 7919 % 1000;
	qsort(number, (size_t)n, sizeof(*number), compare);
	free(number);
}

static void calls(void)
{
	leaf(1000);
	floating(500);
	sink += (unsigned long)recursive(15);
	sorted(300);
}

/* ---- ways to leave ------------------------------------------------------------------------- */

static jmp_buf out;
static sigjmp_buf fault;

APART static void jumps(int n)
{
	leaf(n);
	if (n == 0)
		longjmp(out, 1);
	jumps(n - 1);
}

static void handle(int signal)
{
	leaf(20);
	if (signal == SIGSEGV)
		siglongjmp(fault, 1);
}

APART static void faults(volatile int *nowhere)
{
	leaf(10);
	*nowhere = 1;
}

static void unwinds(void)
{
	if (setjmp(out) == 0)
		jumps(30);
	signal(SIGUSR1, handle);
	signal(SIGSEGV, handle);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		if (sigsetjmp(fault, 1) == 0)
			faults(NULL);
	}
}

/* ---- threads ------------------------------------------------------------------------------- */

static void *thread_works(void *argument)
{
	leaf(2000);
	floating(100);
	return argument;
}

/* Later ones go on where earlier ones have ended. */
static void threads(void)
{
	pthread_t thread[4];

	for (int round = 0; round < 6; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, thread_works, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
	}
}

static int begun;

static void *thread_never_ends(void *argument)
{
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
	for (;;)
		leaf(100);
	return argument;
}

static void at_work(void)
{
	pthread_t thread;

	__atomic_store_n(&begun, 0, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, thread_never_ends, NULL);
	/* The counts of a process that ends while a thread begins are in doubt. */
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < 3)
		usleep(1000);
	leaf(3000);
}

/* ---- processes ----------------------------------------------------------------------------- */

static void child(void (*works)(void), int signal)
{
	pid_t pid = fork();

	if (pid == 0) {
		works();
		if (signal)
			kill(getpid(), signal);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Killed in the midst of it by another. */
static void killed(void (*works)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		works();
		thread_never_ends(NULL);
	}
	usleep(30000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void executes(const char *what, void (*first)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		first();
		execl("/proc/self/exe", "again", what, (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

/* Ends while its child is in the midst of its work. */
static void goes_on(void)
{
	int ends[2];
	char byte = 0;

	if (pipe(ends) != 0)
		exit(1);
	if (fork() == 0) {
		alarm(20);
		threads();
		(void)!write(ends[1], &byte, 1);
		for (;;)
			threads();
	}
	close(ends[1]);
	(void)!read(ends[0], &byte, 1);
	close(ends[0]);
}

static void processes(void)
{
	child(calls, 0);
	child(threads, 0);
	child(at_work, 0);
	child(threads, SIGKILL);
	child(at_work, SIGABRT);
	killed(calls);
	killed(threads);
	killed(at_work);
	executes("calls", calls);
	executes("threads", threads);
	executes("calls", at_work);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{"calls", calls},     {"unwinds", unwinds},     {"threads", threads},
		{"at_work", at_work}, {"processes", processes}, {"goes_on", goes_on},
	};

	for (int a = 1; a < argc; a++)
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
			if (strcmp(argv[a], ways[i].name) == 0)
				ways[i].run();
	return 0;
}
