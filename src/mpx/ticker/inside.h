/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.h - finds out whether the thread that a signal has interrupted is inside PAPI or libupc.
 *
 * Terms:
 * - PAPI: in comments of inside*.c, both PAPI and libupc.
 * - range: an interval of addresses of PAPI's code. hull: the interval from the lowest range to the
 *   highest.
 * - word: a machine word on a stack. A hit is a word that is an address in a range.
 * - signal frame: what the kernel writes to the stack when it calls a handler.
 * - apart: of code that PAPI does not call (inside_apart.h).
 * - own stack: the stack with which the thread was created, as opposed to alternate signal stacks and
 *   coroutines' stacks.
 *
 * The data of these libraries may then be half changed, and the handler must not call either of them.
 */
#ifndef MPXI_INSIDE_H
#define MPXI_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Find the libraries' code. Errors: PAPI_ENOSUPP (PAPI is linked into the program itself, and the program
 * is stripped; mpxi_inside_sig then returns true until mpxi_inside_add is called), PAPI_ENOMEM (too many
 * libraries).
 */
int mpxi_inside_find(void);

/*
 * Do as mpxi_inside_find, and find the thread's stack. Each counting thread calls this in ordinary context
 * before its first signal, and again after a dlopen. For a thread that has not called this function,
 * mpxi_inside_sig always returns true. Errors: as mpxi_inside_find; PAPI_ENOMEM also if out of memory.
 */
int mpxi_inside_prepare(void);

/* Free the thread's data. No more signals may come to the thread. */
void mpxi_inside_leave(void);

/* Declare that the code at [begin, end) belongs to PAPI. For static programs, which know where PAPI's
 * code is. Errors: PAPI_EINVAL, PAPI_ENOMEM. */
int mpxi_inside_add(uintptr_t begin, uintptr_t end);

/*
 * True if the interrupted thread may be inside PAPI. context is the third argument of the thread's handler.
 * Returns true also in cases of doubt, but not for an unlimited time: inside.c has the rules. The result
 * false is wrong only if PAPI
 *
 *   lies under more than 128 KiB of stack; in a handler of the program that is not installed with
 *   SA_NODEFER, under more than 4 MiB;
 *   has called a function that switched to another stack, from which no signal frame leads back;
 *   calls a function that the program has passed to it in a way that inside_apart.c does not know.
 */
bool mpxi_inside_sig(void *context);

#endif
