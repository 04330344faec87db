/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_floor - CPU time of a program under upc_run, compared with the same emulator with a minimal plugin
 * (bench/sim/floor.c), and with the emulator alone.
 *
 * Usage: sim_floor NAME PAIRS UPC_RUN QEMU FLOOR_MODULE PROGRAM [ARGUMENT...]
 *
 * The three run in turn, PAIRS times, after a first turn that is ignored. The output is the ratios of each
 * turn, and their medians. Times include the whole process and its children.
 */
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum how { FLOOR, PLAIN, COUNTED, HOWS };

#define PAIRS_MAX 1000

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double run(char **argv)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) ||
	    wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "sim_floor: %s failed\n", argv[0]);
		exit(1);
	}
	posix_spawn_file_actions_destroy(&actions);
	return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/* Return the arguments of a command: words, then the program and its arguments. */
static char **command(const char *const *words, char **program)
{
	char **argv = calloc(300, sizeof(*argv));
	size_t n = 0;

	if (!argv)
		exit(1);
	while (*words)
		argv[n++] = (char *)*words++;
	while (*program && n < 299)
		argv[n++] = *program++;
	return argv;
}

static void print(const char *name, const char *what, double value)
{
	char text[128];

	snprintf(text, sizeof(text), "sim_floor_%s%s.cpu", name, what);
	bench_ratio(text, value);
}

int main(int argc, char **argv)
{
	static double ratio[HOWS][PAIRS_MAX], time[HOWS][PAIRS_MAX];
	unsigned pairs = argc > 6 ? (unsigned)atoi(argv[2]) : 0, i, h;
	char **commands[HOWS], text[128];

	if (pairs < 1 || pairs > PAIRS_MAX) {
		fprintf(stderr,
			"usage: sim_floor NAME PAIRS UPC_RUN QEMU FLOOR_MODULE PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	commands[FLOOR] = command((const char *[]){argv[4], "-plugin", argv[5], NULL}, argv + 6);
	commands[PLAIN] = command((const char *[]){argv[4], NULL}, argv + 6);
	commands[COUNTED] = command((const char *[]){argv[3], "--no-progress", "--output=/dev/null", "--qemu",
						     argv[4], "--", NULL},
				    argv + 6);
	for (h = 0; h < HOWS; h++)
		run(commands[h]);
	for (i = 0; i < pairs; i++) {
		for (h = 0; h < HOWS; h++)
			time[h][i] = run(commands[h]);
		for (h = 0; h < HOWS; h++)
			ratio[h][i] = time[h][i] / time[FLOOR][i];
	}
	snprintf(text, sizeof(text), "sim_floor_%s", argv[1]);
	bench_print(text, 1e3 * bench_median(time[FLOOR], pairs), "ms");
	print(argv[1], "", bench_median(ratio[COUNTED], pairs));
	print(argv[1], "_plain", bench_median(ratio[PLAIN], pairs));
	return 0;
}
