/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * become.c - from what a guest executes to the program that takes its process's place.
 */
#include "plugin/become.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/exec.h"
#include "count/guest_memory.h"
#include "count/thread.h"

/* ---- the file ---------------------------------------------------------------------------- */

/* A name of our own process in /proc, as /proc/self/: what is behind it, or NULL. */
static const char *behind_own(const char *path)
{
	char own[32];
	const char *names[] = {"/proc/self/", "/proc/thread-self/", own};
	size_t i;

	snprintf(own, sizeof(own), "/proc/%ld/", (long)getpid());
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			return path + strlen(names[i]);
	return NULL;
}

/* The descriptor that a path names, as /dev/fd/3; -1: none. */
static int named_descriptor(const char *path)
{
	const char *own = behind_own(path), *digits = NULL;
	char *end;
	long fd;

	if (own && strncmp(own, "fd/", 3) == 0)
		digits = own + 3;
	else if (strncmp(path, "/dev/fd/", 8) == 0)
		digits = path + 8;
	if (!digits || *digits < '0' || *digits > '9')
		return -1;
	fd = strtol(digits, &end, 10);
	return *end || fd > INT_MAX ? -1 : (int)fd;
}

/*
 * A program that is open. The emulator looks for it only once we have become it, so it needs the
 * file's path; where that names another file or none (memfd_create, a file that was removed), the
 * descriptor has to stay open, and *fd is that.
 */
static char *open_program_file(int descriptor, int *fd)
{
	char link[64], target[PATH_MAX];
	struct stat open_one, named;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0 || fstat(descriptor, &open_one))
		return NULL;
	target[n] = 0;
	if (stat(target, &named) == 0 && named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino)
		return strdup(target);
	*fd = descriptor;
	return strdup(link);
}

/* A path relative to an open directory, made independent of it; NULL: the kernel decides. */
static char *resolve_program_path(int directory, const char *path, uint64_t flags, int *fd)
{
	char link[64], target[PATH_MAX], *resolved = NULL;
	const char *own = behind_own(path);
	ssize_t n;

	/* The emulator's own are not what the guest means. */
	if (own && strcmp(own, "exe") == 0)
		return strdup(upcs_run.program);
	if (!path[0] && flags & AT_EMPTY_PATH)
		return open_program_file(directory, fd);
	if (named_descriptor(path) >= 0)
		return open_program_file(named_descriptor(path), fd);
	if (path[0] == '/' || (directory == AT_FDCWD && path[0]))
		return strdup(path);
	if (!path[0])
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return NULL;
	target[n] = 0;
	if (asprintf(&resolved, "%s/%s", target, path) < 0)
		return NULL;
	return resolved;
}

static bool is_executable(const char *path, uint64_t flags)
{
	struct stat st;

	if (flags & AT_SYMLINK_NOFOLLOW && (lstat(path, &st) || S_ISLNK(st.st_mode)))
		return false;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* ---- the program ------------------------------------------------------------------------- */

/* execve, with a descriptor that stays open; -1: none. */
static void become_program(const char *path, char **argv, char **envp, int fd)
{
	int flags = fd >= 0 ? fcntl(fd, F_GETFD) : -1;

	if (flags >= 0)
		fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
	upcs_process_leave();
	execve(path, argv, envp);
	upcs_process_stay();
	if (flags >= 0)
		fcntl(fd, F_SETFD, flags);
}

/* Returns only if it cannot be, or must not: then the guest's own call says why, or goes on. */
static void execute_program(const char *path, int fd, char **argv, char **envp, bool counted)
{
	struct upcs_command command = {
		.options = &upcs_run.results->options,
		.results = upcs_run.path,
		/* A process that is not counted has no index to take over. The index behind the last says so;
		 * -1 would mean the first program of a run. */
		.after = upcs_run.process ? (int64_t)upcs_run.index : UPCS_PROCESSES_MAX,
		.counted = counted,
	};
	struct upcs_exec exec;
	bool made = upcs_exec_make(&command, path, argv, envp, &exec) == 0;

	if (made && (counted || !upcs_guest_is_native(exec.info.guest)))
		become_program(exec.argv[0], exec.argv, exec.envp, fd);
	else if (upcs_exec_release(command.options, envp))
		become_program(path, argv, envp, fd);
	if (made)
		upcs_exec_free(&exec);
}

void upcs_become(int directory, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags, bool counted)
{
	size_t max = (size_t)sysconf(_SC_ARG_MAX);
	int fd = -1;
	char *text = upcs_guest_string(path, PATH_MAX), *file = NULL, **arguments = NULL, **variables = NULL;

	if (text)
		file = resolve_program_path(directory, text, flags, &fd);
	if (file && is_executable(file, flags) && !upcs_exec_is_privileged(file)) {
		arguments = upcs_guest_strings(upcs_run.guest, argv, max);
		variables = arguments ? upcs_guest_strings(upcs_run.guest, envp, max) : NULL;
		if (variables)
			execute_program(file, fd, arguments, variables, counted);
	}
	upcs_guest_free(arguments);
	upcs_guest_free(variables);
	free(text);
	free(file);
}
