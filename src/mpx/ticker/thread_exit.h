/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_exit.h - what a library keeps for a thread ends with the thread. Destructors of
 * thread-specific data may still measure: ours lets all others have one round before it. There are
 * four rounds at least (PTHREAD_DESTRUCTOR_ITERATIONS). A library has one such state a thread.
 */
#ifndef MPXI_THREAD_EXIT_H
#define MPXI_THREAD_EXIT_H

/* Before the thread gets a state: end is called with it at the thread's end. The same end each
 * time. Errors: MPXI_ESYS (the thread has had its end: the state would
 * never be freed), MPXI_ENOMEM. */
int mpxi_thread_exit_prepare(void (*end)(void *state));
/* The calling thread's state; NULL: none, any more. MPXI_ENOMEM. */
int mpxi_thread_exit_keep(void *state);

#endif
