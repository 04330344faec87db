/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_exit.h - destroys a library's per-thread state at the end of the thread. Destructors of other
 * thread-specific data may still measure, so the destructor of this file waits for the second round of
 * destructors. There are at least four rounds (PTHREAD_DESTRUCTOR_ITERATIONS). A library has at most one
 * such state in each thread.
 */
#ifndef MPXI_THREAD_EXIT_H
#define MPXI_THREAD_EXIT_H

/* Prepare for a state of the calling thread. When the thread ends, the function `end' is called with the
 * state. All calls must pass the same function. Errors: MPXI_ESYS (the thread's state has been destroyed
 * already, and a new state would never be freed), MPXI_ENOMEM. */
int mpxi_thread_exit_prepare(void (*end)(void *state));
/* Set the calling thread's state; NULL removes it. Error: MPXI_ENOMEM. */
int mpxi_thread_exit_keep(void *state);

#endif
