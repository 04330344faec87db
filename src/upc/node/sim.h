/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - units of the simulated node that this program runs on: the guest's side of the
 * doorbell (doorbell.h).
 */
#ifndef UPCI_SIM_H
#define UPCI_SIM_H

#include <stdbool.h>

#include "node/doorbell.h"

/* Which node it is. Errors with message: UPC_ENOSUPP (there is none, or one of another
 * release, or it is not to count this process). */
int upci_sim_hello(struct upci_doorbell_hello *node);

struct upci_sim;

/* A context of the calling thread, in reset state. Errors with message: UPC_ENOMEM,
 * UPC_ENOSUPP. */
int upci_sim_create(struct upci_sim **sim);
void upci_sim_destroy(struct upci_sim *sim);
void upci_sim_forked(struct upci_sim *sim);

/* Whether it counts, so that a copy of its registers is old. */
bool upci_sim_runs(const struct upci_sim *sim);
/* Whether it is the calling thread's. */
bool upci_sim_is_callers(const struct upci_sim *sim);

/* Registers by offset, 0 or UPC_EFAULT; a start has an error with message. All of them without
 * what reading does. Flips a bit of an array word. */
int upci_sim_read(struct upci_sim *sim, unsigned offset, uint64_t *value);
int upci_sim_write(struct upci_sim *sim, unsigned offset, uint64_t value);
void upci_sim_peek(const struct upci_sim *sim, uint64_t *counter, uint8_t *field, bool *suspect);
void upci_sim_flip(struct upci_sim *sim, unsigned counter, unsigned bit);

/* Sets an event's count, or those of many to 0 in one moment (a bit each). */
void upci_sim_preset(struct upci_sim *sim, unsigned counter, uint64_t count);
void upci_sim_clear(struct upci_sim *sim, const uint64_t *counters);
/* An event's threshold, and the signal that tells of it: 0, or UPC_EINVAL without message. */
int upci_sim_set_period(struct upci_sim *sim, unsigned counter, uint64_t period);
int upci_sim_set_signal(struct upci_sim *sim, int signal);
/* The counter that a signal was for. Signal handlers call it. False: nothing is left. */
bool upci_sim_fetch(const struct upci_sim *sim, unsigned *counter);
/* Sets the input of a counter of the patch panel: UPCI_PANEL_*, or an id (doorbell.h). */
void upci_sim_bind(struct upci_sim *sim, unsigned counter, unsigned panel);

#endif
