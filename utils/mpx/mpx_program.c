/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_program.c - finds the program that mpx_run is to run, and says before it runs
 * whether its event sets can be had.
 */
#include "mpx/mpx_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/common.h"
#include "shim/mpx_elf.h"
#include "lib/program.h"

enum {
	REFUSED = 125,
	SCRIPTS_MAX = 4, /* interpreters that are scripts: the kernel's limit */
};

static int refuse(const char *path, enum mpx_elf reason)
{
	switch (reason) {
	case MPX_ELF_STATIC:
		util_error("'%s' is linked statically: nothing can be put between it and PAPI; "
			   "link it dynamically, with libpapi.so",
			   path);
		return REFUSED;
	case MPX_ELF_STATIC_PAPI:
		util_error("PAPI is linked into '%s' itself: its calls of PAPI do not leave it; "
			   "link it with libpapi.so",
			   path);
		return REFUSED;
	case MPX_ELF_FOREIGN:
		util_error("'%s' is for another kind of machine than mpx_run: use that kind's mpx_run", path);
		return REFUSED;
	case MPX_ELF_BROKEN:
		util_error("'%s' is no program: its ELF headers are broken", path);
		return UTIL_CANNOT_RUN;
	case MPX_ELF_NONE:
	case MPX_ELF_OK:
		break;
	}
	return 0;
}

/* The interpreter of a script; empty where the first line does not name one. */
static void interpreter_of(const unsigned char *file, size_t n, char path[PATH_MAX])
{
	size_t i = 2, length = 0;

	while (i < n && (file[i] == ' ' || file[i] == '\t'))
		i++;
	while (i < n && length + 1 < PATH_MAX && file[i] && !strchr(" \t\n", file[i]))
		path[length++] = (char)file[i++];
	path[length] = '\0';
}

/* The kernel makes the dynamic linker deaf to LD_PRELOAD for a program with more rights
 * than its user. */
static bool is_secure(const char *path, const struct stat *status)
{
	if (status->st_mode & S_ISUID && status->st_uid != getuid())
		return true;
	if (status->st_mode & S_ISGID && status->st_mode & S_IXGRP && status->st_gid != getgid())
		return true;
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Looks at one file; *script: it is one, and path becomes its interpreter's. */
static int check_file(char path[PATH_MAX], bool *script)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), status = 0;
	struct stat about;
	void *file;

	*script = false;
	/* What can be run need not be readable: nothing is known of it then. */
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
			   "and PAPI; run it as the user that it runs as",
			   path);
		status = REFUSED;
	} else {
		status = refuse(path, mpx_elf_check(file, (size_t)about.st_size));
	}
	munmap(file, (size_t)about.st_size);
	return status;
}

int mpx_program_check(const char *name)
{
	char path[PATH_MAX];
	bool script = true;
	int error = util_program_find(name, path), status = 0, i;

	if (error)
		return util_cannot_run(name, error);
	for (i = 0; script && path[0] && i <= SCRIPTS_MAX; i++) {
		status = check_file(path, &script);
		if (status)
			break;
	}
	return status;
}
