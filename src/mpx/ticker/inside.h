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
 * Finds the libraries. Errors: PAPI_ENOSUPP: PAPI is linked into the program itself, which is
 * stripped; every answer is yes until a range is given. PAPI_ENOMEM: more libraries than
 * there is room for.
 */
int mpxi_inside_find(void);

/*
 * The same, and the thread's stack. Once in each thread that counts, before its first signal, in
 * ordinary context; again after a dlopen. A thread that has not called it is answered yes. Errors
 * also: PAPI_ENOMEM: no memory.
 */
int mpxi_inside_prepare(void);

/* The thread has no more signals to come. */
void mpxi_inside_leave(void);

/* Code at [begin, end) belongs to PAPI too; for static programs, which know. PAPI_EINVAL,
 * PAPI_ENOMEM. */
int mpxi_inside_add(uintptr_t begin, uintptr_t end);

/*
 * context is the third argument of the thread's handler. Yes is also the answer where it
 * cannot be known, but not for ever: inside.c has the rules. No is wrong only where PAPI
 *
 *   lies under more than 128 KiB of further stack; under 4 MiB in a handler of the program's
 *   that is not made with SA_NODEFER;
 *   has called a function that changed to another stack, from which no signal's frame
 *   leads back;
 *   calls a function that the program has handed it otherwise than inside_apart.c knows.
 */
bool mpxi_inside_sig(void *context);

#endif
