/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_parallel - the program of sim_parallel.sh: the same few blocks run by processes and threads
 * that fork and begin in all orders. Each does a number of divisions of its own; there are no
 * others.
 *
 * Usage: sim_parallel [shared]    shared: some memory is shared from the beginning
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 20000u /* so that threads run at the same time */

static volatile double sink;

__attribute__((noinline, noclone)) static double divide(unsigned n)
{
	double x = 1;
	unsigned i;

	for (i = 0; i < n; i++)
		x = 3 / (x + 1);
	return x;
}

static void *run(void *n)
{
	sink = divide(*(unsigned *)n);
	return NULL;
}

/* A thread of MANY + n beside its creator's MANY. */
static void beside(unsigned n)
{
	pthread_t thread;

	n += MANY;
	if (pthread_create(&thread, NULL, run, &n))
		_exit(1);
	sink = divide(MANY);
	pthread_join(thread, NULL);
}

static pid_t begin_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		_exit(1);
	return pid;
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		_exit(1);
}

int main(int argc, char **argv)
{
	pid_t child, grandchild;

	(void)argv;
	sink = divide(1);
	if (argc > 1 &&
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 1;
	sink = divide(2);
	/* A child of a process with one thread: 10; then its own thread, 20. */
	child = begin_child();
	if (child == 0) {
		sink = divide(10);
		beside(20);
		_exit(0);
	}
	wait_for(child);
	sink = divide(4);
	beside(30);
	/* A child of a process that had two threads: 40; and a child of that, with a thread, 50 and 60. */
	child = begin_child();
	if (child == 0) {
		sink = divide(40);
		grandchild = begin_child();
		if (grandchild == 0) {
			sink = divide(50);
			beside(60);
			_exit(0);
		}
		wait_for(grandchild);
		_exit(0);
	}
	wait_for(child);
	return 0;
}
