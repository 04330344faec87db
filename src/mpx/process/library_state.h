/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library_state.h - the library's state as library.c changes it; others have thread.h's calls.
 */
#ifndef MPXI_LIBRARY_STATE_H
#define MPXI_LIBRARY_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "process/thread.h"

struct mpxi_library_state {
	pthread_mutex_t lock; /* see mpxi_library_lock */
	enum { MPXI_ABSENT, MPXI_READY, MPXI_CLOSING } phase;
	atomic_bool ready; /* phase is READY; for those who take no lock */
	struct mpxi_library library;
};
extern struct mpxi_library_state mpxi_library_state;

#endif
