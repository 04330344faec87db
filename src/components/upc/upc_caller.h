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

/* Whether a signal handler is on the stack. Context as above. */
int upcp_caller_in_handler(void);

/*
 * The same in some loads, for PAPI_stop alone, by the function of PAPI's that reads a component
 * for all its calls. The function that it calls gives its own return address and frame
 * (__builtin_return_address(0), __builtin_dwarf_cfa()).
 */

/* Called by way of that function, once, while nothing counts: walks the stack. */
void upcp_caller_rehearse(const void *returns_to, const void *frame);

/* Which call reads, as a number of its own; 0 where that cannot be said. */
uintptr_t upcp_caller_of_reader(const void *returns_to, const void *frame);

/* Is it PAPI_stop? No, until one such call is known to have been. */
int upcp_caller_is_stop(uintptr_t caller);

/* The call that has read last now stops the set. Looks it up, the first time. */
void upcp_caller_stopped(uintptr_t caller);

#endif /* UPC_CALLER_H */
