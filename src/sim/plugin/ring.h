/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring.h - the simulator's side of the doorbell (src/upc/node/doorbell.h).
 *
 * Terms: plugin/context.h.
 */
#ifndef UPCS_RING_H
#define UPCS_RING_H

#include <stdint.h>

/* Answer the caller's doorbell. Nothing happens if the answer cannot be written, or the guest has no
 * doorbells. */
void upcs_ring(uint64_t operation, uint64_t context, uint64_t a, uint64_t b, uint64_t answer);

#endif
