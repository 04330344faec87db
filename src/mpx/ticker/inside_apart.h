/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_apart.h - code that PAPI and libupc do not call, except from a signal handler.
 *
 * Terms: ticker/inside.h.
 */
#ifndef MPXI_INSIDE_APART_H
#define MPXI_INSIDE_APART_H

#include <stdbool.h>
#include <stdint.h>

#include "ticker/inside_program.h"

/*
 * Make a new list of the code that is apart. is_of_papi is true for an interval of addresses that contains
 * code of PAPI. The intervals in own are apart in any case; end 0 marks an unused element. The caller holds
 * a lock. If there is no memory for the list, no code counts as apart.
 */
void mpxi_apart_find_locked(bool (*is_of_papi)(uintptr_t begin, uintptr_t end),
			    const struct mpxi_code own[2]);

/* True if pc is in listed code. Return false for code that was loaded later or generated at run time,
 * since nothing is known about it. */
bool mpxi_apart_has_sig(uintptr_t pc);

#endif
