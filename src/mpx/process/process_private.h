/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_private.h - what the files of process-wide sets share: the set, its members,
 * and the lock.
 *
 * The lock is held from the request to the answer. One thread asks at a time, and a member is used only
 * by the holder of the lock, or by its own thread between TAKEN and ANSWERED (process_ask.c). A thread
 * that waits for the lock still answers, in the handler. A thread that ends takes the lock to take its
 * members away: it is never signalled after that.
 */
#ifndef MPXI_PROCESS_PRIVATE_H
#define MPXI_PROCESS_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "process/process.h"
#include "stat/pool.h"

/* One thread's part of a set. Under the lock, or its thread's between TAKEN and ANSWERED. */
struct mpxi_member {
	struct mpxi_process *process; /* NULL: the set is gone, the member follows */
	struct mpxi_thread *thread;
	struct mpxi_set *set; /* in the thread's core        */
	unsigned version;     /* of the events that it has   */
	bool known;           /* its windows are of this run */
	bool stale;           /* a reset has not reached it  */
	bool asked;
	unsigned signalled, seen;            /* round of the last signal, and put_off then */
	struct mpxi_member *next, *previous; /* of the set    */
	struct mpxi_member *sibling;         /* of the thread */
};

struct mpxi_process {
	struct mpxi_thread *owner;
	struct mpxi_set *own;
	struct mpxi_member *members;
	struct mpxi_process *next, *previous;
	unsigned events, room, version;
	uint32_t *event;            /* [events] */
	struct mpxi_pool *gone;     /* [events]: of threads that have ended */
	struct mpxi_pool *pool;     /* [events]: the owner's alone, of all  */
	struct mpxi_result *result; /* [events]: likewise                   */
	unsigned gone_threads;
	bool runs;
	bool partial; /* a thread was not counted from the start on */
};

/* State of the whole process, under the lock but for changes. */
struct mpxi_processes {
	struct mpxi_process *first;
	unsigned present; /* threads that are registered, and have not left */
	/* Counts what threads may have to come by for. Partner: visit, on each thread. */
	atomic_uint changes;
};
extern struct mpxi_processes mpxi_processes;

/*
 * Protects all sets and members; the thread that asks holds it. No handler takes it; the
 * library's lock nests in it. A thread that has it, or waits for it, holds no core. The thread
 * that has it cannot be cancelled: PAPI's calls read descriptors, where a cancelled thread
 * would end with the lock, for which its own destructor waits.
 */
void mpxi_process_lock(void);
void mpxi_process_unlock(void);
void mpxi_process_unlock_in_child(void);

/* The member has the events that the set has now. */
static inline bool mpxi_member_takes_part(const struct mpxi_member *member)
{
	return member->version == member->process->version;
}

/* ---- asking (process_ask.c) ----------------------------------------------------------- */

/* Asks all members that have something to do for it. */
void mpxi_process_ask_locked(struct mpxi_process *process, enum mpxi_wish wish);
/* Until all have answered, or a second is over: MPXI_ESYS, and the set is partial. */
int mpxi_process_wait_locked(struct mpxi_process *process);

/* ---- from start to stop (process_run.c) ------------------------------------------------ */

/* A member that goes: what it has counted stays with its set. */
void mpxi_process_inherit_locked(const struct mpxi_member *member);

/* ---- members (process_member.c) --------------------------------------------------------- */

/* Takes it out of its set's list; nothing if the set is gone. */
void mpxi_member_unlink_locked(struct mpxi_member *member);

#endif
