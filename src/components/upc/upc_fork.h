/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_fork.h - what the component does around a fork.
 */
#ifndef UPC_FORK_H
#define UPC_FORK_H

#include <pthread.h>

/* The calls of pthread_atfork. Before a fork the ones registered last come first, after it last. */
struct upcp_fork {
	void (*before)(void), (*after)(void), (*in_child)(void);
	int registered;
};

/* Once a process: PAPI may be shut down and initialised again. 0, or non-zero without memory.
 * Context: one thread at a time (PAPI_library_init). */
static inline int upcp_fork_register(struct upcp_fork *fork)
{
	if (!fork->registered && pthread_atfork(fork->before, fork->after, fork->in_child))
		return -1;
	fork->registered = 1;
	return 0;
}

#endif /* UPC_FORK_H */
