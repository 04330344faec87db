/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_speed - how much longer a program takes under upc_run than under the plain emulator, for each loop of
 * bench/sim/loops.c; and how much faster two threads are than one.
 *
 * Usage: sim_speed UPC_RUN GUEST PROGRAM LOOP...
 *   GUEST: as in qemu-GUEST; PROGRAM: bench/sim/loops.c, compiled for GUEST
 *
 * Both run the same binary in turn; the output is medians. Times include the emulator's start and the report.
 * A loop has as many rounds as the plain emulator does in PLAIN_NS. Names with ".cpu" are CPU times, which
 * other programs on the machine disturb less. The first and the last LOOP are also measured with threads.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define PLAIN_NS 3e8
#define ROUNDS_MAX 1000000000ul
#define RUNS 7
#define THREAD_RUNS 5

enum how { PLAIN, COUNTED, HOWS };
struct cost {
	double wall, cpu; /* ns */
};

static const char *upc_run, *guest, *program;
static char qemu[64];

static void fail(const char *what, const char *which)
{
	fprintf(stderr, "sim_speed: %s%s\n", what, which);
	exit(1);
}

static double cpu_ns(const struct rusage *usage)
{
	return 1e9 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       1e3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static struct cost run(enum how how, const char *loop, unsigned long rounds, unsigned threads)
{
	char count[24], split[12];
	const char *const plain[] = {qemu, program, loop, count, split, NULL};
	const char *const counted[] = {
		upc_run, "--no-progress", "--output=/dev/null", "--", program, loop, count, split, NULL};
	const char *const *argv = how == PLAIN ? plain : counted;
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	struct cost cost;
	double start;
	int status;
	pid_t pid;

	snprintf(count, sizeof(count), "%lu", rounds);
	snprintf(split, sizeof(split), "%u", threads);
	if (posix_spawn_file_actions_init(&actions) ||
	    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0))
		fail("out of memory", "");
	start = bench_now_ns();
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ))
		fail("cannot run ", argv[0]);
	if (wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		fail(how == PLAIN ? "a loop failed under the emulator: " : "a loop failed under upc_run: ",
		     loop);
	cost.wall = bench_now_ns() - start;
	cost.cpu = cpu_ns(&usage);
	posix_spawn_file_actions_destroy(&actions);
	return cost;
}

/* Return the number of rounds that the plain emulator does in PLAIN_NS. */
static unsigned long rounds_for(const char *loop)
{
	unsigned long rounds = 1000;
	double idle = run(PLAIN, loop, 1, 0).cpu, took;

	for (;;) {
		took = run(PLAIN, loop, rounds, 0).cpu - idle;
		if (took > PLAIN_NS / 4 || rounds > ROUNDS_MAX / 4)
			break;
		rounds *= 4;
	}
	return (unsigned long)((double)rounds * PLAIN_NS / took) + 1;
}

static void name_ratio(const char *loop, const char *what, double value)
{
	char name[128];

	snprintf(name, sizeof(name), "sim_%s_%s%s", guest, loop, what);
	bench_ratio(name, value);
}

static void name_time(const char *loop, const char *what, double ns)
{
	char name[128];

	snprintf(name, sizeof(name), "sim_%s_%s%s", guest, loop, what);
	bench_print(name, ns / 1e6, "ms");
}

/* Print upc_run's time divided by the plain emulator's. */
static void bench_loop(const char *loop)
{
	double wall[HOWS][RUNS], cpu[HOWS][RUNS], plain, counted;
	unsigned long rounds = rounds_for(loop);
	unsigned i, h;

	for (i = 0; i < RUNS; i++)
		for (h = 0; h < HOWS; h++) {
			struct cost cost = run(h, loop, rounds, 0);

			wall[h][i] = cost.wall;
			cpu[h][i] = cost.cpu;
		}
	plain = bench_median(wall[PLAIN], RUNS);
	counted = bench_median(wall[COUNTED], RUNS);
	name_time(loop, "_qemu", plain);
	name_time(loop, "_upc_run", counted);
	name_ratio(loop, "", counted / plain);
	name_ratio(loop, ".cpu", bench_median(cpu[COUNTED], RUNS) / bench_median(cpu[PLAIN], RUNS));
}

/*
 * Measure the same work in the program's only thread, in one additional thread, and in two additional
 * threads. The emulator and the plugin generate different code for a program that has a second thread at all.
 */
static void bench_threads(const char *loop)
{
	double wall[HOWS][3][THREAD_RUNS], cpu[HOWS][3][THREAD_RUNS];
	unsigned long rounds = 2 * rounds_for(loop);
	unsigned i, h, threads;

	for (i = 0; i < THREAD_RUNS; i++)
		for (h = 0; h < HOWS; h++)
			for (threads = 0; threads < 3; threads++) {
				struct cost cost = run(h, loop, rounds, threads);

				wall[h][threads][i] = cost.wall;
				cpu[h][threads][i] = cost.cpu;
			}
	for (h = 0; h < HOWS; h++)
		for (threads = 0; threads < 3; threads++) {
			/* Overwrite the first sample of each array with the median. */
			wall[h][threads][0] = bench_median(wall[h][threads], THREAD_RUNS);
			cpu[h][threads][0] = bench_median(cpu[h][threads], THREAD_RUNS);
		}
	name_ratio(loop, "_2_threads", wall[COUNTED][1][0] / wall[COUNTED][2][0]);
	name_ratio(loop, "_2_threads_qemu", wall[PLAIN][1][0] / wall[PLAIN][2][0]);
	/* The ratio that would result if each thread had its own CPU all the time. */
	name_ratio(loop, "_2_threads.cpu", 2 * cpu[COUNTED][1][0] / cpu[COUNTED][2][0]);
	name_ratio(loop, "_2_threads_to_unthreaded", wall[COUNTED][0][0] / wall[COUNTED][2][0]);
	name_ratio(loop, "_threaded.cpu", cpu[COUNTED][2][0] / cpu[PLAIN][2][0]);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 5) {
		fprintf(stderr, "usage: sim_speed UPC_RUN GUEST PROGRAM LOOP...\n");
		return 2;
	}
	upc_run = argv[1];
	guest = argv[2];
	program = argv[3];
	snprintf(qemu, sizeof(qemu), "qemu-%s", guest);
	/* Disable address space randomisation as upc_run does, so that both run with the same addresses. */
	personality(ADDR_NO_RANDOMIZE);
	for (i = 4; i < argc; i++)
		bench_loop(argv[i]);
	bench_threads(argv[4]);
	if (argc > 5)
		bench_threads(argv[argc - 1]);
	return 0;
}
