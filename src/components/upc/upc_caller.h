/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_caller.h - finds out which function of PAPI the program called, and from where. PAPI reads
 * its components in the same way for PAPI_read and PAPI_stop, but the component must distinguish the
 * two. A replay advances for PAPI_read but not for PAPI_stop, and for PAPI_stop a live set can be
 * stopped before it is read.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_CALLER_H
#define UPC_CALLER_H

#include <stdint.h>

enum upcp_call {
	UPCP_CALL_UNKNOWN = 0, /* the stack cannot be walked                  */
	UPCP_CALL_START,       /* PAPI_start                                  */
	UPCP_CALL_READ,        /* PAPI_read, PAPI_read_ts                     */
	UPCP_CALL_ACCUM,       /* PAPI_accum                                  */
	UPCP_CALL_STOP,        /* PAPI_stop                                   */
	UPCP_CALL_SIGNAL,      /* no call: a signal handler of PAPI           */
};

/*
 * Look up the addresses of PAPI's functions. Call once before the functions below. Context: one
 * thread at a time.
 */
void upcp_caller_open(void);

/*
 * Return the innermost call of PAPI on the stack. *address becomes the address in the program to
 * which this call returns, or 0 if it is not found. The function walks the stack, which takes some
 * microseconds. Context: any, including signal handlers. The walk allocates nothing, and the lock of
 * the dynamic linker that it may take is recursive.
 */
enum upcp_call upcp_caller_find(uintptr_t *address);

/* True if a signal handler is on the stack. Context: any, including signal handlers. */
int upcp_caller_in_handler(void);

/*
 * The functions below recognise PAPI_stop with a few loads instead of a walk of the stack. They
 * rely on the internal function of PAPI that reads a component for all calls of PAPI (the reader).
 * They are called in the component's read function (on_read), which the reader calls, with the
 * return address and the frame of on_read: __builtin_return_address(0) and __builtin_dwarf_cfa().
 */

/*
 * Find where the reader's return address is stored. Call once, in a read that the reader makes while
 * no set counts. The function walks the stack.
 */
void upcp_caller_rehearse(const void *returns_to, const void *frame);

/* Return a number that identifies the call of PAPI that makes this read, or 0 if it is unknown. */
uintptr_t upcp_caller_of_reader(const void *returns_to, const void *frame);

/* True if caller identifies PAPI_stop. False until upcp_caller_stopped has seen one PAPI_stop. */
int upcp_caller_is_stop(uintptr_t caller);

/*
 * Record that the set is being stopped after a read by the call of PAPI that caller identifies. Only
 * the first time, look up whether this call is PAPI_stop.
 */
void upcp_caller_stopped(uintptr_t caller);

#endif /* UPC_CALLER_H */
