/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - contexts: units of a simulated program's own threads, which the program creates and uses
 * through doorbells (ring.h).
 *
 * Terms (count/thread.h: block, kind, region, attended; load/symbols.h: place, interface):
 *   unit        256 counters with their configuration and one threshold register (UPC, section 4)
 *   engine      code that runs a unit's registers; the totals engine adds numbers of events
 *   doorbell    the system call by which a simulated program reaches the simulator (node/doorbell.h)
 *   owner       of a context: the thread that the context counts
 *   panel       the inputs 2 and 3 of the counters; a panel number names what they count (UPCI_PANEL_*)
 *   vCPU        QEMU's processor; each thread of a simulated program runs on a vCPU
 *   site        the beginning of a block or part, in a program with regions (not a site of count/region.h)
 *   end         of a site: the call, return or indirect jump at the end of its block, if there is one
 *   plain site  a site that enters no region or handler, and has no role; bare site: without an end, too
 *   late        of a region: found to begin at a site after the site's translation
 *   exact       of translation: a part ends after each instruction that may fault
 *   inline      of counting: a block adds to counts without a call of the plugin
 *   old code    translated blocks that must not be executed any more
 *
 * A context runs a totals engine for one thread. At each doorbell for the context, the growth of the thread's
 * tallies since the doorbell before is added to the engine. An operation on the context therefore takes
 * effect between the last instruction before the call and the first instruction after the call.
 *
 * While a counter of the context has a threshold to reach, the thread is attended: each block takes the slow
 * path (upcs_thread_attend_locked). This path subtracts the block's counts from the counts that are left to
 * the next threshold, and updates the context when none are left. Threads without thresholds have no such
 * cost.
 *
 * Contexts are protected by upcs_threads.lock (upcs_process_hold), so that a fork finds them consistent. No
 * other lock except malloc's is taken under this lock, and no signal of the guest is handled meanwhile.
 */
#ifndef UPCS_CONTEXT_H
#define UPCS_CONTEXT_H

#include "node/doorbell.h"
#include "decode/model.h"
#include "engine/totals.h"

struct upcs_context {
	uint64_t id;    /* index plus 1, and in the upper 32 bits a serial number that is never reused */
	uint32_t owner; /* index of the owner's record; UPCS_NO_THREAD: no owner */
	struct upci_totals totals;
	uint64_t seen[UPCS_TALLIES]; /* the owner's tallies when they were last added to totals */
	uint16_t panel[UPC_COUNTERS];
	unsigned bound; /* number of counters with a bound panel */
	int signal;     /* signal for interrupts, by the host's number; 0: none */
	bool signalled; /* the signal was sent, and not all interrupts have been fetched since */
	struct upci_doorbell_interrupt *queue; /* interrupts that were not fetched, in a ring buffer */
	uint32_t first, queued, room;
	uint64_t lost;
};

/* Count a block of this kind, or a part of one, that the caller begins while upcs_counting is NULL. */
void upcs_context_block(unsigned vcpu, uint32_t kind);

/* Called in a forked child after upcs_process_forked: the parent's contexts of the caller become the
 * caller's, stopped and counting from zero. Contexts of other threads lose their owner. */
void upcs_context_forked(void);
/* Called after the calling thread's last block. Adds the thread's last counts to its contexts, which then
 * have no owner, because another thread will use the thread's record. */
void upcs_context_thread_ends(void);

/* ---- under the lock ------------------------------------------------------------------ */

/* Create a context of the caller, which has a record. Return NULL if memory is short or the greatest number
 * of contexts exists. */
struct upcs_context *upcs_context_create_locked(void);
void upcs_context_destroy_locked(struct upcs_context *context);
/* Return the context with this id, or NULL. */
struct upcs_context *upcs_context_find_locked(uint64_t id);

/* Add the growth of the owner's tallies to the context. */
void upcs_context_look_locked(struct upcs_context *context);
/* Called after an operation changed the context: send a signal for new interrupts, and attend the thread if a
 * threshold is armed now. */
void upcs_context_changed_locked(struct upcs_context *context);
/* Drop the interrupts that were not fetched. */
void upcs_context_forget_locked(struct upcs_context *context);
/* Fetch the oldest interrupt. Return false if there is none; the next interrupt then sends a signal again. */
bool upcs_context_fetch_locked(struct upcs_context *context, struct upci_doorbell_interrupt *interrupt);

#endif
