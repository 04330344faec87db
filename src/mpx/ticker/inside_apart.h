/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_apart.h - code that PAPI and libupc do not call, but from a signal's handler.
 */
#ifndef MPXI_INSIDE_APART_H
#define MPXI_INSIDE_APART_H

#include <stdbool.h>
#include <stdint.h>

#include "ticker/inside_program.h"

/*
 * Looks at the objects of the process anew. is_of_papi says of each piece of code whether some of it
 * is PAPI's or libupc's; own is apart in any case, where it ends after 0. The caller has a lock. Where there
 * is no memory for the list, nothing is apart.
 */
void mpxi_apart_find_locked(bool (*is_of_papi)(uintptr_t begin, uintptr_t end),
			    const struct mpxi_code own[2]);

/* No is the answer where it is not known: of code that was loaded later, or made by a compiler. */
bool mpxi_apart_has_sig(uintptr_t pc);

#endif
