/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.c - finds a program as execvp would, for tools that look at it before it runs.
 */
#include "lib/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static int check(const char *path)
{
	struct stat status;

	if (access(path, X_OK) != 0 || stat(path, &status) != 0)
		return errno;
	return S_ISDIR(status.st_mode) ? EISDIR : 0;
}

int util_program_find(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH"), *end;
	int error = ENOENT;

	if (strchr(name, '/')) {
		if (strlen(name) >= PATH_MAX)
			return ENAMETOOLONG;
		strcpy(path, name);
		return check(path);
	}
	if (!list)
		list = "/bin:/usr/bin";
	for (;; list = end + 1) {
		int n;

		end = strchrnul(list, ':');
		n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - list), list, end == list ? "" : "/",
			     name);
		if (name[0] && n < PATH_MAX) {
			if (is_program(path))
				return 0;
			/* What else was there says the error. */
			if (access(path, F_OK) == 0)
				error = EACCES;
		}
		if (!*end)
			return error;
	}
}
