/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.h - targets, the other threads to which a thread's event sets are attached. Each target has a
 * core, since its events share no counters with those of the calling thread, and its slices are measured in
 * its own CPU time.
 *
 * Terms: process/thread.h.
 */
#ifndef MPXI_TARGET_H
#define MPXI_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "ticker/timer_attached.h"

struct mpxi_thread;

struct mpxi_target {
	struct mpxi_thread *thread; /* the thread whose event sets are attached to the target */
	struct mpxi_target *next;   /* list of that thread */
	struct mpxi_papi *papi;
	struct mpxi_core *core;
	struct mpxi_attached timer;
	unsigned sets;
};

/* Find or create the target of `thread' with this thread id, and add a reference for a set. Errors:
 * MPXI_EINVAL (no such thread), MPXI_EPERM, MPXI_ENOMEM, MPXI_ESYS, MPXI_ENOSUPP. */
int mpxi_target_get(struct mpxi_thread *thread, pid_t tid, struct mpxi_target **target);
/* Release a set's reference. The last release destroys the target. */
void mpxi_target_put(struct mpxi_target *target);

/* Return MPXI_ENOSUPP, with a message, if the event counts for more than one thread (a CPU, for
 * example), else 0. */
int mpxi_target_refuses(uint32_t event);

/* Return MPXI_ESYS, with a message, if the target thread has ended, so that nothing more is counted;
 * else 0. */
int mpxi_target_check(struct mpxi_target *target);
bool mpxi_target_has_ended(struct mpxi_target *target);

/* mpxi_targets_destroy destroys all targets and their sets when `thread' ends; gone: PAPI has forgotten
 * the thread. mpxi_targets_forget frees them in a forked child. */
void mpxi_targets_destroy(struct mpxi_thread *thread, bool gone);
void mpxi_targets_forget(struct mpxi_thread *thread);

/* True if the core of a target is held; true if it is held by a call that a handler has left
 * (mpxi_core_was_left). */
bool mpxi_targets_held_sig(const struct mpxi_thread *thread);
bool mpxi_targets_left(const struct mpxi_thread *thread, const void *frame);

/* True if a set of any thread in the list `first' is attached to the thread tid of this process. The
 * caller holds the library's lock. */
bool mpxi_target_is_wanted_locked(const struct mpxi_thread *first, pid_t tid);

#endif
