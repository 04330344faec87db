/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - a counter's name in PCP's name space (PMNS): perf::PAGE-FAULTS becomes perf.page_faults. Pure.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_NAMES_H
#define PMDA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAMES_MAX 192 /* longest name, including its NUL */

/*
 * Make a name that PCP allows: components of [a-z][a-z0-9_]*, separated by dots. ':' and '/' end a component,
 * other characters become '_'. The result is never "".
 */
void names_plain(const char *name, char plain[NAMES_MAX]);

/* True if the name is of this form, and shorter than NAMES_MAX. */
bool names_valid(const char *name);

/* True if a name space cannot contain both: they are equal, or one is a branch of the other. */
bool names_meet(const char *one, const char *other);

/*
 * Make a plain name unique among the taken ones: append "_2", "_3" ..., and replace a dot by '_' if a taken
 * name would be its branch. taken(arg, i) returns the i-th of count names, or NULL.
 */
void names_unique(char plain[NAMES_MAX], const char *(*taken)(const void *arg, size_t i), const void *arg,
		  size_t count);

#endif
