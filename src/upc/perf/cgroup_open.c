/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cgroup_open.c - opens a control group by its name, and explains the kernel's errors: see cgroup.h.
 *
 * The kernel's errors for a group (6.18) are these. ENOENT: another hierarchy has perf_event, as for a group
 * of version 2 once version 1 was mounted, or the group was removed. EBADF: the directory is not a group's.
 * EINVAL: the kernel does not count by groups. The check opens an event that counts nothing, so that the unit
 * is refused when it is made and not at its first event.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/message.h"
#include "perf/cgroup.h"
#include "perf/perf_open.h"

/* Return the directory of a group. perf's users name a group by its path below the hierarchy that has
 * perf_event. */
static const char *find_group(const char *name, char path[PATH_MAX])
{
	static const char *const root[] = {"/sys/fs/cgroup/perf_event/", "/sys/fs/cgroup/unified/",
					   "/sys/fs/cgroup/"};
	struct stat about;
	unsigned i;

	for (i = 0; i < sizeof(root) / sizeof(root[0]) && name[0] != '/' && name[0] != '.'; i++)
		if (snprintf(path, PATH_MAX, "%s%s", root[i], name) < PATH_MAX && stat(path, &about) == 0 &&
		    S_ISDIR(about.st_mode))
			return path;
	return name;
}

static int fail_path(const char *path)
{
	if (upci_fd_none_left())
		return upci_fd_fail("a control group's directory");
	switch (errno) {
	case ENOENT:
		return upci_fail(UPC_ENOTASK, "%.200s: there is no such control group", path);
	case ENOTDIR:
	case ELOOP:
	case ENAMETOOLONG:
		return upci_fail(UPC_EINVAL, "%.200s: expected the directory of a control group: %s", path,
				 strerror(errno));
	case EACCES:
	case EPERM:
		return upci_fail(UPC_EPERM, "%.200s: the control group's directory cannot be opened: %s",
				 path, strerror(errno));
	case ENOMEM:
		return upci_fail(UPC_ENOMEM, "%.200s: no memory to open it", path);
	}
	return upci_fail(UPC_ESYSTEM, "%.200s: the control group's directory cannot be opened: %s", path,
			 strerror(errno));
}

/* Open a directory, but not as descriptor 0, 1 or 2, which the program may have closed: 0 means that there is
 * no group. */
static int open_cgroup_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), high;

	if (fd > STDERR_FILENO || fd < 0)
		return upci_fd_keep(fd);
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return upci_fd_keep(high);
}

/* Open an event for the group on the first CPU. The answer is the same on every CPU. If that CPU is offline,
 * try the next. */
static int ask_for_cgroup_event(int cgroup, const struct upci_perf_target *cpus, unsigned n)
{
	const struct perf_event_attr attr = upci_perf_dummy();
	struct upci_perf_target target;
	unsigned i;
	int fd = -1;

	errno = ENODEV;
	for (i = 0; i < n && fd < 0 && errno == ENODEV; i++) {
		target = cpus[i];
		target.cgroup = cgroup;
		fd = upci_perf_open(&attr, &target, -1);
	}
	return fd;
}

static int fail_asked(int cgroup, const char *path, const struct upci_perf_target *cpu)
{
	const int why = errno;

	switch (why) {
	case ENOENT:
		if (upci_cgroup_is_gone(cgroup))
			return upci_cgroup_fail_gone(cgroup, NULL);
		return upci_fail(
			UPC_ENOSUPP,
			"%.200s: its hierarchy does not have perf_event: where version 1 has it, mount that "
			"(mount -t cgroup -o perf_event none DIRECTORY) and name the group there; else name "
			"the group of version 2",
			path);
	case EBADF:
		return upci_fail(UPC_EINVAL, "%.200s: is not the directory of a control group", path);
	case EINVAL:
		return upci_fail(UPC_ENOSUPP,
				 "%.200s: this kernel does not count by control groups (CONFIG_CGROUP_PERF)",
				 path);
	}
	errno = why;
	return upci_perf_fail(path, cpu, false);
}

int upci_cgroup_open(const char *path, const struct upci_perf_target *cpus, unsigned n)
{
	char found[PATH_MAX];
	int cgroup, fd, error;

	if (!path || !path[0])
		return upci_fail(UPC_EINVAL,
				 "cgroup: the path of a control group's directory is needed, such as "
				 "/sys/fs/cgroup/GROUP");
	path = find_group(path, found);
	errno = 0;
	cgroup = open_cgroup_directory(path);
	if (cgroup < 0)
		return fail_path(path);
	fd = ask_for_cgroup_event(cgroup, cpus, n);
	if (fd >= 0) {
		close(fd);
		return cgroup;
	}
	error = fail_asked(cgroup, path, &cpus[0]);
	close(cgroup);
	return error;
}
