/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.h - other threads that a thread's event sets are attached to. Each has a core of its own
 * here: its events share no counters with those of the calling thread, its time is its own CPU time,
 * and so are its slices.
 */
#ifndef MPXI_TARGET_H
#define MPXI_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "ticker/timer_attached.h"

struct mpxi_thread;

struct mpxi_target {
	struct mpxi_thread *thread; /* which has attached to it */
	struct mpxi_target *next;   /* that thread's            */
	struct mpxi_papi *papi;
	struct mpxi_core *core;
	struct mpxi_attached timer;
	unsigned sets;
};

/* Its target of this number, for one set more; made if there is none. MPXI_EINVAL (no such thread),
 * MPXI_EPERM, MPXI_ENOMEM, MPXI_ESYS, MPXI_ENOSUPP. */
int mpxi_target_get(struct mpxi_thread *thread, pid_t tid, struct mpxi_target **target);
/* One set less; without any it is destroyed. */
void mpxi_target_put(struct mpxi_target *target);

/* An event that counts for more than one thread: MPXI_ENOSUPP, with a message. */
int mpxi_target_refuses(uint32_t event);

/* It has ended: nothing new is counted. MPXI_ESYS, with a message. */
int mpxi_target_check(struct mpxi_target *target);
bool mpxi_target_has_ended(struct mpxi_target *target);

/* At the end of the thread that has attached, with the sets; in a forked child. */
void mpxi_targets_destroy(struct mpxi_thread *thread, bool gone);
void mpxi_targets_forget(struct mpxi_thread *thread);

/* Is one of the thread's cores held, or was one left (core.h)? */
bool mpxi_targets_held_sig(const struct mpxi_thread *thread);
bool mpxi_targets_left(const struct mpxi_thread *thread, const void *frame);

/* Some thread has attached to this one of the process. The library's lock is held. */
bool mpxi_target_is_wanted_locked(const struct mpxi_thread *first, pid_t tid);

#endif
