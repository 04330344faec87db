/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slices.h - the time slices of multiplexed sets: a timer in each thread that has
 * events taking turns, and what its signal may interrupt.
 */
#ifndef MPXI_SLICES_H
#define MPXI_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

/* A thread's timer, while it ends the slices of a core. */
struct mpxi_ticker;

/*
 * The core's slices are ended every ns nanoseconds of the calling thread's CPU time,
 * until mpxi_slices_end. *holder becomes the thread's ticker, and NULL again when that
 * ends or the thread does. Errors, the core's, with mpxi_error's message: MPXI_EISRUN
 * (the thread ends the slices of another core), MPXI_ESYS (the thread is ending), MPXI_ENOMEM,
 * those of the timers. Context: the thread that is counted; once it has succeeded also in a handler
 * of the program's, for slices of the same length.
 */
int mpxi_slices_begin(_Atomic(struct mpxi_ticker *) *holder, struct mpxi_core *core, uint64_t ns);

/* From here on no tick reaches the core. Context: any thread; of handlers, those of the ticker's. */
void mpxi_slices_end(_Atomic(struct mpxi_ticker *) *holder);

/* No tick has come for long; mpxi_timer_mend's answer. Context: the ticker's thread. */
bool mpxi_slices_overdue(_Atomic(struct mpxi_ticker *) const *holder);

/* A ticker of a thread that lives, and is not the calling one. */
int mpxi_slices_foreign(_Atomic(struct mpxi_ticker *) const *holder);

#endif /* MPXI_SLICES_H */
