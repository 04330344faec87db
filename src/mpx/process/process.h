/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - event sets that are summed over all registered threads. Each thread has a member: an event
 * set of its own core with the same events. Only the owner calls functions on the set. A call sends
 * requests to the other threads, which apply them to their members in the handler of the slice signal, or
 * in their next call of MPX.
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

/* A thread's mailbox, for one request at a time. */
struct mpxi_request {
	/* Partners: the requesting thread, and the handler or call of this thread that takes the request
	 * first. */
	_Atomic uint32_t state;
	atomic_uint put_off; /* number of signals that found the thread where it could not act */
	enum mpxi_wish wish; /* written before state, like member; error is written before ANSWERED */
	struct mpxi_member *member;
	int error;
};

/* ---- calls of the owner ---------------------------------------------------------------- */

/* Create a process-wide set. own is the owner's member; the caller keeps it, but must add and remove its
 * events only through these calls. MPXI_ENOMEM. */
int mpxi_process_create(struct mpxi_thread *owner, struct mpxi_set *own, struct mpxi_process **process);
/* Destroy the set, after stopping it if it runs. Call this before own is destroyed. gone: PAPI has
 * forgotten the owner, so own is not stopped. */
void mpxi_process_destroy(struct mpxi_process *process, bool gone);

/* Add or remove an event. Errors and the index are those of the calls on own. */
int mpxi_process_add(struct mpxi_process *process, uint32_t event);
int mpxi_process_remove(struct mpxi_process *process, uint32_t event);
/* Replace own by a set with the same number of other events. The caller destroys the former own; neither
 * runs. */
void mpxi_process_replace(struct mpxi_process *process, struct mpxi_set *own);

/*
 * Return the result of the call on own, or MPXI_ESYS if a thread has not answered within a second. A read
 * or stop then includes that thread's last known counts, a take none of its counts. A start succeeds, and
 * the thread joins at its next answer. After a stop the set is stopped in any case.
 */
int mpxi_process_start(struct mpxi_process *process);
int mpxi_process_stop(struct mpxi_process *process);
int mpxi_process_reset(struct mpxi_process *process);
int mpxi_process_read(struct mpxi_process *process);
int mpxi_process_take(struct mpxi_process *process);

/* Return the stretches of all threads, and their result, as of the last read, take, reset or stop. */
const struct mpxi_pool *mpxi_process_pool(const struct mpxi_process *process, unsigned index);
const struct mpxi_result *mpxi_process_result(const struct mpxi_process *process, unsigned index);

/* ---- calls of every thread ------------------------------------------------------------- */

/* Answer the request to the thread, and create its missing members. Called in each call of MPX, without the
 * library's lock. fresh: the thread has just been registered. */
void mpxi_process_visit(struct mpxi_thread *thread, bool fresh);
/* Remove the thread's members at its end; their counts stay in the sets. No request comes afterwards. gone:
 * PAPI has forgotten the thread, and only its last known counts stay. */
void mpxi_process_leave(struct mpxi_thread *thread, bool gone);

/* In the handler: check for a request. It must then be answered, if the core is not held and the thread is
 * not in PAPI, or deferred. */
bool mpxi_process_is_asked_sig(struct mpxi_thread *thread);
void mpxi_process_answer_sig(struct mpxi_thread *thread);
void mpxi_process_put_off_sig(struct mpxi_thread *thread);

/* Called around fork, before the library's lock is taken and after it is released. */
void mpxi_process_before_fork(void);
void mpxi_process_after_fork(void);
/* Free all sets in a forked child. self: the state of the only thread, or NULL. */
void mpxi_process_in_child(struct mpxi_thread *self);

#endif
