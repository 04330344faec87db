/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demangle.h - names of C++ functions as people write them.
 */
#ifndef UPCS_DEMANGLE_H
#define UPCS_DEMANGLE_H

#include <stdbool.h>

#define UPCS_DEMANGLED_MAX 8192u
/* A file may have any symbols, and those can have the demangler nest deep: who reads one has
 * a stack of this many bytes. */
#define UPCS_DEMANGLE_STACK (8u << 20)

/* False: this program was built without a demangler. */
bool upcs_demangle_is_there(void);

/* Is it a name of a C++ function, mangled? Not what only leads to one, as thunks do. */
bool upcs_is_mangled(const char *symbol);

/*
 * The name of a function in UPCS_DEMANGLED_MAX bytes of text: "Solver<int>::solve", with what
 * it takes "Solver<int>::solve(int) const". Never what it returns. False: it has none, or one
 * that is too long.
 */
bool upcs_demangle(const char *symbol, bool arguments, char *text);

#endif
