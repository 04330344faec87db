/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_stack.h - searches a stack for addresses of PAPI's code and for signal frames.
 */
#ifndef MPXI_INSIDE_STACK_H
#define MPXI_INSIDE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPXI_STACK_COPY 1024 /* words */

/*
 * A thread's view of its stacks. Words of [begin, end), its own stack, are read in place; 0 and 0 mean that
 * it is unknown. The kernel copies all other words, and reports missing memory.
 */
struct mpxi_stack {
	uintptr_t begin, end;
	uintptr_t copy[MPXI_STACK_COPY];
};

/* True if the kernel can copy memory of this process. Some sandboxes and emulators do not support this. */
bool mpxi_stack_copies(void);

/* True if any word of [sp, end), a part of the thread's own stack, is an address in PAPI's code. */
bool mpxi_stack_has_word_sig(uintptr_t sp, uintptr_t end);

/* Copy size bytes from any address. False if a part is not mapped. */
bool mpxi_stack_copy_sig(void *to, uintptr_t from, size_t size);

/*
 * True if PAPI may be active in a thread that was interrupted at pc, with the stack pointer sp. Searches at
 * most `bytes' bytes. in_handler: on an alternate stack, where a signal frame must exist. is_apart is true
 * for code that PAPI does not call: inside.c has the rules.
 */
bool mpxi_stack_look_sig(struct mpxi_stack *stack, uintptr_t pc, uintptr_t sp, size_t bytes, bool in_handler,
			 bool (*is_apart)(uintptr_t pc));

#endif
