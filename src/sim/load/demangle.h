/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demangle.h - demangles names of C++ functions.
 */
#ifndef UPCS_DEMANGLE_H
#define UPCS_DEMANGLE_H

#include <stdbool.h>

#define UPCS_DEMANGLED_MAX 8192u
/* Stack size in bytes of a thread that demangles. A file may contain any symbols, and the demangler's
 * recursion can be deep. */
#define UPCS_DEMANGLE_STACK (8u << 20)

/* True if this program was built with a demangler. */
bool upcs_demangle_is_there(void);

/* True for the mangled name of a C++ or Rust function, but not for that of a thunk. */
bool upcs_is_mangled(const char *symbol);

/*
 * Demangle a function's name into UPCS_DEMANGLED_MAX bytes of text: "Solver<int>::solve", or with arguments
 * "Solver<int>::solve(int) const". The return type is never included. Return false if the symbol has no
 * demangled name or too long a name.
 */
bool upcs_demangle(const char *symbol, bool arguments, char *text);

#endif
