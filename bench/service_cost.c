/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service_cost.c - cost of the node service for other programs. Loops of system calls, of context switches
 * and of instructions run alone, while the service runs, and while perf stat -a counts the same events, in
 * turn. A ratio is the time that the service adds divided by the time that perf stat adds. For instructions,
 * to which neither adds much, it is the ratio of the times. The benchmark also measures the service's passes
 * over /proc, for several numbers of processes.
 *
 * The loops are a separate process, which is started anew each time. perf therefore counts it from its exec
 * on, and no counter was attached to it before.
 */
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "bench.h"
#include "service/service.h"
#include "service/users.h"
#include "tracefs.h"

#define ROUNDS 31
#define BATCHES 401
#define EVENTS "page-faults,context-switches,cpu-migrations,raw_syscalls:sys_enter,sched:sched_switch"

static const char configuration[] =
	"initialize interval=1s notice=yes\n"
	"add perf::PAGE-FAULTS perf::CONTEXT-SWITCHES perf::CPU-MIGRATIONS scope=cpu\n"
	"add tp::raw_syscalls:sys_enter tp::sched:sched_switch scope=cpu\n"
	"finalize\n";

enum { CALLS, SWITCHES, INSTRUCTIONS, LOOPS };

static const char *const loop_name[LOOPS] = {"system_call", "switch", "instructions"};

/* ---- the loops, in a separate process ----------------------------------------------- */

static double clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double calls(void)
{
	static double sample[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		double from = clock_of(CLOCK_THREAD_CPUTIME_ID);

		for (int call = 0; call < 1000; call++)
			syscall(SYS_getppid);
		sample[i] = (clock_of(CLOCK_THREAD_CPUTIME_ID) - from) / 1000;
	}
	return bench_median(sample, BATCHES);
}

/* Send a byte to another process on the same CPU and back, which takes two context switches. Return ns. */
static double switches(void)
{
	static double sample[BATCHES];
	int to[2], from[2];
	char byte = 0;
	pid_t pid;

	if (pipe(to) || pipe(from))
		abort();
	pid = fork();
	if (!pid) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1)
			if (write(from[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	for (int i = 0; i < BATCHES; i++) {
		double begun = bench_now_ns();

		for (int trip = 0; trip < 25; trip++)
			if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
				abort();
		sample[i] = (bench_now_ns() - begun) / 50;
	}
	close(to[1]);
	waitpid(pid, NULL, 0);
	return bench_median(sample, BATCHES);
}

/* Run instructions. Measures the process's CPU time, on which other processes have little influence. */
static double instructions(void)
{
	double from = clock_of(CLOCK_PROCESS_CPUTIME_ID);

	for (volatile unsigned i = 0; i < 100000000; i++)
		;
	return (clock_of(CLOCK_PROCESS_CPUTIME_ID) - from) / 1e8;
}

static int measure(int to)
{
	double ns[LOOPS];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	ns[CALLS] = calls();
	ns[SWITCHES] = switches();
	ns[INSTRUCTIONS] = instructions();
	return write(to, ns, sizeof(ns)) != sizeof(ns);
}

/* ---- what runs at the same time ------------------------------------------------------ */

enum { NOTHING, SERVICE, PERF, BESIDE };

static const char *const beside_name[BESIDE] = {"nothing", "service", "perf_stat"};

/* Start the loops' process, under perf stat if perf is true. Store the times in ns. */
static void run_loops(const char *self, bool perf, double ns[LOOPS])
{
	int ends[2];
	char to[16];
	pid_t pid;

	if (pipe(ends))
		abort();
	snprintf(to, sizeof(to), "%d", ends[1]);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (perf)
			execlp("perf", "perf", "stat", "-a", "-o", "/dev/null", "-e", EVENTS, "--", self,
			       "--measure", to, (char *)NULL);
		else
			execl(self, self, "--measure", to, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (read(ends[0], ns, sizeof(double) * LOOPS) != sizeof(double) * LOOPS) {
		fprintf(stderr, "service_cost: %s cannot be run\n", perf ? "perf stat -a" : self);
		exit(1);
	}
	close(ends[0]);
	waitpid(pid, NULL, 0);
}

static struct service *open_service(void)
{
	char path[] = "/tmp/service_cost-XXXXXX", *message = NULL;
	struct service_options options = {.config = path};
	struct service *service;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, configuration, strlen(configuration)) != (ssize_t)strlen(configuration))
		abort();
	close(fd);
	if (service_open(&options, &service, &message)) {
		printf("skipped service_cost: %s\n", message ? message : "the service does not start");
		unlink(path);
		exit(0);
	}
	unlink(path);
	return service;
}

static double added(double ns[BESIDE][LOOPS][ROUNDS], int beside, int loop)
{
	double difference[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		difference[r] = ns[beside][loop][r] - ns[NOTHING][loop][r];
	return bench_median(difference, ROUNDS);
}

static void costs(const char *self)
{
	static double ns[BESIDE][LOOPS][ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		for (int turn = 0; turn < BESIDE; turn++) {
			/* Alternate the order, so that each variant follows each other one. */
			int b = r % 2 ? BESIDE - 1 - turn : turn;
			struct service *service = b == SERVICE ? open_service() : NULL;
			double got[LOOPS];

			run_loops(self, b == PERF, got);
			for (int l = 0; l < LOOPS; l++)
				ns[b][l][r] = got[l];
			if (service)
				service_close(service);
		}
	for (int l = 0; l < LOOPS; l++) {
		double service = added(ns, SERVICE, l), perf = added(ns, PERF, l), copy[BESIDE][ROUNDS];
		char name[64];

		for (int b = 0; b < BESIDE; b++) {
			memcpy(copy[b], ns[b][l], sizeof(copy[b]));
			snprintf(name, sizeof(name), "service_%s_beside_%s", loop_name[l], beside_name[b]);
			bench_print(name, bench_median(copy[b], ROUNDS), "ns");
		}
		snprintf(name, sizeof(name), "service_%s_by_perf_stat", loop_name[l]);
		if (l == INSTRUCTIONS)
			bench_ratio(name, copy[SERVICE][ROUNDS / 2] / copy[PERF][ROUNDS / 2]);
		else
			bench_ratio(name, service / perf);
	}
}

/* ---- passes over /proc ------------------------------------------------------------------- */

static void pass(void *arg, unsigned times)
{
	while (times--)
		if (users_look(arg))
			abort();
}

static void passes(void)
{
	struct users_options options = {0};
	struct bench_subject subject = {.run = pass};
	struct users *users;
	unsigned processes = 0;
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		processes += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
	if (proc)
		closedir(proc);
	if (users_create(&options, &users))
		return;
	subject.arg = users;
	bench_in_turn(&subject, 1, 1);
	bench_print("service_pass", subject.median * 1e-3, "us");
	bench_print("service_pass_a_process", subject.median / (processes ? processes : 1), "ns");
	users_destroy(users);
}

int main(int argc, char **argv)
{
	char self[4096];
	ssize_t length;

	if (argc == 3 && !strcmp(argv[1], "--measure"))
		return measure(atoi(argv[2]));
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return 1;
	self[length] = 0;
	passes();
	bench_need_tracepoints("service_cost");
	costs(self);
	return 0;
}
