/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.h - finds a program as execvp would, for tools that examine it before it runs.
 */
#ifndef UTIL_PROGRAM_H
#define UTIL_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Find the first executable of this name in PATH; a name with a slash is a path. Return 0, or the errno of
 * execvp. */
int util_program_find(const char *name, char path[PATH_MAX]);

/* Check the program, its interpreter if it is a script, and its dynamic linker, without running them. Return
 * 0, or an exit status after printing an error. */
int util_program_check(const char *name);

/* Find the dynamic linker of a file for this machine. Return false if the file is a script or needs none. */
bool util_program_linker(const char *file, char path[PATH_MAX]);

#endif
