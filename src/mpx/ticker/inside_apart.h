/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_apart.h - code that PAPI and libupc do not call, except from a signal handler.
 */
#ifndef MPXI_INSIDE_APART_H
#define MPXI_INSIDE_APART_H

#include <stdbool.h>
#include <stdint.h>

#include "ticker/inside_program.h"

/*
 * List the objects of the process again. is_of_papi is true for a range of code that contains code of PAPI
 * or libupc. A range in own with an end other than 0 is apart in any case. The caller holds a lock. If
 * memory for the list is short, nothing is apart.
 */
void mpxi_apart_find_locked(bool (*is_of_papi)(uintptr_t begin, uintptr_t end),
			    const struct mpxi_code own[2]);

/* True if pc is in listed code. Code that was loaded later, or generated at run time, is unknown: false. */
bool mpxi_apart_has_sig(uintptr_t pc);

#endif
