/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_sys.c - replaces the machine's /sys or /proc by a test directory. While there is none, all opens are
 * unchanged.
 */
#include "made_sys.h"

#include <linux/magic.h>
#include <sys/statfs.h>

char made_sys[] = "/tmp/upc-sys-XXXXXX";
unsigned made_sys_openings, made_sys_full_after = UINT_MAX;
bool made_sys_known = true;
static const char *stands_for; /* "/sys" or "/proc"; NULL: there is no test directory */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_open(const char *path, int flags, ...)
{
	unsigned mode = 0;
	va_list args;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(args, flags);
		mode = va_arg(args, unsigned);
		va_end(args);
	}
	if (!stands_for || strcmp(path, stands_for))
		return __real_open(path, flags, mode);
	if (made_sys_openings++ < made_sys_full_after)
		return __real_open(made_sys, flags, mode);
	errno = EMFILE;
	return -1;
}

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int error = __real_fstatfs(fd, fs);

	if (error || !stands_for || !made_sys_known)
		return error;
	if (!strcmp(stands_for, "/proc"))
		fs->f_type = PROC_SUPER_MAGIC;
	else if ((unsigned long)fs->f_type != PROC_SUPER_MAGIC)
		fs->f_type = SYSFS_MAGIC;
	return 0;
}

static int begin(const char *as)
{
	strcpy(made_sys + sizeof(made_sys) - sizeof("XXXXXX"), "XXXXXX");
	if (!mkdtemp(made_sys))
		return -1;
	stands_for = as;
	made_sys_known = true;
	return 0;
}

int made_sys_begin(void **state)
{
	(void)state;
	return begin("/sys");
}

int made_proc_begin(void **state)
{
	(void)state;
	return begin("/proc");
}

int made_sys_end(void **state)
{
	(void)state;
	stands_for = NULL;
	made_sys_empty();
	return rmdir(made_sys);
}

/* The path of what lies below it, in directories that are made. */
__attribute__((format(printf, 2, 0))) static void made_sys_path(char path[512], const char *format,
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

void made_sys_put(const char *text, const char *format, ...)
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

void made_sys_link(const char *to, const char *format, ...)
{
	char path[512];
	va_list args;

	va_start(args, format);
	made_sys_path(path, format, args);
	va_end(args);
	assert_int_equal(symlink(to, path), 0);
}

void made_sys_empty(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s/*", made_sys);
	assert_int_equal(system(command), 0);
}
