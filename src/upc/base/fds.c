/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fds.c - see fds.h.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/message.h"
#include "upc.h"

#define RESERVE 64

/* Return the number of descriptors to reserve. A program with a small limit opens few files: it gets a
 * quarter of the limit, so that the unit can still open some. */
static rlim_t reserve_below_limit(rlim_t limit)
{
	return limit < 4 * RESERVE ? limit / 4 : RESERVE;
}

/* The program may change the limit, so ask for it in each call. */
int upci_fd_keep(int fd)
{
	struct rlimit limit;

	if (fd < 0)
		return fd;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return fd;
	if ((rlim_t)fd < limit.rlim_cur - reserve_below_limit(limit.rlim_cur))
		return fd;
	close(fd);
	errno = EMFILE;
	return -1;
}

/* Reads the real /proc, even if a test uses another root for /proc. */
size_t upci_fd_left(void)
{
	struct rlimit limit;
	const struct dirent *entry;
	size_t top, taken = 0;
	DIR *dir;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	dir = opendir("/proc/self/fd");
	if (!dir)
		return upci_fd_none_left() ? 0 : SIZE_MAX;
	top = limit.rlim_cur - reserve_below_limit(limit.rlim_cur);
	while ((entry = readdir(dir)))
		taken += entry->d_name[0] != '.' && strtoul(entry->d_name, NULL, 10) < top &&
			 atoi(entry->d_name) != dirfd(dir);
	closedir(dir);
	return taken < top ? top - taken : 0;
}

bool upci_fd_none_left(void)
{
	return errno == EMFILE || errno == ENFILE;
}

int upci_fd_fail(const char *what)
{
	return upci_fail(UPC_EMFILE, "%s: too few file descriptors are left: raise the limit (ulimit -n)",
			 what);
}
