/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.h - is the thread that a signal has interrupted inside PAPI or libupc? Their
 * data may be half changed then, and the handler must call neither.
 */
#ifndef MPXI_INSIDE_H
#define MPXI_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds the libraries and the thread's stack, and warms the unwinder, whose first call
 * may allocate. Once in each thread that counts, before its first signal, in ordinary
 * context; again after a dlopen. A thread that has not called it is answered rightly
 * but slower. Errors: PAPI_ENOSUPP: PAPI is linked into the program itself, which is
 * stripped; every answer is yes until a range is given. PAPI_ENOMEM: more libraries than
 * there is room for.
 */
int mpxi_inside_prepare(void);

/* Code at [begin, end) belongs to PAPI too; for static programs, which know. PAPI_EINVAL,
 * PAPI_ENOMEM. */
int mpxi_inside_add(uintptr_t begin, uintptr_t end);

/*
 * context is the third argument of the thread's handler. Yes is also the answer where it
 * cannot be known. No is wrong only where a function that PAPI has called (the program's
 * overflow handler) lies under more than 128 KiB of further stack, or changed to another
 * stack from which there is no way back to be seen.
 */
bool mpxi_inside_sig(void *context);

#endif
