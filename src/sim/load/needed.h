/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * needed.h - finds the file that contains a function, among the files that a program is loaded with.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_NEEDED_H
#define UPCS_NEEDED_H

#include <limits.h>
#include <stdbool.h>

#define UPCS_NEAREST 3
#define UPCS_NEAREST_NAME 256

struct upcs_needed {
	unsigned functions;  /* number of matching functions in all files */
	char file[PATH_MAX]; /* file of the first matching function */
	/* The first matching names, each once, with arguments if they are C++; "" after the last. */
	char fits[UPCS_NEAREST][UPCS_NEAREST_NAME];
	bool full;               /* the program has all its symbols; false: it is stripped */
	unsigned stripped;       /* number of libraries of which only exported symbols are known */
	char stripped_name[256]; /* name of the first such library */
	char missing[256];       /* a library that was not found and may contain the function; "": none */
	/* The names most similar to the name that was looked for, best first; "" after the last. */
	char nearest[UPCS_NEAREST][UPCS_NEAREST_NAME];
};

/*
 * Look for functions that match a name (names.h) in program, its interpreter and its shared libraries, which
 * are found as the dynamic linker finds them: RPATH, search_path (LD_LIBRARY_PATH, may be NULL), RUNPATH, and
 * the usual directories, each first below prefix ("" or NULL: only the machine's own). Libraries that are
 * opened with dlopen or preloaded are not known. Return 0 if a function was found, -ENOENT if not (needed
 * holds suggestions), -EINVAL if name cannot be parsed, or another -errno if program cannot be read.
 */
int upcs_symbols_needed(const char *program, const char *prefix, const char *search_path, const char *name,
			struct upcs_needed *needed);

#endif
