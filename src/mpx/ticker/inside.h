/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.h - finds out whether the thread that a signal has interrupted is inside PAPI or libupc. Their
 * data may then be half changed, and the handler must not call either of them.
 */
#ifndef MPXI_INSIDE_H
#define MPXI_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Find the libraries' code. Errors: PAPI_ENOSUPP (PAPI is linked into the program itself, which is
 * stripped: every answer is true until mpxi_inside_add is called), PAPI_ENOMEM (too many libraries).
 */
int mpxi_inside_find(void);

/*
 * Do as mpxi_inside_find, and find the thread's stack. Each counting thread calls this in ordinary context
 * before its first signal, and again after a dlopen. For a thread that has not called it, the answer is
 * always true. Also returns PAPI_ENOMEM if memory is short.
 */
int mpxi_inside_prepare(void);

/* Free the thread's data; no more signals may come to the thread. */
void mpxi_inside_leave(void);

/* Declare that the code at [begin, end) belongs to PAPI, for static programs, which know this. PAPI_EINVAL,
 * PAPI_ENOMEM. */
int mpxi_inside_add(uintptr_t begin, uintptr_t end);

/*
 * True if the interrupted thread may be inside PAPI. context is the third argument of the thread's handler.
 * The answer is also true in cases of doubt, but not for ever: inside.c has the rules. The answer false is
 * wrong only if PAPI
 *
 *   lies under more than 128 KiB of stack; in a handler of the program that is not installed with
 *   SA_NODEFER, under more than 4 MiB;
 *   has called a function that switched to another stack, from which no signal frame leads back;
 *   calls a function that the program has passed to it in a way that inside_apart.c does not know.
 */
bool mpxi_inside_sig(void *context);

#endif
