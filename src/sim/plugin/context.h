/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - units of the program's own threads, created and used through doorbells (ring.h): their counts
 * and interrupts.
 *
 * A context is the totals engine of one thread. When a doorbell rings for the context, it adds the growth of
 * the thread's tallies. An operation on the context therefore takes effect between the last instruction
 * before the call and the first one after it.
 *
 * While a counter of the context has a threshold to reach, the thread is attended: each block takes the slow
 * path (upcs_thread_attend_locked). This path subtracts the block's counts from those left to the next
 * threshold, and looks at the context when none are left. Threads without thresholds have no cost.
 *
 * All of this runs under the lock of threads and folding (upcs_process_hold), so that a fork finds it
 * consistent. No other lock is taken but malloc's, and no signal of the guest is handled meanwhile.
 */
#ifndef UPCS_CONTEXT_H
#define UPCS_CONTEXT_H

#include "node/doorbell.h"
#include "decode/model.h"
#include "engine/totals.h"

struct upcs_context {
	uint64_t id; /* place plus 1 and, above, a serial number, so that old ids do not match new contexts */
	uint32_t owner; /* index of its thread's record; UPCS_NO_THREAD: none */
	struct upci_totals totals;
	uint64_t seen[UPCS_TALLIES]; /* the thread's tallies that totals includes */
	uint16_t panel[UPC_COUNTERS];
	unsigned bound;                        /* number of counters with a bound panel */
	int signal;                            /* of the host; 0: none */
	bool signalled;                        /* signal sent, and interrupts not all fetched since */
	struct upci_doorbell_interrupt *queue; /* a ring */
	uint32_t first, queued, room;
	uint64_t lost;
};

/* Count a block of this kind, or a part of one, that the caller begins while upcs_counting is NULL. */
void upcs_context_block(unsigned vcpu, uint32_t kind);

/* Called in a forked child after upcs_process_forked: the parent's contexts of the caller become the
 * caller's, stopped and counting from zero. Contexts of other threads lose their owner. */
void upcs_context_forked(void);
/* Called after the caller's last block: its contexts take its last counts and lose their owner, because
 * another thread will use the caller's record. */
void upcs_context_thread_ends(void);

/* ---- under the lock ------------------------------------------------------------------ */

/* Create a context of the caller, which has a record. Return NULL if memory is short or all places are
 * taken. */
struct upcs_context *upcs_context_create_locked(void);
void upcs_context_destroy_locked(struct upcs_context *context);
/* Return the context with this id, or NULL. */
struct upcs_context *upcs_context_find_locked(uint64_t id);

/* Add the growth of the thread's tallies to the context. */
void upcs_context_look_locked(struct upcs_context *context);
/* Called after an operation changed the context: send a signal for new interrupts, and attend the thread if a
 * threshold is armed now. */
void upcs_context_changed_locked(struct upcs_context *context);
/* Drop the interrupts that were not fetched. */
void upcs_context_forget_locked(struct upcs_context *context);
/* Fetch the oldest interrupt. Return false if there is none; the next interrupt then sends a signal again. */
bool upcs_context_fetch_locked(struct upcs_context *context, struct upci_doorbell_interrupt *interrupt);

#endif
