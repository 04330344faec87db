/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_sys.h - a private /sys or /proc for a test. From made_sys_begin or made_proc_begin to made_sys_end,
 * roots.c, which alone opens the machine's directory, opens the test's directory instead. Link with
 * made_sys.c and
 * --wrap=open,--wrap=fstatfs.
 */
#ifndef MADE_SYS_H
#define MADE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "unit_test.h"

/* The path of the test's directory. */
extern char made_sys[];
/* Number of opens and listings in the directory, and the number after which descriptors run out. */
extern unsigned made_sys_openings, made_sys_full_after;
/* True if fstatfs reports the file system type of the real directory. */
extern bool made_sys_known;

int made_sys_begin(void **state);
int made_proc_begin(void **state);
int made_sys_end(void **state);

/* Write a file, or create a link, at a path in the directory. Create missing directories. */
__attribute__((format(printf, 2, 3))) void made_sys_put(const char *text, const char *format, ...);
__attribute__((format(printf, 2, 3))) void made_sys_link(const char *to, const char *format, ...);
void made_sys_empty(void);

#endif
