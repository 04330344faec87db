/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.c - an instrumented program. Each thread counts its own events with a private event set, reads the
 * set while it runs, and stops it at the end.
 *
 *   cc threads.c -o threads -lpapi -lpthread
 */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 4
#define STEPS 3

/* Names of the events. The program leaves out each event that this machine or user cannot count, and prints
 * its name. */
static const char *const wanted[] = {
	"upc:::perf::PAGE-FAULTS",
	"upc:::perf::TASK-CLOCK",
	"upc:::task::voluntary_ctxt_switches",
	"upc:::tp::raw_syscalls:sys_enter",
	"upc:::tp::sched:sched_switch",
};
#define WANTED (sizeof(wanted) / sizeof(wanted[0]))

struct worker {
	int number, events;
	size_t index[WANTED]; /* into wanted, of the events that could be added */
	long long counts[STEPS + 1][WANTED];
	int failed;
};

static void check(struct worker *w, int result, const char *what)
{
	if (result == PAPI_OK)
		return;
	fprintf(stderr, "thread %d: %s: %s\n", w->number, what, PAPI_strerror(result));
	w->failed = 1;
}

/* Do a different amount of work in each thread: the n-th touches n * 1000 fresh pages and makes n * 100
 * system calls. */
static void work(int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)n * 1000 * page, i;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (i = 0; i < bytes; i += page)
		memory[i] = 1;
	munmap(memory, bytes);
	for (i = 0; i < (size_t)n * 100; i++)
		(void)getppid();
	usleep(1000);
}

static void *run(void *arg)
{
	struct worker *w = arg;
	int set = PAPI_NULL, step;
	size_t i;

	check(w, PAPI_register_thread(), "PAPI_register_thread");
	check(w, PAPI_create_eventset(&set), "PAPI_create_eventset");
	for (i = 0; i < WANTED; i++) {
		int result = PAPI_add_named_event(set, wanted[i]);

		if (result == PAPI_OK)
			w->index[w->events++] = i;
		else if (w->number == 1)
			printf("not counted here: %s (%s)\n", wanted[i], PAPI_strerror(result));
	}
	check(w, PAPI_start(set), "PAPI_start");
	for (step = 0; step < STEPS && !w->failed; step++) {
		work(w->number);
		check(w, PAPI_read(set, w->counts[step]), "PAPI_read");
	}
	check(w, PAPI_stop(set, w->counts[STEPS]), "PAPI_stop");
	check(w, PAPI_cleanup_eventset(set), "PAPI_cleanup_eventset");
	check(w, PAPI_destroy_eventset(&set), "PAPI_destroy_eventset");
	PAPI_unregister_thread();
	return NULL;
}

static void print(const struct worker *w)
{
	int e, step;

	printf("\nthread %d: %d fresh pages and %d getppid calls a step\n", w->number, w->number * 1000,
	       w->number * 100);
	for (e = 0; e < w->events; e++) {
		printf("  %-40s", wanted[w->index[e]] + strlen("upc:::"));
		for (step = 0; step < STEPS; step++)
			printf(" %13lld", w->counts[step][e]);
		printf("  | %13lld\n", w->counts[STEPS][e]);
	}
}

int main(void)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	int i, failed = 0;

	memset(workers, 0, sizeof(workers));
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_thread_init(pthread_self) != PAPI_OK) {
		fprintf(stderr, "PAPI could not be initialised\n");
		return 1;
	}
	for (i = 0; i < THREADS; i++) {
		workers[i].number = i + 1;
		if (pthread_create(&threads[i], NULL, run, &workers[i])) {
			perror("pthread_create");
			return 1;
		}
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("counts of each thread, read after each of %d steps while running | after the stop\n", STEPS);
	for (i = 0; i < THREADS; i++) {
		print(&workers[i]);
		failed |= workers[i].failed || !workers[i].events;
	}
	PAPI_shutdown();
	return failed;
}
