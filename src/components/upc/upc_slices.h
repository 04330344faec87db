/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_slices.h - the time slices of multiplexed sets: a timer in each thread that has
 * events taking turns, and what its signal may interrupt.
 */
#ifndef UPC_SLICES_H
#define UPC_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpx/core/core.h"

/* A thread's timer, while it ends the slices of a core. */
struct upcp_ticker;

/*
 * The core's slices are ended every ns nanoseconds of the calling thread's CPU time,
 * until upcp_slices_end. *holder becomes the thread's ticker, and NULL again when that
 * ends or the thread does. Errors, the core's, with mpxi_error's message: MPXI_EISRUN
 * (the thread ends the slices of another core), MPXI_ESYS (the thread is ending), MPXI_ENOMEM,
 * those of the timers. Context: the thread that is counted; once it has succeeded also in a handler
 * of the program's, for slices of the same length.
 */
int upcp_slices_begin(_Atomic(struct upcp_ticker *) *holder, struct mpxi_core *core, uint64_t ns);

/* From here on no tick reaches the core. Context: any thread; of handlers, those of the ticker's. */
void upcp_slices_end(_Atomic(struct upcp_ticker *) *holder);

/* No tick has come for long; mpxi_timer_mend's answer. Context: the ticker's thread. */
bool upcp_slices_overdue(_Atomic(struct upcp_ticker *) const *holder);

/* A ticker of a thread that lives, and is not the calling one. */
int upcp_slices_foreign(_Atomic(struct upcp_ticker *) const *holder);

/* This thread is in a call of the component (upc.c). Context: signal handlers too. */
int upcp_inside_sig(void);

#endif /* UPC_SLICES_H */
