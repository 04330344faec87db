/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_lock.c - the lock of all process-wide sets, and the list of these sets.
 */
#include <pthread.h>

#include "process/process_private.h"

struct mpxi_processes mpxi_processes;

/* See mpxi_process_lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cancel_state; /* the lock holder's cancel state before it took the lock */

void mpxi_process_lock(void)
{
	int state;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	cancel_state = state;
}

void mpxi_process_unlock(void)
{
	int state = cancel_state;

	pthread_mutex_unlock(&lock);
	(void)pthread_setcancelstate(state, NULL);
}

void mpxi_process_unlock_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	(void)pthread_setcancelstate(cancel_state, NULL);
}
