/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * in_call.h - marks the calling thread as inside libupc for the length of a call. A signal handler
 * that interrupts such a call finds the mark, and leaves libupc alone.
 */
#ifndef MPXI_IN_CALL_H
#define MPXI_IN_CALL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* How many calls the thread is in, one on top of the other, and where on the stack the outermost is.
 * initial-exec: no access allocates, so that a handler may be the first. */
extern __thread volatile sig_atomic_t mpxi_in_call __attribute__((tls_model("initial-exec")));
extern __thread uintptr_t mpxi_in_call_frame __attribute__((tls_model("initial-exec")));

/* Whether the thread is in a call. Context: signal handlers too. */
static inline bool mpxi_in_call_sig(void)
{
	return mpxi_in_call;
}

__attribute__((always_inline)) static inline void mpxi_in_call_begin(void)
{
	if (!mpxi_in_call++)
		mpxi_in_call_frame = (uintptr_t)__builtin_frame_address(0);
}

static inline void mpxi_in_call_end(void)
{
	mpxi_in_call--;
}

/* Whether frame, that of a new call, has taken the outermost call's place on the stack: a handler of
 * the program's may have jumped out of that call. A call in a handler may lie there too, on the
 * handler's own stack. */
static inline bool mpxi_in_call_lost(const void *frame)
{
	return mpxi_in_call && (uintptr_t)frame >= mpxi_in_call_frame;
}

#endif
