/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - units of the simulated node that this program runs on: the guest's side of the
 * doorbell (doorbell.h).
 */
#ifndef UPCI_SIM_H
#define UPCI_SIM_H

#include "node/doorbell.h"
#include "engine/exact.h"

/* Which node it is. Errors with message: UPC_ENOSUPP (there is none, or one of another
 * release, or it is not to count this process). */
int upci_sim_hello(struct upci_doorbell_hello *node);

/* A context of the calling thread, in reset state. Errors with message: UPC_ENOMEM,
 * UPC_ENOSUPP. */
int upci_sim_create(struct upci_exact **exact);

#endif
