/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - event sets that are summed over all registered threads. Each thread has a
 * member: an event set of its own core with the same events. The calls on the set are
 * its owner's; what they ask of other threads' members, these threads do themselves, in
 * the handler of the slice signal or in their next call of MPX.
 */
#ifndef MPXI_PROCESS_H
#define MPXI_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "stat/pool.h"

struct mpxi_thread;
struct mpxi_process;
struct mpxi_member;

/* A request to a thread for one of its members. */
enum mpxi_wish {
	MPXI_WISH_START,
	MPXI_WISH_READ,
	MPXI_WISH_TAKE,
	MPXI_WISH_RESET,
	MPXI_WISH_STOP,
};

/* A thread's letter box, for one request at a time. */
struct mpxi_request {
	/* Partners: the asking thread, and whatever of this thread takes it first. */
	_Atomic uint32_t state;
	atomic_uint put_off; /* signals that found the thread where it could not act */
	enum mpxi_wish wish; /* written before state is, as member; error before the answer */
	struct mpxi_member *member;
	int error;
};

/* ---- by the owner -------------------------------------------------------------------- */

/* own is the owner's member; it stays the caller's, and events are added to it and
 * removed from it by these calls only. MPXI_ENOMEM. */
int mpxi_process_create(struct mpxi_thread *owner, struct mpxi_set *own, struct mpxi_process **process);
/* Stops it where it runs; before own is destroyed. gone: PAPI has forgotten the owner,
 * whose own is left as it is. */
void mpxi_process_destroy(struct mpxi_process *process, bool gone);

/* Errors, and the index, as of the calls on own. */
int mpxi_process_add(struct mpxi_process *process, uint32_t event);
int mpxi_process_remove(struct mpxi_process *process, uint32_t event);
/* own is this one from now on, with as many events, which are others. The former one is the
 * caller's to destroy; neither runs. */
void mpxi_process_replace(struct mpxi_process *process, struct mpxi_set *own);

/*
 * Each returns the result of the call on own, or MPXI_ESYS where a thread has not answered within a
 * second. The result of a read or stop then has that thread's last known counts, that of a take none of
 * them; start is a success: the thread joins when it answers next. The set is stopped in any case after
 * stop.
 */
int mpxi_process_start(struct mpxi_process *process);
int mpxi_process_stop(struct mpxi_process *process);
int mpxi_process_reset(struct mpxi_process *process);
int mpxi_process_read(struct mpxi_process *process);
int mpxi_process_take(struct mpxi_process *process);

/* As of the last read, take, reset or stop: all threads' stretches, and what they come to. */
const struct mpxi_pool *mpxi_process_pool(const struct mpxi_process *process, unsigned index);
const struct mpxi_result *mpxi_process_result(const struct mpxi_process *process, unsigned index);

/* ---- by every thread ------------------------------------------------------------------ */

/* In each call of MPX: answers what the thread is asked, and makes the members that it
 * lacks. fresh: it has been registered just now. Not with the library's lock. */
void mpxi_process_visit(struct mpxi_thread *thread, bool fresh);
/* The thread ends: its counts are left to the sets. No request comes after it. gone: PAPI
 * has forgotten the thread, and what was known last is what is left. */
void mpxi_process_leave(struct mpxi_thread *thread, bool gone);

/* In the handler: is something asked? Then it is either answered, with the core not held
 * and the thread not in PAPI, or put off. */
bool mpxi_process_is_asked_sig(struct mpxi_thread *thread);
void mpxi_process_answer_sig(struct mpxi_thread *thread);
void mpxi_process_put_off_sig(struct mpxi_thread *thread);

/* Around fork, before the library's lock is taken and after it is given back. */
void mpxi_process_before_fork(void);
void mpxi_process_after_fork(void);
/* No set is left. self: the state of the one thread that is here, or NULL. */
void mpxi_process_in_child(struct mpxi_thread *self);

#endif
