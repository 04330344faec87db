/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * become.c - replaces a guest's process by the program that it executes.
 *
 * Terms: plugin/context.h.
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

/* Return the rest of a path behind this process's directory in /proc, such as /proc/self/, or NULL. */
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

/* Return the descriptor that a path names, as /dev/fd/3 does, or -1. */
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
 * Return a path for an open program, or NULL. The emulator opens the program only after the exec, and needs a
 * path. If the file's path now names another file or no file (memfd_create, a removed file), the returned
 * path is /proc/self/fd/N, and *fd is the descriptor, which has to stay open.
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

/* Return a path that does not depend on an open directory, or NULL, which leaves the decision to the
 * kernel. */
static char *resolve_program_path(int directory, const char *path, uint64_t flags, int *fd)
{
	char link[64], target[PATH_MAX], *resolved = NULL;
	const char *own = behind_own(path);
	ssize_t n;

	/* /proc/self/exe names the emulator here, but the guest means its own program. */
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

/* execve, while keeping descriptor fd open (-1: none). Return only on failure. */
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

/* Execute the program. Return only if this is impossible or not allowed; the guest's own system call then
 * reports the error, or executes the program. */
static void execute_program(const char *path, int fd, char **argv, char **envp, bool counted)
{
	struct upcs_command command = {
		.options = &upcs_run.results->options,
		.results = upcs_run.path,
		/* A process that is not counted has no record to continue. UPCS_PROCESSES_MAX means no
		 * record; -1 would mean the first program of a run. */
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
