/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - units of the simulated node on which this program runs: the guest's side of the doorbell
 * (doorbell.h).
 *
 * Terms:
 *   simulated node  a Blue Gene/P node of four cores on which upc_run runs a program
 *   simulator       upc_run's plugin of the emulator, which counts what the program executes
 *   guest           a program on the simulated node, with the libupc in it
 *   own core        the core of a thread: thread n runs on core n modulo 4
 *
 * More terms: engine/engine.h, engine/threshold.h.
 */
#ifndef UPCI_SIM_H
#define UPCI_SIM_H

#include <stdbool.h>

#include "node/doorbell.h"

/* Get the properties of the node. Return 0, or UPC_ENOSUPP with message: there is no simulator, it is of
 * another release, or it does not count this process. */
int upci_sim_hello(struct upci_doorbell_hello *node);

struct upci_sim;

/* Create a context of the calling thread, in reset state. Return 0, or an error with message: UPC_ENOMEM,
 * UPC_ENOSUPP. */
int upci_sim_create(struct upci_sim **sim);
void upci_sim_destroy(struct upci_sim *sim);
void upci_sim_forked(struct upci_sim *sim);

/* True if the context counts, so that a copy of its registers is stale. */
bool upci_sim_runs(const struct upci_sim *sim);
/* True if the calling thread created the context. */
bool upci_sim_is_callers(const struct upci_sim *sim);

/* upci_sim_read and upci_sim_write access a register by offset and return 0 or UPC_EFAULT. A write that sets
 * the run bit can also return an error with message. upci_sim_peek copies all registers without the side
 * effects of a read. upci_sim_flip flips a bit of an array word. */
int upci_sim_read(struct upci_sim *sim, unsigned offset, uint64_t *value);
int upci_sim_write(struct upci_sim *sim, unsigned offset, uint64_t value);
void upci_sim_peek(const struct upci_sim *sim, uint64_t *counter, uint8_t *field, bool *suspect);
void upci_sim_flip(struct upci_sim *sim, unsigned counter, unsigned bit);

/* Set an event's count, or set the counts of many events to 0 at the same moment (one bit per counter). */
void upci_sim_preset(struct upci_sim *sim, unsigned counter, uint64_t count);
void upci_sim_clear(struct upci_sim *sim, const uint64_t *counters);
/* Set an event's threshold, or the signal of its interrupts. Return 0, or UPC_EINVAL without message. */
int upci_sim_set_period(struct upci_sim *sim, unsigned counter, uint64_t period);
int upci_sim_set_signal(struct upci_sim *sim, int signal);
/* Get the counter that a signal was for. False if nothing is left. Async-signal-safe. */
bool upci_sim_fetch(const struct upci_sim *sim, unsigned *counter);
/* Bind an input to a counter of the patch panel: UPCI_PANEL_*, or an id (doorbell.h). */
void upci_sim_bind(struct upci_sim *sim, unsigned counter, unsigned panel);

#endif
