/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_stack.h - what lies on a stack: addresses of PAPI's code, and signals' frames.
 */
#ifndef MPXI_INSIDE_STACK_H
#define MPXI_INSIDE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPXI_STACK_COPY 1024 /* words */

/*
 * A thread's view of its stacks. Words of [begin, end), its own stack, are read where they lie; 0
 * and 0: not known. All others are copied by the kernel, which says where there is no memory.
 */
struct mpxi_stack {
	uintptr_t begin, end;
	uintptr_t copy[MPXI_STACK_COPY];
};

/* Does the kernel copy for this process? Not in some sandboxes and emulators. */
bool mpxi_stack_copies(void);

/* Is any word of [sp, end), a part of the thread's own stack, an address of PAPI's code? */
bool mpxi_stack_has_word_sig(uintptr_t sp, uintptr_t end);

/* Copies size bytes from an address of any kind. */
bool mpxi_stack_copy_sig(void *to, uintptr_t from, size_t size);

/*
 * May PAPI be active? The thread was interrupted at pc, with the stack pointer sp; no more than so
 * many bytes are looked at. in_handler: on an alternate stack, where the frame of a signal must be.
 * is_apart tells code that PAPI does not call: inside.c has the rules.
 */
bool mpxi_stack_look_sig(struct mpxi_stack *stack, uintptr_t pc, uintptr_t sp, size_t bytes, bool in_handler,
			 bool (*is_apart)(uintptr_t pc));

#endif
