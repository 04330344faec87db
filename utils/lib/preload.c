/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.c - checks that a library can be preloaded into a program, and adds it to LD_PRELOAD.
 */
#include "lib/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/program.h"
#include "shim/mpx_elf.h"

enum { SCRIPTS_MAX = 4 }; /* kernel's limit of interpreters that are scripts */

static int refuse_preload(const char *path, const struct util_preload *preload, enum mpx_elf reason)
{
	switch (reason) {
	case MPX_ELF_STATIC:
		util_error("'%s' is linked statically: nothing can be put between it and %s; "
			   "link it dynamically, with %s",
			   path, preload->between, preload->library);
		return UTIL_FAILED;
	case MPX_ELF_STATIC_PAPI:
		util_error("PAPI is linked into '%s' itself: its calls of PAPI do not leave it; "
			   "link it with libpapi.so",
			   path);
		return UTIL_FAILED;
	case MPX_ELF_FOREIGN:
		util_error("'%s' is for another kind of machine than %s: use that kind's %s", path,
			   preload->tool, preload->tool);
		return UTIL_FAILED;
	case MPX_ELF_BROKEN:
		util_error("'%s' is no program: its ELF headers are broken", path);
		return UTIL_CANNOT_RUN;
	case MPX_ELF_NONE:
	case MPX_ELF_OK:
		break;
	}
	return 0;
}

/* Refuse a program that itself defines a function to intercept, since its calls of that function do not go
 * through the dynamic linker. */
static int refuse_inside(const char *path, const struct util_preload *preload, const unsigned char *file,
			 size_t n)
{
	const struct util_preload_inside *inside = preload->inside;

	for (; inside && inside->function; inside++) {
		if (!mpx_elf_defines(file, n, inside->function))
			continue;
		util_error(
			"%s is linked into '%s' itself: its calls do not leave the program; link it with %s",
			inside->whose, path, inside->library);
		return UTIL_FAILED;
	}
	return 0;
}

/* Write a script's interpreter; empty if the first line names none. */
static void interpreter_of(const unsigned char *file, size_t n, char path[PATH_MAX])
{
	size_t i = 2, length = 0;

	while (i < n && (file[i] == ' ' || file[i] == '\t'))
		i++;
	while (i < n && length + 1 < PATH_MAX && file[i] && !strchr(" \t\n", file[i]))
		path[length++] = (char)file[i++];
	path[length] = '\0';
}

/* True for a program with more rights than its user, for which the dynamic linker ignores LD_PRELOAD. */
static bool is_secure(const char *path, const struct stat *status)
{
	if (status->st_mode & S_ISUID && status->st_uid != getuid())
		return true;
	if (status->st_mode & S_ISGID && status->st_mode & S_IXGRP && status->st_gid != getgid())
		return true;
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Check one file. If the file is a script, set *script and replace path by the path of its interpreter. */
static int check_preload_file(char path[PATH_MAX], const struct util_preload *preload, bool *script)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), status = 0;
	struct stat about;
	void *file;

	*script = false;
	/* A file may be executable but unreadable. It is then accepted unchecked. */
	if (fd < 0)
		return 0;
	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
		close(fd);
		return 0;
	}
	file = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return 0;
	if (about.st_size > 2 && memcmp(file, "#!", 2) == 0) {
		*script = true;
		interpreter_of(file, (size_t)about.st_size, path);
	} else if (is_secure(path, &about)) {
		util_error("'%s' runs with more rights than its user has: nothing may be put between it "
			   "and %s; run it as the user that it runs as",
			   path, preload->between);
		status = UTIL_FAILED;
	} else {
		status = refuse_preload(path, preload, mpx_elf_check(file, (size_t)about.st_size));
		if (!status)
			status = refuse_inside(path, preload, file, (size_t)about.st_size);
	}
	munmap(file, (size_t)about.st_size);
	return status;
}

int util_preload_check(const char *name, const struct util_preload *preload)
{
	char path[PATH_MAX];
	bool script = true;
	int status = util_program_check(name), i;

	if (status)
		return status;
	(void)util_program_find(name, path);
	for (i = 0; script && path[0] && i <= SCRIPTS_MAX; i++) {
		status = check_preload_file(path, preload, &script);
		if (status)
			break;
	}
	return status;
}

/* ---- the dynamic linker --------------------------------------------------------------------- */

static bool is_in_list(const char *list, const char *path)
{
	size_t n = strlen(path);

	for (; *list; list += strspn(list, ": ")) {
		size_t length = strcspn(list, ": ");

		if (length == n && !strncmp(list, path, n))
			return true;
		list += length;
	}
	return false;
}

static int tell_preload_list(const char *list)
{
	if (setenv("LD_PRELOAD", list, 1) == 0)
		return 0;
	util_error("cannot pass on LD_PRELOAD: %s", strerror(errno));
	return UTIL_FAILED;
}

int util_preload_add(const char *path, const char *tool)
{
	const char *before = getenv("LD_PRELOAD");
	char *list;
	int error;

	if (access(path, R_OK) != 0) {
		util_error("cannot read %s's own library '%s': %s", tool, path, strerror(errno));
		return UTIL_FAILED;
	}
	if (strpbrk(path, ": ")) {
		util_error("the dynamic linker cannot preload '%s': there is a blank or a colon in it", path);
		return UTIL_FAILED;
	}
	if (!before || !before[0])
		return tell_preload_list(path);
	if (is_in_list(before, path))
		return 0;
	/* The tool's library is added last, because a sanitizer's runtime must be first. */
	list = malloc(strlen(before) + strlen(path) + 2);
	if (!list) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	sprintf(list, "%s:%s", before, path);
	error = tell_preload_list(list);
	free(list);
	return error;
}
