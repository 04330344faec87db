/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_overflow.h - PAPI_overflow and PAPI_profil in hardware: thresholds of a set's
 * events, and how their interrupts reach the user's handler. Includes PAPI's inside.
 */
#ifndef UPC_OVERFLOW_H
#define UPC_OVERFLOW_H

#include <signal.h>
#include <stdint.h>

#include "upc_set.h"
#include "upc_tables.h"

/* PAPI's control state of an event set: PAPI allocates it, all zero. A pointer to it
 * is one to its set. */
struct upcp_state {
	struct upcp_set set;       /* the first */
	int told_lost, told_wrong; /* that a source is gone, a value not the truth   */
	EventSetInfo_t *owner;     /* PAPI's set, known from its first threshold on  */
	int signals;               /* holds the overflow signal                      */
	uintptr_t address;         /* where the program has called from, or 0        */
	uintptr_t reader;          /* of the last read: upcp_caller_of_reader        */
	/* Non-zero while the user's handler runs on top of a play: libupc is at rest
	 * and its registers may be asked. */
	volatile sig_atomic_t interrupting;
	struct upcp_tables good; /* PAPI's tables as of the last success          */
};

/* Takes the component's index and how the source interrupts: by a call (a script), by one signal for
 * all that is queued (the simulated node), or by one signal each. */
void upcp_overflow_open(int component, int is_replay, int is_simulation);

/* PAPI knows the calling thread from here on. */
void upcp_overflow_enter_thread(void);

/*
 * PAPI is being shut down, and with it goes what it knows of threads: overflows that come later are
 * ignored, and their threads go on. Waits for handlers that are under way in other threads, 0.1 s at
 * most: one of the user's may have jumped out, or wait for this thread.
 */
void upcp_overflow_close(void);

/* PAPI's vector call: makes the unit's thresholds those of PAPI's tables. Where
 * that fails it puts PAPI's tables back; libupc's error, or PAPI's own where
 * *papi is set. */
int upcp_overflow_set(EventSetInfo_t *owner, int *papi);

/* The set goes: its thresholds are gone with its unit. */
void upcp_overflow_forget(struct upcp_state *state);

/* PAPI's vector call dispatch_timer, the handler of the overflow signal, and of the
 * timer with which PAPI emulates overflow. */
void upcp_overflow_on_signal(int signal, siginfo_t *info, void *context);

#endif /* UPC_OVERFLOW_H */
