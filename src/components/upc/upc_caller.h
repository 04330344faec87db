/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_caller.h - which of PAPI's calls asks, and where in the program it was made.
 * PAPI reads its components alike for PAPI_read and PAPI_stop, but a replay plays
 * on for the one and not for the other, and a live set need not run for the other.
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
	UPCP_CALL_SIGNAL,      /* none of them: a handler of PAPI's own       */
};

/* Finds PAPI's calls, before the first use. Context: one thread at a time. */
void upcp_caller_open(void);

/*
 * The innermost of PAPI's calls above the caller, and the program's address to
 * which it returns, 0 where there is none. Walks the stack, some microseconds.
 * Context: any, signal handlers as well: nothing is allocated, and the loader's lock
 * that the walk may take can be taken again by the thread that holds it.
 */
enum upcp_call upcp_caller_find(uintptr_t *address);

/*
 * Is it PAPI_stop that reads? For a function that PAPI's read of a component calls, which
 * gives its own return address and frame (__builtin_return_address(0),
 * __builtin_dwarf_cfa()). Some loads, once the stack has been walked for each of PAPI's
 * calls; false where that cannot be. Context: as upcp_caller_find.
 */
int upcp_caller_is_stop(const void *returns_to, const void *frame);

#endif /* UPC_CALLER_H */
