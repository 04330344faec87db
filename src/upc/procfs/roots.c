/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roots.c - opens files beneath /proc and /sys only.
 *
 * openat2 makes the kernel refuse every path that leads out of the root, even through links. The links in
 * /sys/class, which go up and down within /sys, stay beneath /sys and work. File systems mounted below the
 * root are allowed, because control groups are in /sys, and container managers mount files over some of
 * /proc. The root is opened anew for each file. Files are seldom opened, and the program can use one more
 * descriptor.
 *
 * If the kernel has no openat2, or a seccomp filter forbids openat2, this file checks the path by its name
 * and the opened file by its file system.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"
#include "procfs/roots.h"

/*
 * Attempts of openat2. It fails with EAGAIN if a rename happens anywhere while it resolves a ".." of a link.
 * A later attempt succeeds.
 */
#define TRIES 32

static bool path_is_plain(const char *path)
{
	if (!*path || *path == '/')
		return false;
	for (const char *p = path; *p;) {
		size_t length = strcspn(p, "/");

		if (length == 2 && p[0] == '.' && p[1] == '.')
			return false;
		p += length;
		p += *p == '/';
	}
	return true;
}

static int close_with(int fd, int error)
{
	close(fd);
	errno = error;
	return -1;
}

static int open_base(bool sys)
{
	struct statfs fs;
	int fd = open(sys ? "/sys" : "/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstatfs(fd, &fs) || (unsigned long)fs.f_type != (sys ? SYSFS_MAGIC : PROC_SUPER_MAGIC))
		return close_with(fd, ENODEV);
	return fd;
}

static bool kernel_made(unsigned long type)
{
	return type == PROC_SUPER_MAGIC || type == SYSFS_MAGIC || type == CGROUP_SUPER_MAGIC ||
	       type == CGROUP2_SUPER_MAGIC || type == TRACEFS_MAGIC || type == DEBUGFS_MAGIC;
}

/*
 * Open a path without openat2. A magic link (/proc/PID/root, cwd, fd) can lead anywhere, but then the opened
 * file is on another type of file system and is refused with EXDEV.
 */
static int open_checked(int base, const char *path, int flags)
{
	struct statfs fs;
	int fd = openat(base, path, flags);

	if (fd < 0)
		return -1;
	if (fstatfs(fd, &fs) || !kernel_made((unsigned long)fs.f_type))
		return close_with(fd, EXDEV);
	return fd;
}

static int open_beneath(bool sys, const char *path, int flags)
{
	/*
	 * open must not wait for the writer of a FIFO, and must not give the process a controlling terminal.
	 */
	struct open_how how = {
		.flags = (unsigned)(flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int base = open_base(sys);
	int fd, error;

	if (base < 0)
		return -1;
	for (int i = 0; i < TRIES; i++) {
		fd = (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	/*
	 * Older seccomp filters return EPERM for system calls that they do not know. If EPERM has another
	 * reason, open_checked fails with EPERM again.
	 */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_checked(base, path, (int)how.flags);
	error = errno;
	close(base);
	errno = error;
	return fd;
}

/* Compose the path relative to /proc or /sys. Return its length, or -1 if it does not fit. */
static int relative_root_path(enum upci_root root, pid_t pid, pid_t tid, const char *path, char *out,
			      size_t size)
{
	int length;

	switch (root) {
	case UPCI_ROOT_TASK:
		length = snprintf(out, size, "%d/task/%d/%s", (int)pid, (int)tid, path);
		break;
	case UPCI_ROOT_PROCESS:
		length = snprintf(out, size, "%d/%s", (int)pid, path);
		break;
	default:
		length = snprintf(out, size, "%s", path);
	}
	return length < 0 || (size_t)length >= size ? -1 : length;
}

int upci_root_open(enum upci_root root, pid_t pid, pid_t tid, const char *path)
{
	char whole[PATH_MAX];

	if (!path_is_plain(path)) {
		errno = EINVAL;
		return -1;
	}
	if (relative_root_path(root, pid, tid, path, whole, sizeof(whole)) < 0) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return upci_fd_keep(open_beneath(root == UPCI_ROOT_SYS, whole, 0));
}

static int open_root_directory(enum upci_root root, const char *path)
{
	return path_is_plain(path) ? upci_fd_keep(open_beneath(root == UPCI_ROOT_SYS, path, O_DIRECTORY))
				   : -1;
}

/* Filter the list here, since a filter function of scandir has no argument for the prefix. */
static int keep_names(struct dirent **list, int n, const char *prefix)
{
	size_t length = strlen(prefix);
	int kept = 0, i;

	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] == '.' || strncmp(list[i]->d_name, prefix, length))
			free(list[i]);
		else
			list[kept++] = list[i];
	}
	return kept;
}

int upci_root_list(enum upci_root root, const char *path, const char *prefix, struct dirent ***list)
{
	int fd = open_root_directory(root, path), n;

	*list = NULL;
	if (fd < 0)
		return 0;
	n = scandirat(fd, ".", list, NULL, versionsort);
	close(fd);
	return keep_names(*list, n, prefix);
}

struct linked {
	struct dirent *entry;
	char to[512]; /* target of the link, at most 511 bytes; "": not a link */
};

static int compare_links(const void *a, const void *b)
{
	const struct linked *one = a, *other = b;
	int order = strverscmp(one->to, other->to);

	return order ? order : strverscmp(one->entry->d_name, other->entry->d_name);
}

int upci_root_list_by_link(enum upci_root root, const char *path, const char *prefix, struct dirent ***list)
{
	int n = upci_root_list(root, path, prefix, list), fd = n > 1 ? open_root_directory(root, path) : -1,
	    i;
	struct linked *linked = fd < 0 ? NULL : calloc((size_t)n, sizeof(*linked));

	for (i = 0; linked && i < n; i++) {
		ssize_t length = readlinkat(fd, (*list)[i]->d_name, linked[i].to, sizeof(linked[i].to) - 1);

		linked[i].entry = (*list)[i];
		linked[i].to[length < 0 ? 0 : length] = 0;
	}
	if (linked)
		qsort(linked, (size_t)n, sizeof(*linked), compare_links);
	for (i = 0; linked && i < n; i++)
		(*list)[i] = linked[i].entry;
	free(linked);
	if (fd >= 0)
		close(fd);
	return n;
}

void upci_root_name(enum upci_root root, pid_t pid, pid_t tid, const char *path, char *name, size_t size)
{
	const char *base = root == UPCI_ROOT_SYS ? "/sys/" : "/proc/";
	size_t length = strlen(base);

	if (size <= length)
		return;
	memcpy(name, base, length + 1);
	relative_root_path(root, pid, tid, path, name + length, size - length);
}
