/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fds.c - see fds.h.
 */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fds.h"
#include "message.h"
#include "upc.h"

#define RESERVE 64

/* A program that lives with a small limit opens few files: it is left a
 * quarter, and the unit is not refused everything. */
static rlim_t reserve(rlim_t limit)
{
	return limit < 4 * RESERVE ? limit / 4 : RESERVE;
}

/* The limit is asked for every time: the program may change it. */
int upci_fd_keep(int fd)
{
	struct rlimit limit;

	if (fd < 0)
		return fd;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return fd;
	if ((rlim_t)fd < limit.rlim_cur - reserve(limit.rlim_cur))
		return fd;
	close(fd);
	errno = EMFILE;
	return -1;
}

bool upci_fd_none_left(void)
{
	return errno == EMFILE || errno == ENFILE;
}

int upci_fd_fail(const char *what)
{
	return upci_fail(UPC_EMFILE, "%s: too few file descriptors are left: raise the limit (ulimit -n)", what);
}
