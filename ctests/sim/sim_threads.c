/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_threads - the program of sim_threads.sh: N threads at once, and as many again that begin
 * while others of them end, so that they have the numbers of vCPUs that were in use. Every fifth of
 * the first forks. Each thread and child does a number of divisions of its own, and there are no
 * others:
 *
 *   the first thread 1; thread i of the first N 1000 + i; child of it 500 + i; of the second N 3000 + i
 *
 * Usage: sim_threads N
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;
static pthread_barrier_t all_run;

__attribute__((noinline, noclone)) static double divide(long n)
{
	double x = 1;

	for (; n; n--)
		x = 3 / (x + 1);
	return x;
}

static void fork_one(long i)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		sink = divide(500 + i);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		_exit(1);
}

static void *first(void *argument)
{
	long i = (intptr_t)argument;

	pthread_barrier_wait(&all_run);
	sink = divide(1000 + i);
	if (i % 5 == 0)
		fork_one(i);
	return NULL;
}

static void *second(void *argument)
{
	sink = divide(3000 + (intptr_t)argument);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t thread[1000];
	long n = argc > 1 ? atol(argv[1]) : 0, i;

	if (n < 1 || n > 1000)
		return 1;
	sink = divide(1);
	pthread_barrier_init(&all_run, NULL, (unsigned)n + 1);
	for (i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, first, (void *)(intptr_t)i))
			return 1;
	pthread_barrier_wait(&all_run);
	for (i = 0; i < n; i++)
		if (pthread_join(thread[i], NULL) ||
		    pthread_create(&thread[i], NULL, second, (void *)(intptr_t)i))
			return 1;
	for (i = 0; i < n; i++)
		if (pthread_join(thread[i], NULL))
			return 1;
	return 0;
}
