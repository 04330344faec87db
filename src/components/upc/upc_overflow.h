/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_overflow.h - PAPI_overflow and PAPI_profil in hardware: sets the thresholds of a set's
 * events, and passes their interrupts to the user's handler. Includes PAPI's internal headers.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_OVERFLOW_H
#define UPC_OVERFLOW_H

#include <signal.h>
#include <stdint.h>

#include "upc_set.h"
#include "upc_tables.h"

/*
 * PAPI's control state of an event set. PAPI allocates it, filled with zeros. A pointer to this
 * structure is also a pointer to its member set.
 */
struct upcp_state {
	struct upcp_set set;       /* must be the first member */
	int told_lost, told_wrong; /* a lost source, or a wrong value, has been reported */
	EventSetInfo_t *owner;     /* PAPI's set; NULL until its first threshold     */
	int signals;               /* non-zero: holds the overflow signal            */
	uintptr_t address;         /* address of the program's call of PAPI, or 0    */
	uintptr_t reader;          /* result of upcp_caller_of_reader in the last read */
	/*
	 * Non-zero while the user's handler runs during a replay. The unit is then stopped between
	 * two cycles, and its registers may be read.
	 */
	volatile sig_atomic_t interrupting;
	struct upcp_tables good; /* PAPI's tables after the last success          */
};

/*
 * Prepare overflow handling for the component with index component. A replay interrupts by a
 * function call. The simulated node sends one signal for all queued interrupts. Other sources send
 * one signal for each interrupt.
 */
void upcp_overflow_open(int component, int is_replay, int is_simulation);

/* Record that PAPI now knows the calling thread. */
void upcp_overflow_enter_thread(void);

/*
 * End overflow handling when PAPI is shut down and frees its structures of threads. Later overflows
 * are ignored. The function waits for handlers that run in other threads, but at most 0.1 s, because
 * the user's handler may have been left by longjmp or may wait for this thread.
 */
void upcp_overflow_close(void);

/*
 * Function set_overflow of PAPI's vector. Sets the unit's thresholds to those of PAPI's tables, and
 * restores PAPI's tables on failure. Return 0 or an error of libupc; *papi is PAPI's error if not
 * PAPI_OK.
 */
int upcp_overflow_set(EventSetInfo_t *owner, int *papi);

/*
 * Forget the overflow state of a set that PAPI frees. Its unit, with the thresholds, is already
 * destroyed.
 */
void upcp_overflow_forget(struct upcp_state *state);

/*
 * Function dispatch_timer of PAPI's vector. Handles the overflow signal, and the signal of the
 * timer that PAPI uses for software overflow.
 */
void upcp_overflow_on_signal(int signal, siginfo_t *info, void *context);

#endif /* UPC_OVERFLOW_H */
