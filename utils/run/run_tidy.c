/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_tidy.c - removes a run's files and unit if upc_run is killed by a signal that it cannot handle.
 */
#include "run/run_tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/run_unit.h"

/* True if upc_run ended without run_tidy_end. A new session keeps signals of the terminal and of the process
 * group away. */
static bool was_killed(int alive)
{
	ssize_t n;
	char word;

	setsid();
	while ((n = read(alive, &word, 1)) < 0 && errno == EINTR)
		;
	return n == 0;
}

void run_tidy_begin(struct run_tidy *tidy, struct upcs_results *results, const char *path, int lock)
{
	int alive[2];

	*tidy = (struct run_tidy){.child = 0};
	if (pipe2(alive, O_CLOEXEC) != 0)
		return;
	tidy->child = fork();
	if (tidy->child == 0) {
		close(alive[1]);
		if (was_killed(alive[0])) {
			run_unit_remove(results->options.unit);
			upcs_results_destroy(results, path, lock);
		}
		_exit(0);
	}
	close(alive[0]);
	tidy->alive = alive[1];
	if (tidy->child > 0)
		return;
	close(tidy->alive);
	tidy->child = 0;
}

void run_tidy_end(struct run_tidy *tidy)
{
	ssize_t n;

	if (tidy->child == 0)
		return;
	do
		n = write(tidy->alive, "e", 1);
	while (n < 0 && errno == EINTR);
	close(tidy->alive);
	while (waitpid(tidy->child, NULL, 0) < 0 && errno == EINTR)
		;
	tidy->child = 0;
}
