/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_exit.h - destroys a library's per-thread state at the end of the thread. Destructors of
 * thread-specific data may still measure: ours lets all others have one round first. There are at least
 * four rounds (PTHREAD_DESTRUCTOR_ITERATIONS). A library has one such state per thread.
 */
#ifndef MPXI_THREAD_EXIT_H
#define MPXI_THREAD_EXIT_H

/* Prepare for a state: at the thread's end, end is called with the state. All calls must pass the same end.
 * Errors: MPXI_ESYS (the thread is past its end: the state would never be freed), MPXI_ENOMEM. */
int mpxi_thread_exit_prepare(void (*end)(void *state));
/* Set the calling thread's state; NULL: none any more. MPXI_ENOMEM. */
int mpxi_thread_exit_keep(void *state);

#endif
