/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.h - finds a program as execvp would, for tools that look at it before it runs.
 */
#ifndef UTIL_PROGRAM_H
#define UTIL_PROGRAM_H

#include <limits.h>

/* The first of the name in PATH that can be run; a name with a slash is the path itself.
 * 0, or the errno that execvp would give. */
int util_program_find(const char *name, char path[PATH_MAX]);

#endif
