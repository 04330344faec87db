/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_speed.c - time of upc_jobstat for a set of archives, compared with a bare loop of pmFetchArchive
 * over them. The two alternate several times, each in a separate process.
 *
 *   jobstat_speed UPC_JOBSTAT DIR
 *
 * DIR contains archives that make_archive has created: DIR/nodeNNN/made. To run the benchmark by hand:
 *   ctests/service/make_archive DIR nodes=64 cpus=2 counters=100 samples=1441 plain
 *   bench/jobstat_speed utils/upc_jobstat DIR
 */
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "bench.h"

#define TURNS 5

static glob_t archives;
static const char *jobstat, *directory;

static void bare(void)
{
	for (size_t i = 0; i < archives.gl_pathc; i++) {
		const int context = pmNewContext(PM_CONTEXT_ARCHIVE, archives.gl_pathv[i]);
		pmResult *record;

		if (context < 0)
			_exit(1);
		while (pmFetchArchive(&record) >= 0)
			pmFreeResult(record);
		pmDestroyContext(context);
	}
	_exit(0);
}

struct cost {
	double wall, cpu; /* s */
	double megabytes;
};

static struct cost measure(bool is_bare)
{
	const double start = bench_now_ns();
	struct rusage usage;
	struct cost cost;
	int status;
	const pid_t pid = fork();

	if (pid == 0 && is_bare)
		bare();
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		execl(jobstat, "upc_jobstat", directory, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
		fputs("jobstat_speed: it failed\n", stderr);
		exit(1);
	}
	cost.wall = (bench_now_ns() - start) / 1e9;
	cost.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	cost.megabytes = (double)usage.ru_maxrss / 1024;
	return cost;
}

int main(int argc, char **argv)
{
	double wall[2][TURNS], cpu[2][TURNS], megabytes = 0;
	char pattern[4096];

	if (argc != 3) {
		fputs("usage: jobstat_speed UPC_JOBSTAT DIR\n", stderr);
		return 2;
	}
	jobstat = argv[1];
	directory = argv[2];
	snprintf(pattern, sizeof(pattern), "%.4000s/*/made.0", directory);
	if (glob(pattern, 0, NULL, &archives) != 0) {
		fprintf(stderr, "jobstat_speed: no archives as %s\n", pattern);
		return 1;
	}
	/* Turn -1 warms the cache. */
	for (int turn = -1; turn < TURNS; turn++)
		for (int what = 0; what < 2; what++) {
			const struct cost cost = measure(what == 0);

			if (turn < 0)
				continue;
			wall[what][turn] = cost.wall;
			cpu[what][turn] = cost.cpu;
			if (what == 1 && cost.megabytes > megabytes)
				megabytes = cost.megabytes;
		}
	for (int what = 0; what < 2; what++) {
		printf("bench %s_wall %.3f s\n", what ? "jobstat" : "bare", bench_median(wall[what], TURNS));
		printf("bench %s_cpu %.3f s\n", what ? "jobstat" : "bare", bench_median(cpu[what], TURNS));
	}
	printf("bench jobstat_memory %.0f MB\n", megabytes);
	printf("ratio jobstat_wall %.2f\n", bench_median(wall[1], TURNS) / bench_median(wall[0], TURNS));
	printf("ratio jobstat_cpu %.2f\n", bench_median(cpu[1], TURNS) / bench_median(cpu[0], TURNS));
	globfree(&archives);
	return 0;
}
