/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nest.h - regions that are pushed and popped: a pop names none, and ends the last of its kind that the
 * thread has pushed. Those of different kinds may overlap.
 */
#ifndef UPCR_NEST_H
#define UPCR_NEST_H

/* A domain's or an attribute's number is added, below 0x1000. */
enum { UPCR_OF_NVTX = 0, UPCR_OF_KOKKOS = 0x1000, UPCR_OF_CALIPER = 0x2000, UPCR_OF_ITT = 0x3000 };

/* The level of the new one, from 0 on, among those of its kind. */
int upcr_push(unsigned kind, unsigned name);
/* The level of the one that ends; -1: none is pushed. */
int upcr_pop(unsigned kind);

#endif
