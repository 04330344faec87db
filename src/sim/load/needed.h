/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * needed.h - which file of those that a program is loaded with has a function?
 */
#ifndef UPCS_NEEDED_H
#define UPCS_NEEDED_H

#include <limits.h>
#include <stdbool.h>

#define UPCS_NEAREST 3
#define UPCS_NEAREST_NAME 256

struct upcs_needed {
	unsigned functions;  /* that fit, in all files */
	char file[PATH_MAX]; /* where the first one is */
	/* The first few, with their arguments if they are of C++, each once; "" behind the last. */
	char fits[UPCS_NEAREST][UPCS_NEAREST_NAME];
	bool full;               /* the program has all its symbols; false: it is stripped */
	unsigned stripped;       /* libraries of which only those are known that they export */
	char stripped_name[256]; /* the first */
	char missing[256];       /* a library that was not found, "" none: it may be there */
	/* The names nearest to it, best first; "" behind the last. */
	char nearest[UPCS_NEAREST][UPCS_NEAREST_NAME];
};

/*
 * Looks for the functions that fit a name (names.h) in program, its interpreter, and its shared
 * libraries, as its dynamic linker finds them: RPATH, search_path (LD_LIBRARY_PATH, may be NULL),
 * RUNPATH, and the usual directories, first below prefix ("" or NULL: only the machine's own).
 * Libraries that are opened while it runs (dlopen) or preloaded are not known.
 * 0: found. -ENOENT: not; and needed says what there is. -EINVAL: that is no name. -errno: program
 * cannot be read.
 */
int upcs_symbols_needed(const char *program, const char *prefix, const char *search_path, const char *name,
			struct upcs_needed *needed);

#endif
