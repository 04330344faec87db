/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slices.h - ends the time slices of multiplexed sets, with one timer in each thread whose events take
 * turns.
 *
 * Terms: runtime/turns.h.
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
 * Return 0, or an error of mpx's core (core/error.h) with a message: MPXI_EISRUN (the thread already ends
 * the slices of another core), MPXI_ESYS (the thread is ending), MPXI_ENOMEM, or an error of the timers.
 * Context: the counted thread, in ordinary context. After one success, a signal handler of the program may
 * also call this function in that thread, for slices of the same length.
 */
int mpxi_slices_begin(_Atomic(struct mpxi_ticker *) *holder, struct mpxi_core *core, uint64_t ns);

/*
 * Stop the ticks. No tick reaches the core afterwards. Context: any thread. The only signal handlers that
 * may call this function are those of the ticker's thread.
 */
void mpxi_slices_end(_Atomic(struct mpxi_ticker *) *holder);

/*
 * Repair the timer if ticks are missing (mpxi_timer_mend). Return the result of mpxi_timer_mend, or false
 * if the holder's ticker is not the calling thread's. Context: the ticker's thread.
 */
bool mpxi_slices_overdue(_Atomic(struct mpxi_ticker *) const *holder);

/* True if the holder's ticker belongs to another thread, which has not ended. */
int mpxi_slices_foreign(_Atomic(struct mpxi_ticker *) const *holder);

#endif /* MPXI_SLICES_H */
