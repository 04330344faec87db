/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library_state.c - the state of the library: whether it is ready, its settings, its lock.
 *
 * Terms: process/thread.h.
 */
#include "core/error.h"
#include "process/library_state.h"

struct mpxi_library_state mpxi_library_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct mpxi_library_state *const state = &mpxi_library_state;

static int refuse_absent_library(void)
{
	return mpxi_error(MPXI_ENOINIT, "call mpx_library_init first");
}

struct mpxi_library *mpxi_library_lock(void)
{
	pthread_mutex_lock(&state->lock);
	if (state->phase == MPXI_READY)
		return &state->library;
	pthread_mutex_unlock(&state->lock);
	(void)refuse_absent_library();
	return NULL;
}

void mpxi_library_unlock(void)
{
	pthread_mutex_unlock(&state->lock);
}

int mpxi_library_check(void)
{
	return atomic_load_explicit(&state->ready, memory_order_acquire) ? MPXI_OK : refuse_absent_library();
}

/* The following functions need no lock: the values are set before any event set exists, and stay
 * constant while one exists. */

enum mpxi_estimator mpxi_library_estimator(void)
{
	return state->library.estimator;
}

int mpxi_library_signal(void)
{
	return state->library.signal_number;
}

bool mpxi_library_arms_in_handler(void)
{
	return state->library.timer != MPXI_TIMER_VIRTUAL;
}
