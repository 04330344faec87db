/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a run whose upc_run was killed are removed; those of a run that goes on, and files that no
 * run has made, stay.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "count/counts.h"
#include "count/leftover.h"
#include "../unit_test.h"

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* The path of a run that was killed, with counts of process 0. */
static void leave(char path[UPCS_WORD_MAX])
{
	int pipes[2], status;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		char mine[UPCS_WORD_MAX] = "";
		int lock;

		_exit(!upcs_results_create(mine, &lock) || write(pipes[1], mine, sizeof(mine)) < 0 ||
		      kill(getpid(), SIGKILL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read(pipes[0], path, UPCS_WORD_MAX), UPCS_WORD_MAX);
	close(pipes[0]);
	close(pipes[1]);
}

TEST(test_killed)
{
	char dead[UPCS_WORD_MAX], live[UPCS_WORD_MAX], dead_counts[UPCS_COUNTS_PATH_MAX],
		live_counts[UPCS_COUNTS_PATH_MAX];
	struct upcs_results *results;
	int lock;

	leave(dead);
	upcs_counts_path(dead_counts, dead, 17);
	touch(dead_counts);
	results = upcs_results_create(live, &lock);
	assert_non_null(results);
	upcs_counts_path(live_counts, live, 0);
	touch(live_counts);
	assert_true(is_there(dead) && is_there(dead_counts));
	upcs_leftover_remove();
	assert_false(is_there(dead) || is_there(dead_counts));
	assert_true(is_there(live) && is_there(live_counts));
	results->processes.there = 1;
	upcs_results_destroy(results, live, lock);
	assert_false(is_there(live) || is_there(live_counts));
}

/* A process that outlived its run forks. */
TEST(test_counts_alone)
{
	char path[UPCS_WORD_MAX], counts[UPCS_COUNTS_PATH_MAX];

	leave(path);
	upcs_counts_path(counts, path, 1);
	touch(counts);
	assert_int_equal(unlink(path), 0);
	upcs_leftover_remove();
	assert_false(is_there(counts));
}

/* Names that are not ours, and what no run makes under names that are. */
TEST(test_others)
{
	char longer[64], other[64], link[] = "/dev/shm/upc-run-XXXXXX",
				    directory[] = "/dev/shm/upc-run-XXXXXX";
	int fd = mkstemp(link);

	snprintf(longer, sizeof(longer), "/dev/shm/upc-run-0%06d", (int)getpid());
	snprintf(other, sizeof(other), "/dev/shm/upc-ran-%06d", (int)getpid());
	touch(longer);
	touch(other);
	assert_true(fd >= 0 && unlink(link) == 0 && symlink(longer, link) == 0);
	close(fd);
	assert_non_null(mkdtemp(directory));
	upcs_leftover_remove();
	assert_true(is_there(longer) && is_there(other) && is_there(link) && is_there(directory));
	unlink(longer);
	unlink(other);
	unlink(link);
	rmdir(directory);
}

TEST(test_hold)
{
	char path[] = "/dev/shm/upc-run-XXXXXX";
	int first = mkstemp(path), second = open(path, O_RDWR | O_CLOEXEC);

	assert_true(first >= 0 && second >= 0);
	assert_true(upcs_leftover_hold(first));
	assert_false(upcs_leftover_hold(second));
	close(first);
	assert_true(upcs_leftover_hold(second));
	/* Somebody was faster. */
	assert_int_equal(unlink(path), 0);
	assert_false(upcs_leftover_hold(second));
	close(second);
}

UNIT_TESTS(sim_leftover, NULL, NULL)
