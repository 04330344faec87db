/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_fork.h - registers fork handlers of the component. */
#ifndef UPC_FORK_H
#define UPC_FORK_H

#include <pthread.h>

/*
 * Arguments of pthread_atfork. The handlers of the last registration run first before a fork, and
 * last after the fork.
 */
struct upcp_fork {
	void (*before)(void), (*after)(void), (*in_child)(void);
	int registered;
};

/*
 * Register the handlers, once per process, since PAPI may be shut down and initialised again.
 * Return 0, or non-zero without memory. Context: one thread at a time (PAPI_library_init).
 */
static inline int upcp_fork_register(struct upcp_fork *fork)
{
	if (!fork->registered && pthread_atfork(fork->before, fork->after, fork->in_child))
		return -1;
	fork->registered = 1;
	return 0;
}

#endif /* UPC_FORK_H */
