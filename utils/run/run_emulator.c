/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_emulator.c - chooses the emulator.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/emulator.h"
#include "lib/program.h"

extern char **environ;

/* Run path --version and read its first line. Return false if there is no output. */
static bool ask_version(const char *path, char *line, size_t size)
{
	char *argv[] = {(char *)path, (char *)"--version", NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	size_t n = 0;
	ssize_t got;
	bool ran;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	ran = posix_spawn(&pid, path, &actions, NULL, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (ran && n + 1 < size &&
	       ((got = read(ends[0], line + n, size - 1 - n)) > 0 || (got < 0 && errno == EINTR)))
		n += got > 0 ? (size_t)got : 0;
	close(ends[0]);
	while (ran && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	line[n] = '\0';
	return n > 0;
}

static int interface_by_version(const char *path)
{
	char line[256];
	unsigned version = ask_version(path, line, sizeof(line)) ? upcs_emulator_version_of(line) : 0;

	if (version >= 900)
		return version >= 902 ? 4 : (int)(version - 900) + 2;
	return version >= 602 ? 1 : 0;
}

static bool look_at_emulator(struct run_emulator *emulator, const char *name)
{
	char found[PATH_MAX];

	emulator->interface = 0;
	emulator->error = util_program_find(name, found);
	if (emulator->error == 0 && realpath(found, emulator->path) == NULL)
		emulator->error = errno;
	if (emulator->error != 0)
		return false;
	emulator->interface = upcs_emulator_interface(emulator->path);
	/* The file may be a script that starts an emulator. */
	if (emulator->interface == -ENOEXEC)
		emulator->interface = interface_by_version(emulator->path);
	if (emulator->interface < 0)
		emulator->interface = 0;
	return emulator->interface != 0;
}

void run_emulator_find(struct run_emulator *emulator, const char *name, const char *given)
{
	char own[sizeof(UPC_SIM_QEMU_PATH) + 32];
	struct run_emulator other;

	if (look_at_emulator(emulator, given != NULL ? given : name) || given != NULL)
		return;
	snprintf(own, sizeof(own), "%s/%s", UPC_SIM_QEMU_PATH, name);
	if (look_at_emulator(&other, own))
		*emulator = other;
}
