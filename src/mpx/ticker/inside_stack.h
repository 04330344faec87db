/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_stack.h - searches a stack for addresses of PAPI's code and for signal frames.
 *
 * Terms: ticker/inside.h.
 */
#ifndef MPXI_INSIDE_STACK_H
#define MPXI_INSIDE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPXI_STACK_COPY 1024 /* words */

/*
 * The state for reading a thread's stacks. Words of the thread's own stack, [begin, end), are read in
 * place; begin = end = 0 if that stack is unknown. All other words are copied to `copy' by a system call,
 * which reports unmapped memory as an error.
 */
struct mpxi_stack {
	uintptr_t begin, end;
	uintptr_t copy[MPXI_STACK_COPY];
};

/* True if the system call for copying works. Some sandboxes and emulators do not support it. */
bool mpxi_stack_copies(void);

/* True if any word of [sp, end), a part of the thread's own stack, is an address in PAPI's code. */
bool mpxi_stack_has_word_sig(uintptr_t sp, uintptr_t end);

/* Copy size bytes from any address. Return false if a part is not mapped. */
bool mpxi_stack_copy_sig(void *to, uintptr_t from, size_t size);

/*
 * True if PAPI may be active in a thread that was interrupted at pc, with the stack pointer sp. Searches at
 * most `bytes' bytes from sp on. in_handler: the thread was on an alternate stack, which must contain a
 * signal frame. is_apart is true for code that PAPI does not call: inside.c has the rules.
 */
bool mpxi_stack_look_sig(struct mpxi_stack *stack, uintptr_t pc, uintptr_t sp, size_t bytes, bool in_handler,
			 bool (*is_apart)(uintptr_t pc));

#endif
