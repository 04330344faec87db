/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_private.h - declarations shared by the files of process-wide sets: the set, its members, and the
 * lock.
 *
 * The lock is held from the request to the answer. One thread makes requests at a time. Only the holder of
 * the lock uses a member, or the member's own thread between TAKEN and ANSWERED (process_ask.c). A thread
 * that waits for the lock still answers, in the handler. A thread that ends takes the lock to remove its
 * members: after that it is never signalled.
 */
#ifndef MPXI_PROCESS_PRIVATE_H
#define MPXI_PROCESS_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "process/process.h"
#include "stat/pool.h"

/* A thread's part of a set. Accessed under the lock, or by its thread between TAKEN and ANSWERED. */
struct mpxi_member {
	struct mpxi_process *process; /* NULL: the set was destroyed, and the member will be */
	struct mpxi_thread *thread;
	struct mpxi_set *set; /* in the thread's core        */
	unsigned version;     /* version of its events */
	bool known;           /* its windows are of this run */
	bool stale;           /* a reset has not reached it  */
	bool asked;
	unsigned signalled, seen;            /* round of the last signal, and put_off at that time */
	struct mpxi_member *next, *previous; /* list of the set */
	struct mpxi_member *sibling;         /* list of the thread */
};

struct mpxi_process {
	struct mpxi_thread *owner;
	struct mpxi_set *own;
	struct mpxi_member *members;
	struct mpxi_process *next, *previous;
	unsigned events, room, version;
	uint32_t *event;            /* [events] */
	struct mpxi_pool *gone;     /* [events]: sums over ended threads */
	struct mpxi_pool *pool;     /* [events]: sums over all threads; for the owner only */
	struct mpxi_result *result; /* [events]: results of pool; for the owner only */
	unsigned gone_threads;
	bool runs;
	bool partial; /* a thread was not counted all the time from the start on */
};

/* State of the whole process. Accessed under the lock, except changes. */
struct mpxi_processes {
	struct mpxi_process *first;
	unsigned present; /* threads that are registered and have not ended */
	/* Number of changes that may require a visit by each thread. Partner: visit, on each thread. */
	atomic_uint changes;
};
extern struct mpxi_processes mpxi_processes;

/*
 * Protects all sets and members; a requesting thread holds the lock. No handler takes it; the library's
 * lock nests in it. A thread that holds it, or waits for it, does not hold a core. Its holder cannot be
 * cancelled: PAPI's calls read descriptors, where a cancelled thread would end with the lock held, and its
 * own destructor would then wait for it.
 */
void mpxi_process_lock(void);
void mpxi_process_unlock(void);
void mpxi_process_unlock_in_child(void);

/* True if the member has the set's present events. */
static inline bool mpxi_member_takes_part(const struct mpxi_member *member)
{
	return member->version == member->process->version;
}

/* ---- requests (process_ask.c) ------------------------------------------------------------- */

/* Send the request to all members that need it. */
void mpxi_process_ask_locked(struct mpxi_process *process, enum mpxi_wish wish);
/* Wait until all have answered. Return MPXI_ESYS after a second; the set is then partial. */
int mpxi_process_wait_locked(struct mpxi_process *process);

/* ---- from start to stop (process_run.c) ------------------------------------------------ */

/* Add the counts of a member that is being removed to its set. */
void mpxi_process_inherit_locked(const struct mpxi_member *member);

/* ---- members (process_member.c) --------------------------------------------------------- */

/* Remove the member from its set's list, unless the set was destroyed. */
void mpxi_member_unlink_locked(struct mpxi_member *member);

#endif
