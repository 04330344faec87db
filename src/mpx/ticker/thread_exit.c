/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_exit.c - a destructor of thread-specific data that runs one round later than others.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/error.h"
#include "ticker/thread_exit.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_error;
/* The function `end' of mpxi_thread_exit_prepare. */
static _Atomic(void (*)(void *state)) end_of;

/* leaving: the first round of destructors has begun. left: the state was destroyed, and no new state can
 * be made in the thread. */
static _Thread_local bool leaving, left;

static void end_thread_state(void *state)
{
	if (!leaving) {
		leaving = true;
		if (!pthread_setspecific(key, state))
			return;
	}
	left = true;
	atomic_load_explicit(&end_of, memory_order_relaxed)(state);
}

static void make_exit_key(void)
{
	key_error = pthread_key_create(&key, end_thread_state);
}

int mpxi_thread_exit_prepare(void (*end)(void *state))
{
	if (left)
		return mpxi_error(MPXI_ESYS, "the thread is ending, and its event sets are gone");
	(void)pthread_once(&once, make_exit_key);
	if (key_error)
		return mpxi_error(MPXI_ENOMEM, "no thread-specific key is left for the end of threads");
	atomic_store_explicit(&end_of, end, memory_order_relaxed);
	return 0;
}

int mpxi_thread_exit_keep(void *state)
{
	if (!pthread_setspecific(key, state))
		return 0;
	return mpxi_error(MPXI_ENOMEM, "out of memory for a thread's event sets");
}
