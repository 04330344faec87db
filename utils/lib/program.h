/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.h - finds a program as execvp would, for tools that look at it before it runs.
 */
#ifndef UTIL_PROGRAM_H
#define UTIL_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* The first of the name in PATH that can be run; a name with a slash is the path itself.
 * 0, or the errno that execvp would give. */
int util_program_find(const char *name, char path[PATH_MAX]);

/* Looks at the program, at its interpreter where it is a script, and at its dynamic linker: 0, or the
 * exit status, said. Nothing is run. */
int util_program_check(const char *name);

/* The dynamic linker of a file of this machine. False: it is a script, or needs none. */
bool util_program_linker(const char *file, char path[PATH_MAX]);

#endif
