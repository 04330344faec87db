/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_sys.h - a /sys of the test's own: roots.c, which alone opens the machine's, gets this
 * one. Link with --wrap=open,--wrap=fstatfs.
 */
#ifndef MADE_SYS_H
#define MADE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "unit_test.h"

static char made_sys[] = "/tmp/upc-sys-XXXXXX";
/* How often anything in it was opened or listed, and after how often descriptors run out. */
static unsigned made_sys_openings, made_sys_full_after = UINT_MAX;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/sys"))
		return __real_open(path, flags, 0600);
	if (made_sys_openings++ < made_sys_full_after)
		return __real_open(made_sys, flags, 0600);
	errno = EMFILE;
	return -1;
}

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int error = __real_fstatfs(fd, fs);

	/* Of what is opened as /sys or /proc. */
	if (!error && (unsigned long)fs->f_type != PROC_SUPER_MAGIC)
		fs->f_type = SYSFS_MAGIC;
	return error;
}

/* The path of what lies below it, in directories that are made. */
__attribute__((format(printf, 2, 0), unused)) static void made_sys_path(char path[512], const char *format,
									va_list args)
{
	size_t length = (size_t)snprintf(path, 512, "%s/", made_sys);
	char *at = path + length;

	vsnprintf(at, 512 - length, format, args);
	for (; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(path, 0700);
		*at = '/';
	}
}

__attribute__((format(printf, 2, 3), unused)) static void made_sys_put(const char *text, const char *format,
								       ...)
{
	char path[512];
	va_list args;
	FILE *f;

	va_start(args, format);
	made_sys_path(path, format, args);
	va_end(args);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

__attribute__((format(printf, 2, 3), unused)) static void made_sys_link(const char *to, const char *format,
									...)
{
	char path[512];
	va_list args;

	va_start(args, format);
	made_sys_path(path, format, args);
	va_end(args);
	assert_int_equal(symlink(to, path), 0);
}

__attribute__((unused)) static void made_sys_empty(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s/*", made_sys);
	assert_int_equal(system(command), 0);
}

static int made_sys_begin(void **state)
{
	(void)state;
	return mkdtemp(made_sys) ? 0 : -1;
}

static int made_sys_end(void **state)
{
	(void)state;
	made_sys_empty();
	return rmdir(made_sys);
}

#endif
