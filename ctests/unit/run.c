/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - the main program of all tests of a group. It runs one test: the one by whose name it is called
 * (through a link), or that its argument names. Each run is a separate process, so no test sees the state of
 * another. With
 * --each, the program forks for each named test, so that valgrind starts only once (ctests/forked).
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct unit_run *const __start_unit_runs[], *const __stop_unit_runs[];

static const struct unit_run *find(const char *name)
{
	const struct unit_run *const *run;

	for (run = __start_unit_runs; run < __stop_unit_runs; run++)
		if (!strcmp((*run)->name, name))
			return *run;
	return NULL;
}

/* Run the test in this process, as if started through its link, with output to DIRECTORY/TEST.tap. */
static void each_child(const struct unit_run *run, const char *program, const char *directory)
{
	const char *slash = strrchr(program, '/');
	static char path[PATH_MAX], output[PATH_MAX];
	char *arguments[] = {path, NULL};
	int fd;

	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - program) : 0, program, run->name);
	snprintf(output, sizeof(output), "%s/%s.tap", directory, run->name);
	fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(127);
	close(fd);
	program_invocation_name = path;
	program_invocation_short_name = (char *)run->name;
	exit(run->main(1, arguments));
}

/* Run the named tests, each in a separate process. Write PID and status to DIRECTORY/TEST.ended. */
static int each_run(const char *program, const char *directory, char **names)
{
	char path[PATH_MAX];
	int status, exit_status;
	FILE *ended;
	pid_t pid;

	for (; *names; names++) {
		const struct unit_run *run = find(*names);

		if (!run) {
			fprintf(stderr, "%s: there is no test %s\n", program, *names);
			return 2;
		}
		pid = fork();
		if (pid == 0)
			each_child(run, program, directory);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 2;
		exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		snprintf(path, sizeof(path), "%s/%s.ended", directory, run->name);
		ended = fopen(path, "w");
		if (!ended || fprintf(ended, "%d %d\n", (int)pid, exit_status) < 0 || fclose(ended))
			return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct unit_run *run = find(program_invocation_short_name), *const * each;

	if (run)
		return run->main(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "--list")) {
		for (each = __start_unit_runs; each < __stop_unit_runs; each++)
			puts((*each)->name);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "--each"))
		return each_run(argv[0], argv[2], argv + 3);
	run = argc > 1 ? find(argv[1]) : NULL;
	if (run)
		return run->main(argc - 1, argv + 1);
	fprintf(stderr, "usage: %s TEST [ARGUMENT...], --list, or --each DIRECTORY TEST...\n", argv[0]);
	return 2;
}
