/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.h - other threads to which a thread's event sets are attached. Each has its own core here: its
 * events share no counters with those of the calling thread, its time is its own CPU time, and its slices
 * are pieces of that time.
 */
#ifndef MPXI_TARGET_H
#define MPXI_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "ticker/timer_attached.h"

struct mpxi_thread;

struct mpxi_target {
	struct mpxi_thread *thread; /* the thread that has attached to it */
	struct mpxi_target *next;   /* list of that thread */
	struct mpxi_papi *papi;
	struct mpxi_core *core;
	struct mpxi_attached timer;
	unsigned sets;
};

/* Find or create the thread's target with this number, and add a reference for a set. MPXI_EINVAL (no such
 * thread), MPXI_EPERM, MPXI_ENOMEM, MPXI_ESYS, MPXI_ENOSUPP. */
int mpxi_target_get(struct mpxi_thread *thread, pid_t tid, struct mpxi_target **target);
/* Release a set's reference. The last release destroys the target. */
void mpxi_target_put(struct mpxi_target *target);

/* Return MPXI_ENOSUPP, with a message, if the event counts for more than one thread, else 0. */
int mpxi_target_refuses(uint32_t event);

/* Return MPXI_ESYS, with a message, if the target has ended, so that nothing new is counted; else 0. */
int mpxi_target_check(struct mpxi_target *target);
bool mpxi_target_has_ended(struct mpxi_target *target);

/* Destroy all targets, at the end of the thread that has attached, with its sets; or in a forked child. */
void mpxi_targets_destroy(struct mpxi_thread *thread, bool gone);
void mpxi_targets_forget(struct mpxi_thread *thread);

/* True if one of the targets' cores is held, or was left by a jump (core.h). */
bool mpxi_targets_held_sig(const struct mpxi_thread *thread);
bool mpxi_targets_left(const struct mpxi_thread *thread, const void *frame);

/* True if any thread has attached to this thread of the process. The caller holds the library's lock. */
bool mpxi_target_is_wanted_locked(const struct mpxi_thread *first, pid_t tid);

#endif
