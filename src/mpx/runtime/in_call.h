/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * in_call.h - marks the calling thread as inside libupc for the duration of a call. A signal
 * handler that interrupts such a call finds the mark and does not call libupc.
 */
#ifndef MPXI_IN_CALL_H
#define MPXI_IN_CALL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Number of nested calls that the thread is in, and the stack frame of the outermost call. They are
 * initial-exec TLS: no access allocates memory, so a handler may be the first to access them.
 */
extern __thread volatile sig_atomic_t mpxi_in_call __attribute__((tls_model("initial-exec")));
extern __thread uintptr_t mpxi_in_call_frame __attribute__((tls_model("initial-exec")));

/* True if the thread is in a call. Context: any, including signal handlers. */
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

/*
 * True if frame, the stack frame of a new call, is at the address of the outermost call's frame, or above.
 * A handler of the program may then have left the outermost call with longjmp. The result is not certain:
 * the frame of a call in a handler on an alternate signal stack may also lie there.
 */
static inline bool mpxi_in_call_lost(const void *frame)
{
	return mpxi_in_call && (uintptr_t)frame >= mpxi_in_call_frame;
}

#endif
