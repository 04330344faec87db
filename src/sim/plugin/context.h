/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - units of the program's own threads, which it makes and uses by doorbells
 * (ring.h): what they count, and whom they interrupt.
 *
 * A context is the totals engine of one thread. It looks at the thread's tallies when a
 * doorbell rings for it, and adds what they have grown by: so whatever software does to it is
 * between the last instruction before the call and the first behind it.
 *
 * While a counter of it has a threshold to meet, the thread is attended: each block goes the
 * slow way (upcs_thread_attend_locked), which knows how many counts are left to the next
 * threshold, and looks when a block has used them up. Threads without thresholds pay nothing.
 *
 * All of it is under the lock of threads and folding (upcs_process_hold), so that a fork finds
 * it whole; nothing here takes another but malloc's. No guest's signal is handled meanwhile.
 */
#ifndef UPCS_CONTEXT_H
#define UPCS_CONTEXT_H

#include "node/doorbell.h"
#include "decode/model.h"
#include "engine/totals.h"

struct upcs_context {
	uint64_t id;    /* place and serial number: an old one is not taken for a new */
	uint32_t owner; /* index of its thread's record; UPCS_NO_THREAD: nobody's */
	struct upci_totals totals;
	uint64_t seen[UPCS_TALLIES]; /* what totals has been told of the thread's tallies */
	uint16_t panel[UPC_COUNTERS];
	unsigned bound;                        /* counters whose panel carries something */
	int signal;                            /* the host's number, 0: none */
	bool signalled;                        /* and not fetched all since */
	struct upci_doorbell_interrupt *queue; /* a ring */
	uint32_t first, queued, room;
	uint64_t lost;
};

/* The caller begins a block, or part of one, of this kind, and upcs_counting is NULL: counts
 * it. */
void upcs_context_block(unsigned vcpu, uint32_t kind);

/* In a forked child, behind upcs_process_forked: the parent's contexts of the caller are the
 * caller's, from zero growth on and stopped, those of others nobody's. */
void upcs_context_forked(void);
/* The caller's last block is behind it: its contexts have its counts, and are nobody's from then on,
 * since its record is to be another's. */
void upcs_context_thread_ends(void);

/* ---- under the lock ------------------------------------------------------------------ */

/* Creates a context of the caller, which has a record; NULL: no memory, or no place. */
struct upcs_context *upcs_context_create_locked(void);
void upcs_context_destroy_locked(struct upcs_context *context);
/* NULL: there is none. */
struct upcs_context *upcs_context_find_locked(uint64_t id);

/* Adds what the thread's tallies have grown by. */
void upcs_context_look_locked(struct upcs_context *context);
/* Something was changed by hand: tells of what that raised, and sees to it that the thread meets
 * what is armed now. */
void upcs_context_changed_locked(struct upcs_context *context);
/* Interrupts that nobody has fetched: as if there had been none. */
void upcs_context_forget_locked(struct upcs_context *context);
/* The oldest interrupt. False: there is none, and the next one is signalled again. */
bool upcs_context_fetch_locked(struct upcs_context *context, struct upci_doorbell_interrupt *interrupt);

#endif
