/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fds.c - the program keeps a reserve of descriptors whatever the unit takes.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/fds.h"

#include "../unit_test.h"

/* Takes descriptors until one is refused; returns how many the program can
 * still open then. */
static int left_after_taking(rlim_t soft, int *taken)
{
	const rlim_t before = limit_descriptors(soft);
	const size_t told = upci_fd_left();
	int fd[1024], n = 0, more[1024], left = 0;

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
	limit_descriptors(before);
	*taken = n;
	return left;
}

TEST(keeps_64)
{
	int taken;

	assert_int_equal(left_after_taking(512, &taken), 64);
	assert_true(taken > 400);
}

TEST(small_limit_keeps_a_quarter)
{
	int taken;

	assert_int_equal(left_after_taking(64, &taken), 16);
	assert_true(taken > 30);
}

TEST(negative_passes)
{
	errno = ENOENT;
	assert_int_equal(upci_fd_keep(-1), -1);
	assert_int_equal(errno, ENOENT);
}

/* A refused descriptor is closed, not leaked. */
TEST(refused_is_closed)
{
	const rlim_t before = limit_descriptors(512);
	int fd;

	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 448);
	assert_int_equal(fd, 448);
	assert_int_equal(upci_fd_keep(fd), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 447);
	assert_int_equal(upci_fd_keep(fd), 447);
	close(fd);
	limit_descriptors(before);
}

UNIT_TESTS(fds, NULL, NULL)
