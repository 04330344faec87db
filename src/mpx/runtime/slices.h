/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slices.h - the time slices of multiplexed sets: one timer in each thread whose events take turns.
 */
#ifndef MPXI_SLICES_H
#define MPXI_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

/* A thread's timer, which ends the slices of one core at a time. */
struct mpxi_ticker;

/*
 * End the core's slices every ns nanoseconds of the calling thread's CPU time, until
 * mpxi_slices_end. *holder becomes the thread's ticker, and NULL again when mpxi_slices_end is
 * called or the thread ends.
 *
 * Return 0, or an error of MPX's core with mpxi_error's message: MPXI_EISRUN (the thread already
 * ends the slices of another core), MPXI_ESYS (the thread is ending), MPXI_ENOMEM, or an error of
 * the timers. Context: the counted thread. After one success, also a signal handler of the program,
 * for slices of the same length.
 */
int mpxi_slices_begin(_Atomic(struct mpxi_ticker *) *holder, struct mpxi_core *core, uint64_t ns);

/*
 * Stop the ticks: none reaches the core afterwards. Context: any thread. The only signal handlers
 * that may call this function are those of the ticker's thread.
 */
void mpxi_slices_end(_Atomic(struct mpxi_ticker *) *holder);

/*
 * Handle missing ticks. Return mpxi_timer_mend's result, or false if the calling thread does not
 * tick for this holder. Context: the ticker's thread.
 */
bool mpxi_slices_overdue(_Atomic(struct mpxi_ticker *) const *holder);

/* True if the ticker belongs to a living thread other than the calling one. */
int mpxi_slices_foreign(_Atomic(struct mpxi_ticker *) const *holder);

#endif /* MPXI_SLICES_H */
