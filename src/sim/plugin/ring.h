/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring.h - the simulator's side of the doorbell (src/upc/node/doorbell.h).
 */
#ifndef UPCS_RING_H
#define UPCS_RING_H

#include <stdint.h>

/* Doorbell of the caller: nothing happens where it is none that can be answered. */
void upcs_ring(uint64_t operation, uint64_t context, uint64_t a, uint64_t b, uint64_t answer);

#endif
