/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library_state.h - the library's state, for library.c and library_state.c. Other files use the functions
 * in thread.h.
 *
 * Terms: process/thread.h.
 */
#ifndef MPXI_LIBRARY_STATE_H
#define MPXI_LIBRARY_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "process/thread.h"

struct mpxi_library_state {
	pthread_mutex_t lock; /* see mpxi_library_lock (thread.h) */
	enum { MPXI_ABSENT, MPXI_READY, MPXI_CLOSING } phase;
	atomic_bool ready; /* phase is READY; for readers without the lock */
	struct mpxi_library library;
};
extern struct mpxi_library_state mpxi_library_state;

#endif
