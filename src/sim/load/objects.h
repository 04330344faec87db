/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * objects.h - the files that a program is loaded with: the program and its shared libraries.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_OBJECTS_H
#define UPCS_OBJECTS_H

#include <limits.h>
#include <stdbool.h>

#include "load/symbols.h"

#define UPCS_OBJECTS_MAX 256u
#define UPCS_OBJECTS_NAME 256u

/*
 * The caller sets guest, prefix and search_path, and zeroes all other fields. Libraries are found as the
 * guest's dynamic linker finds them: RPATH, search_path (LD_LIBRARY_PATH, may be NULL), RUNPATH, and the
 * usual directories, each first below prefix ("" or NULL: only the machine's own).
 */
struct upcs_objects {
	enum upcs_guest guest;
	const char *prefix, *search_path;
	char *path[UPCS_OBJECTS_MAX]; /* in the order in which they were added */
	unsigned n;
	char missing[UPCS_OBJECTS_NAME]; /* a library that was not found; "": none */
	/* A library to look for among the needed ones, even if its file is not found. */
	const char *stem;              /* prefix of its name; NULL: none */
	char named[UPCS_OBJECTS_NAME]; /* name of the first match; "": none */
};

/* Add a file, once. Files beyond UPCS_OBJECTS_MAX are ignored. Return 0 or -ENOMEM. */
int upcs_objects_add(struct upcs_objects *objects, const char *path);
/* Add the libraries that object i needs. Return 0 or -ENOMEM. A file that cannot be read needs nothing. */
int upcs_objects_follow(struct upcs_objects *objects, unsigned i);
/* Find the file with the path text for the guest: below the prefix if the guest can load the file there, else
 * at text itself. Return false if there is no such file. */
bool upcs_objects_find(const struct upcs_objects *objects, char path[PATH_MAX], const char *text);
/* Free the paths. The structure belongs to the caller. */
void upcs_objects_free(struct upcs_objects *objects);

#endif
