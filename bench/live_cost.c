/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live_cost.c - cost of live events for the counted program: a pipe round trip between two processes, a page
 * fault and a system call, each with 0, 16 and 256 events.
 */
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "bench.h"
#include "events.h"
#include "upc.h"

static int to_child[2], from_child[2];

static void round_trip(void *arg, unsigned calls)
{
	char byte = 0;

	(void)arg;
	while (calls--)
		if (write(to_child[1], &byte, 1) != 1 || read(from_child[0], &byte, 1) != 1)
			abort();
}

static void page_fault(void *arg, unsigned calls)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *p = mmap(NULL, calls * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	if (p == MAP_FAILED)
		abort();
	madvise(p, calls * page, MADV_NOHUGEPAGE);
	for (i = 0; i < calls; i++)
		p[i * page] = 1;
	munmap(p, calls * page);
}

static void system_call(void *arg, unsigned calls)
{
	(void)arg;
	while (calls--)
		syscall(SYS_getppid);
}

static const struct {
	const char *name;
	void (*run)(void *arg, unsigned calls);
	unsigned calls;
} load[] = {{"pipe_round_trip", round_trip, 50},
	    {"page_fault", page_fault, 200},
	    {"system_call", system_call, 500}};
#define LOADS (sizeof(load) / sizeof(load[0]))

static pid_t start_echo(void)
{
	cpu_set_t one;
	pid_t pid;

	/* Bind both processes to one CPU, so that every message is a context switch. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(1);
	if (pipe(to_child) || pipe(from_child))
		exit(1);
	pid = fork();
	if (pid == 0) {
		char byte;

		close(to_child[1]);
		while (read(to_child[0], &byte, 1) == 1)
			if (write(from_child[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	close(to_child[0]);
	return pid;
}

int main(void)
{
	static const unsigned sizes[] = {0, 16, 256};
	double median[LOADS][3];
	struct upc_catalogue *c;
	uint32_t codes[256];
	unsigned s, l, i, n;
	pid_t echo = start_echo();

	bench_raise_limit();
	if (upc_catalogue_open(NULL, &c)) {
		fprintf(stderr, "%s\n", upc_last_message());
		return 1;
	}
	for (s = 0; s < 3; s++) {
		struct upc_unit *unit;

		n = bench_events(c, codes, sizes[s]);
		if (n < sizes[s]) {
			printf("# %u events are to be had of %u (run as root)\n", n, sizes[s]);
			break;
		}
		if (upc_unit_create(c, NULL, &unit))
			return 1;
		for (i = 0; i < n; i++)
			if (upc_unit_add(unit, codes[i])) {
				fprintf(stderr, "%s\n", upc_last_message());
				return 1;
			}
		if (upc_unit_start(unit))
			return 1;
		for (l = 0; l < LOADS; l++) {
			struct bench_subject subject = {load[l].run, NULL, 0};

			bench_in_turn(&subject, 1, load[l].calls);
			median[l][s] = subject.median;
		}
		upc_unit_destroy(unit);
	}
	for (l = 0; l < LOADS; l++)
		for (i = 0; i < s; i++) {
			char name[64];

			snprintf(name, sizeof(name), "live_cost_%s_%u_events", load[l].name, sizes[i]);
			bench_print(name, median[l][i] / 1000, "us");
			if (i) {
				snprintf(name, sizeof(name), "live_cost_%s_%u_to_0_events", load[l].name,
					 sizes[i]);
				bench_ratio(name, median[l][i] / median[l][0]);
			}
		}
	close(to_child[1]);
	waitpid(echo, NULL, 0);
	upc_catalogue_close(c);
	return 0;
}
