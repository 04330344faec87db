/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nest.h - regions that are pushed and popped. A pop names no region; it ends the last one of its kind that
 * the thread has pushed. Regions of different kinds may overlap.
 * Terms: region/front/front.h.
 */
#ifndef UPCR_NEST_H
#define UPCR_NEST_H

/* Base numbers of kinds. A kind is a base number plus the label of a domain or attribute, below 0x1000. */
enum { UPCR_OF_NVTX = 0, UPCR_OF_KOKKOS = 0x1000, UPCR_OF_CALIPER = 0x2000, UPCR_OF_ITT = 0x3000 };

/* Start a region, and return its level, from 0 on, among those of its kind. */
int upcr_push(unsigned kind, unsigned name);
/* End the innermost region of its kind, and return its level; -1 if none is pushed. */
int upcr_pop(unsigned kind);

#endif
