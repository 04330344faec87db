/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - which functions a user means by a name. Symbols may be anything.
 *
 *   solve                 a function of C; or of C++ with any arguments, in no class or
 *                         namespace but one without a name
 *   Solver::solve         of C++, with any arguments, of templates all that there are
 *   Solver<int>::solve(int)   this one
 *   solve_*, Solver::*    all that fit; *, ? and [...] within <> and () are not meant so
 *   _ZN6Solver5solveEi    as it is in the file
 *
 * "name" is also name@VERSION and name@@VERSION, and the copies of a function that GCC made for
 * certain arguments (name.constprop.0, name.isra.0, name.lto_priv.0): these are all that is left
 * of it. A part that GCC took out of it (name.part.0, name.cold) is not the function.
 */
#ifndef UPCS_NAMES_H
#define UPCS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/demangle.h"

#define UPCS_NAME_MAX 256u

struct upcs_name {
	char text[2 * UPCS_NAME_MAX]; /* as the demangler spells it; for fnmatch if it is a glob */
	bool glob;
	bool mangled;              /* only as it is in the file */
	bool templated;            /* it says which of a template's functions */
	bool arguments, qualified; /* it has (...), and something behind that */
	bool anonymous, tagged;    /* it has what others can leave out */
};

/* False: it is empty, or too long. */
bool upcs_name_parse(struct upcs_name *name, const char *text);
bool upcs_name_fits(const struct upcs_name *name, const char *symbol);

/* A number for a symbol without version and what GCC adds: another one's is another, almost surely. */
uint64_t upcs_name_hash(const char *symbol);

/* How a symbol is called in UPCS_DEMANGLED_MAX bytes: "Solver::solve", or with what it takes
 * and is of "Solver<int>::solve(int)"; of C as it is. "" where that is too long. Without
 * version, and without what GCC adds to a copy. */
void upcs_name_show(char *text, const char *symbol, bool arguments);

#endif
