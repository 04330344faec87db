/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_exec.c - stand-ins for exec, _exit and posix_spawn, in the libraries that mpx_run and upc_regions
 * preload. Each library defines the hooks of shim_exec.h, which the stand-ins call.
 *
 * Before an exec, the hook pauses the timers, since the signal of a timer that arrives while the new
 * program starts would kill that program. The hook also reports the counts so far, since the new program
 * does not have them. In a vfork child, which shares its parent's memory, the hook does nothing: the
 * parent's timers run on. exec and _exit may be called in signal handlers, and after a fork of a program
 * with threads. The stand-ins therefore neither wait for a lock nor allocate memory, unless there is
 * something to report.
 *
 * Terms: shim/shim.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, execvpe, fexecve */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim_exec.h"

static int (*real_execve)(const char *, char *const *, char *const *);
static int (*real_execvpe)(const char *, char *const *, char *const *);
static int (*real_fexecve)(int, char *const *, char *const *);
static int (*real_execveat)(int, const char *, char *const *, char *const *, int);
static int (*real_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
			 char *const *, char *const *);
static int (*real_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			  const posix_spawnattr_t *, char *const *, char *const *);
static void (*real_exit)(int) __attribute__((noreturn));

static void find_exec_function(void *pointer, const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(pointer, &symbol, sizeof(symbol));
}

static __attribute__((constructor)) void begin_shim_exec(void)
{
	find_exec_function(&real_execve, "execve");
	find_exec_function(&real_execvpe, "execvpe");
	find_exec_function(&real_fexecve, "fexecve");
	find_exec_function(&real_execveat, "execveat");
	find_exec_function(&real_spawn, "posix_spawn");
	find_exec_function(&real_spawnp, "posix_spawnp");
	find_exec_function(&real_exit, "_exit");
}

/* ---- exec ------------------------------------------------------------------------------ */

SHIM_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	void *paused = shim_exec_begins(path);

	(void)real_execve(path, argv, envp);
	shim_exec_failed(paused);
	return -1;
}

SHIM_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	void *paused = shim_exec_begins(strchr(file, '/') ? file : NULL);

	(void)real_execvpe(file, argv, envp);
	shim_exec_failed(paused);
	return -1;
}

SHIM_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

SHIM_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

SHIM_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	void *paused = shim_exec_begins(NULL);

	(void)real_fexecve(fd, argv, envp);
	shim_exec_failed(paused);
	return -1;
}

SHIM_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	void *paused;

	if (!real_execveat) {
		errno = ENOSYS;
		return -1;
	}
	paused = shim_exec_begins(NULL);
	(void)real_execveat(fd, path, argv, envp, flags);
	shim_exec_failed(paused);
	return -1;
}

static size_t count_arguments(va_list list)
{
	size_t n = 1; /* the named argument, first */

	while (va_arg(list, char *))
		n++;
	return n;
}

/* Copy the arguments into an array on the caller's stack. The heap is not used, since exec may follow
 * vfork. */
#define ARGUMENTS(argv, first, list)                                \
	va_start(list, first);                                      \
	char *argv[count_arguments(list) + 1];                      \
	va_end(list);                                               \
	va_start(list, first);                                      \
	argv[0] = (char *)(uintptr_t)first;                         \
	for (size_t i = 1; i < sizeof(argv) / sizeof(argv[0]); i++) \
	argv[i] = va_arg(list, char *)

SHIM_EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;

	ARGUMENTS(argv, first, list);
	va_end(list);
	return execve(path, argv, environ);
}

SHIM_EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;

	ARGUMENTS(argv, first, list);
	va_end(list);
	return execvpe(file, argv, environ);
}

SHIM_EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list list;

	ARGUMENTS(argv, first, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}

/* ---- others ---------------------------------------------------------------------------- */

SHIM_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	shim_has_children();
	return real_spawn(pid, path, actions, attributes, argv, envp);
}

SHIM_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	shim_has_children();
	return real_spawnp(pid, file, actions, attributes, argv, envp);
}

SHIM_EXPORT void _exit(int status)
{
	shim_report_quickly(status);
	real_exit(status);
}

SHIM_EXPORT void _Exit(int status)
{
	_exit(status);
}
