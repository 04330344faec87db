/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_load.h - a load with known counts: 64 events of the kernel, for which no PMU is needed, and how often
 * each one happened.
 *
 * An iteration is one operation: a system call, a page fault, a packet to the thread itself, or a hand-over
 * to another thread and back. Steady loads do all operations in turn. Phased loads have phases of unequal
 * lengths. In each phase, a third of the operations happen twenty times as often as the others.
 */
#ifndef MPX_LOAD_H
#define MPX_LOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { MPX_LOAD_EVENTS = 64 };

struct mpx_load;

/* Return PAPI's name of an event, without the component. */
const char *mpx_load_event(unsigned event);

/* Create the load of the calling thread. Bind the thread and its partner thread to the CPU. Exit with a
 * message if the machine lacks something that the load needs. */
struct mpx_load *mpx_load_create(unsigned cpu);
void mpx_load_destroy(struct mpx_load *load);

/* Run the load. seed: determines the phases. */
void mpx_load_run(struct mpx_load *load, uint64_t iterations, bool phased, uint64_t seed);

/* Return how often the event happened in all runs so far. */
uint64_t mpx_load_count(const struct mpx_load *load, unsigned event);

#endif
