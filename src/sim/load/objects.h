/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * objects.h - the files that a program is loaded with: itself and its shared libraries.
 */
#ifndef UPCS_OBJECTS_H
#define UPCS_OBJECTS_H

#include <limits.h>
#include <stdbool.h>

#include "load/symbols.h"

#define UPCS_OBJECTS_MAX 256u
#define UPCS_OBJECTS_NAME 256u

/*
 * guest, prefix and search_path are the caller's to set, all else zero. Libraries are found as
 * the guest's dynamic linker finds them: RPATH, search_path (LD_LIBRARY_PATH, may be NULL),
 * RUNPATH, and the usual directories, first below prefix ("" or NULL: only the machine's own).
 */
struct upcs_objects {
	enum upcs_guest guest;
	const char *prefix, *search_path;
	char *path[UPCS_OBJECTS_MAX]; /* in the order in which they were added */
	unsigned n;
	char missing[UPCS_OBJECTS_NAME]; /* a library that was not found, "" none */
	/* Or: a library that is asked for, found or not. */
	const char *stem;              /* how its name begins, NULL: none is */
	char named[UPCS_OBJECTS_NAME]; /* the first one's name, "" none      */
};

/* One more, twice the same is once; above UPCS_OBJECTS_MAX there are no more. 0 or -ENOMEM. */
int upcs_objects_add(struct upcs_objects *objects, const char *path);
/* Adds what object i needs. 0 or -ENOMEM; a file that cannot be read needs nothing. */
int upcs_objects_follow(struct upcs_objects *objects, unsigned i);
/* Where the guest finds the file text: below the prefix where something is there that it can
 * load, else where it is. False: nowhere. */
bool upcs_objects_find(const struct upcs_objects *objects, char path[PATH_MAX], const char *text);
/* Frees the list alone. */
void upcs_objects_free(struct upcs_objects *objects);

#endif
