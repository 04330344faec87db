/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_private.h - declarations shared by the files of process-wide sets: the set, its members, and the
 * lock.
 *
 * The lock (mpxi_process_lock) is held from the request to the answer, so only one thread at a time makes
 * requests. A member is used only by the holder of the lock, or by the member's thread between TAKEN and
 * ANSWERED (process_ask.c). A thread that waits for the lock still answers requests, in the handler. A
 * thread that ends takes the lock to remove its members, and gets no signal for a request after that.
 *
 * Terms: process/thread.h.
 */
#ifndef MPXI_PROCESS_PRIVATE_H
#define MPXI_PROCESS_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "process/process.h"
#include "stat/pool.h"

/* The part of a process-wide set that counts in one thread other than the owner. Accessed under the
 * lock, or by its thread between TAKEN and ANSWERED. */
struct mpxi_member {
	/* NULL: the process-wide set was destroyed; the thread destroys the member at its next visit */
	struct mpxi_process *process;
	struct mpxi_thread *thread;
	struct mpxi_set *set; /* event set in the thread's core */
	unsigned version;     /* process->version when its events were added */
	bool known;           /* its windows belong to the present run of the process-wide set */
	bool stale;           /* its counts begin before the last start or reset, which has not reached it */
	bool asked;
	/* round (process_ask.c) of the last signal; value of request.put_off at that time */
	unsigned signalled, seen;
	struct mpxi_member *next, *previous; /* list of the process-wide set's members */
	struct mpxi_member *sibling;         /* list of the thread's members */
};

struct mpxi_process {
	struct mpxi_thread *owner;
	struct mpxi_set *own;
	struct mpxi_member *members;
	struct mpxi_process *next, *previous;
	unsigned events, room, version;
	uint32_t *event;            /* [events] */
	struct mpxi_pool *gone;     /* [events]: sums over members of ended threads */
	struct mpxi_pool *pool;     /* [events]: sums over all threads; for the owner only */
	struct mpxi_result *result; /* [events]: results of pool; for the owner only */
	unsigned gone_threads;
	bool runs;
	bool partial; /* some thread was not counted for a part of the time since the start */
};

/* State of the whole process. Accessed under the lock, except changes. */
struct mpxi_processes {
	struct mpxi_process *first;
	unsigned present; /* number of registered threads that have not ended */
	/* Number of changes that require a visit by each thread. Each thread reads it in
	 * mpxi_process_visit, without the lock. */
	atomic_uint changes;
};
extern struct mpxi_processes mpxi_processes;

/*
 * Take and release the lock that protects all process-wide sets and members. No handler takes the lock; the
 * library's lock may be taken while it is held. A thread that holds the lock or waits for it does not hold
 * a core. Cancellation is disabled while the lock is held: PAPI's calls read descriptors, which is a
 * cancellation point. A thread that ended there would still hold the lock, and its destructor would wait
 * for the lock forever.
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

/* Send the request to the threads of all members that need it. */
void mpxi_process_ask_locked(struct mpxi_process *process, enum mpxi_wish wish);
/* Wait until all these threads have answered. Return 0, or MPXI_ESYS if some have not answered within a
 * second; the set is then partial. */
int mpxi_process_wait_locked(struct mpxi_process *process);

/* ---- from start to stop (process_run.c) ------------------------------------------------ */

/* Add the counts of a member that is being removed to its set. */
void mpxi_process_inherit_locked(const struct mpxi_member *member);

/* ---- members (process_member.c) --------------------------------------------------------- */

/* Remove the member from its set's list, unless the set was destroyed. */
void mpxi_member_unlink_locked(struct mpxi_member *member);

#endif
