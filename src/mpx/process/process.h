/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - event sets that are summed over all registered threads. Each other thread has a member: an
 * event set in that thread's core, with the same events. Only the owner may call functions on a
 * process-wide set. Such a call sends requests to the other threads, which carry them out on their members
 * in the handler of the slice signal, or in their next call of MPX.
 *
 * Terms: process/thread.h.
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

/* The action that a request asks for. */
enum mpxi_wish {
	MPXI_WISH_START,
	MPXI_WISH_READ,
	MPXI_WISH_TAKE,
	MPXI_WISH_RESET,
	MPXI_WISH_STOP,
};

/* A thread's request. A thread has at most one at a time. */
struct mpxi_request {
	/* FREE, ASKED, TAKEN or ANSWERED (process_ask.c). The requesting thread and this thread both
	 * change it; on this thread either a handler or a call does. */
	_Atomic uint32_t state;
	atomic_uint put_off; /* number of signals that came while the thread could not act */
	/* wish and member are written before state becomes ASKED, error before ANSWERED */
	enum mpxi_wish wish;
	struct mpxi_member *member;
	int error;
};

/* ---- calls of the owner ---------------------------------------------------------------- */

/* Create a process-wide set. own is the part that counts in the owner. It still belongs to the caller,
 * who must add and remove its events only with the functions below. Error: MPXI_ENOMEM. */
int mpxi_process_create(struct mpxi_thread *owner, struct mpxi_set *own, struct mpxi_process **process);
/* Destroy the set, after stopping it if it runs. Must be called before own is destroyed. gone: PAPI has
 * forgotten the owner, so own is not stopped. */
void mpxi_process_destroy(struct mpxi_process *process, bool gone);

/* Add or remove an event. Errors and the index are those of mpxi_set_add and mpxi_set_remove. */
int mpxi_process_add(struct mpxi_process *process, uint32_t event);
int mpxi_process_remove(struct mpxi_process *process, uint32_t event);
/* Replace own by a set with the same number of other events. The caller destroys the former own. Neither
 * of the two sets runs. */
void mpxi_process_replace(struct mpxi_process *process, struct mpxi_set *own);

/*
 * These functions do the same in all threads. They return the result of the call on own, or MPXI_ESYS if a
 * thread has not answered within a second. In that case a read or stop includes that thread's last known
 * counts, and a take none of its counts. mpxi_process_start succeeds all the same, and the thread begins to
 * count at its next answer. After mpxi_process_stop the set is stopped in any case.
 */
int mpxi_process_start(struct mpxi_process *process);
int mpxi_process_stop(struct mpxi_process *process);
int mpxi_process_reset(struct mpxi_process *process);
int mpxi_process_read(struct mpxi_process *process);
int mpxi_process_take(struct mpxi_process *process);

/* Return the pool of all threads' stretches, and its result, as of the last read, take, reset or stop. */
const struct mpxi_pool *mpxi_process_pool(const struct mpxi_process *process, unsigned index);
const struct mpxi_result *mpxi_process_result(const struct mpxi_process *process, unsigned index);

/* ---- calls of every thread ------------------------------------------------------------- */

/* Answer a request to the thread, and create its missing members. Called in each call of MPX, without
 * the library's lock. fresh: the thread has just been registered. */
void mpxi_process_visit(struct mpxi_thread *thread, bool fresh);
/* Remove the thread's members when the thread ends. Their counts stay in the process-wide sets. No
 * request comes to the thread afterwards. gone: PAPI has forgotten the thread, so only its last known
 * counts stay. */
void mpxi_process_leave(struct mpxi_thread *thread, bool gone);

/* Functions for the handler. mpxi_process_is_asked_sig is true if there is a request. The handler then
 * calls mpxi_process_answer_sig if the core is not held and the thread is not in PAPI, else
 * mpxi_process_put_off_sig. */
bool mpxi_process_is_asked_sig(struct mpxi_thread *thread);
void mpxi_process_answer_sig(struct mpxi_thread *thread);
void mpxi_process_put_off_sig(struct mpxi_thread *thread);

/* Called around fork, before the library's lock is taken and after it is released. */
void mpxi_process_before_fork(void);
void mpxi_process_after_fork(void);
/* Free all sets in a forked child. self: the state of the only thread, or NULL. */
void mpxi_process_in_child(struct mpxi_thread *self);

#endif
