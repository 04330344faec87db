/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - what a counter is called in the name space of PCP (PMNS): perf::PAGE-FAULTS is
 * perf.page_faults. Pure.
 */
#ifndef PMDA_NAMES_H
#define PMDA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAMES_MAX 192 /* longest name, with its 0 */

/*
 * The name as PCP allows it: components of [a-z][a-z0-9_]* with dots between them. ':' and '/' end a
 * component, other characters become '_'. Never "".
 */
void names_plain(const char *name, char plain[NAMES_MAX]);

/* It is such a name, and not longer than NAMES_MAX. */
bool names_valid(const char *name);

/* A name space has no room for both: they are the same, or one has the other as a branch. */
bool names_meet(const char *one, const char *other);

/*
 * Makes a plain name one that meets none of those taken: "_2", "_3" ... at its end, and '_' for the
 * dot where a taken name would be its branch. taken(arg, i) is the i-th of count, or NULL.
 */
void names_unique(char plain[NAMES_MAX], const char *(*taken)(const void *arg, size_t i), const void *arg,
		  size_t count);

#endif
