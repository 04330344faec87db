/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - finds the functions that a user means by a name. Symbols may have any content.
 *
 *   solve                 a C function, or C++ functions with any arguments, outside of classes and
 *                         of namespaces other than anonymous ones
 *   Solver::solve         C++ functions with any arguments, and all instances of templates
 *   Solver<int>::solve(int)   this function only
 *   solve_*, Solver::*    all that match; *, ? and [...] within <> and () are taken literally
 *   _ZN6Solver5solveEi    the symbol as it is in the file
 *
 * "name" also matches name@VERSION and name@@VERSION, and the copies of a function that GCC made for
 * certain arguments (name.constprop.0, name.isra.0, name.lto_priv.0), because nothing else is left of
 * the function. A part that GCC split off (name.part.0, name.cold) is not the function.
 */
#ifndef UPCS_NAMES_H
#define UPCS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/demangle.h"

#define UPCS_NAME_MAX 256u

struct upcs_name {
	char text[2 * UPCS_NAME_MAX]; /* as the demangler spells it; a pattern for fnmatch if glob */
	bool glob;
	bool mangled;              /* compare with the symbol as it is in the file */
	bool templated;            /* includes arguments of a template */
	bool arguments, qualified; /* includes (...); qualified: and text after the ")", such as const */
	bool anonymous, tagged;    /* includes an anonymous namespace; includes an ABI tag */
};

/* Parse a name. Return false if it is empty or too long. */
bool upcs_name_parse(struct upcs_name *name, const char *text);
bool upcs_name_fits(const struct upcs_name *name, const char *symbol);

/* Return a hash of a symbol without its version and GCC's suffix. Different symbols almost surely have
 * different hashes. */
uint64_t upcs_name_hash(const char *symbol);

/* Write a symbol's readable name to UPCS_DEMANGLED_MAX bytes: "Solver::solve", or with arguments
 * "Solver<int>::solve(int)". A C symbol stays as it is. A name that is too long becomes "". Versions and
 * GCC's suffixes are removed. */
void upcs_name_show(char *text, const char *symbol, bool arguments);

#endif
