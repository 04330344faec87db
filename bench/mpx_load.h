/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_load.h - a program of which is known what it does: 64 events of the kernel that no
 * PMU is needed for, and how often each one came.
 *
 * An iteration is one operation: a system call, a page fault, a packet to the thread
 * itself, a hand-over to another thread and back. Steady loads go round all operations.
 * Phased ones have phases of unequal lengths with a mix each, in which a third of the
 * operations come twenty times as often as the others.
 */
#ifndef MPX_LOAD_H
#define MPX_LOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { MPX_LOAD_EVENTS = 64 };

struct mpx_load;

/* PAPI's name of an event, without the component. */
const char *mpx_load_event(unsigned event);

/* The calling thread's; it moves to the CPU, as does the thread that it talks to. Ends the
 * program where the machine has not what it takes. */
struct mpx_load *mpx_load_create(unsigned cpu);
void mpx_load_destroy(struct mpx_load *load);

/* seed: of the phases. */
void mpx_load_run(struct mpx_load *load, uint64_t iterations, bool phased, uint64_t seed);

/* How often the event came in all runs so far. */
uint64_t mpx_load_count(const struct mpx_load *load, unsigned event);

#endif
