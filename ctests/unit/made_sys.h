/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_sys.h - a /sys of the test's own, or a /proc: roots.c, which alone opens the machine's, gets
 * this one from its beginning to its end. Link with made_sys.c and --wrap=open,--wrap=fstatfs.
 */
#ifndef MADE_SYS_H
#define MADE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "unit_test.h"

/* Where it is. */
extern char made_sys[];
/* How often anything in it was opened or listed, and after how often descriptors run out. */
extern unsigned made_sys_openings, made_sys_full_after;
/* Is it known for what it stands for? */
extern bool made_sys_known;

int made_sys_begin(void **state);
int made_proc_begin(void **state);
int made_sys_end(void **state);

/* In directories that are made. */
__attribute__((format(printf, 2, 3))) void made_sys_put(const char *text, const char *format, ...);
__attribute__((format(printf, 2, 3))) void made_sys_link(const char *to, const char *format, ...);
void made_sys_empty(void);

#endif
