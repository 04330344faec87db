/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fds.c - the program keeps a reserve of descriptors whatever the unit takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "base/fds.h"

#include "../unit_test.h"

static struct rlimit before;

static void set_limit(rlim_t soft)
{
	struct rlimit limit = {.rlim_cur = soft, .rlim_max = before.rlim_max};

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int restore(void **state)
{
	(void)state;
	return setrlimit(RLIMIT_NOFILE, &before);
}

/* Takes descriptors until one is refused; returns how many the program can
 * still open then. */
static int left_after_taking(rlim_t soft, int *taken)
{
	int fd[1024], n = 0, more[1024], left = 0;

	size_t told;

	set_limit(soft);
	told = upci_fd_left();
	while (n < 1024) {
		fd[n] = upci_fd_keep(open("/dev/null", O_RDONLY | O_CLOEXEC));
		if (fd[n] < 0)
			break;
		n++;
	}
	assert_int_equal(errno, EMFILE);
	assert_int_equal(told, n);
	assert_int_equal(upci_fd_left(), 0);
	while (left < 1024 && (more[left] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		left++;
	for (int i = 0; i < left; i++)
		close(more[i]);
	for (int i = 0; i < n; i++)
		close(fd[i]);
	*taken = n;
	return left;
}

static void keeps_64(void **state)
{
	int taken;

	(void)state;
	assert_int_equal(left_after_taking(512, &taken), 64);
	assert_true(taken > 400);
}

static void small_limit_keeps_a_quarter(void **state)
{
	int taken;

	(void)state;
	assert_int_equal(left_after_taking(64, &taken), 16);
	assert_true(taken > 30);
}

static void negative_passes(void **state)
{
	(void)state;
	errno = ENOENT;
	assert_int_equal(upci_fd_keep(-1), -1);
	assert_int_equal(errno, ENOENT);
}

/* A refused descriptor is closed, not leaked. */
static void refused_is_closed(void **state)
{
	int fd;

	(void)state;
	set_limit(512);
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 448);
	assert_int_equal(fd, 448);
	assert_int_equal(upci_fd_keep(fd), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 447);
	assert_int_equal(upci_fd_keep(fd), 447);
	close(fd);
}

UNIT_MAIN(fds)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(keeps_64, restore),
		cmocka_unit_test_teardown(small_limit_keeps_a_quarter, restore),
		cmocka_unit_test(negative_passes),
		cmocka_unit_test_teardown(refused_is_closed, restore),
	};

	if (getrlimit(RLIMIT_NOFILE, &before))
		return EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
