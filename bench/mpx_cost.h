/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_cost.h - functions that mpx_cost.c and mpx_cost_program.c share.
 */
#ifndef MPX_COST_H
#define MPX_COST_H

#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "mpx.h"

enum { GROUP = 4 }; /* events */

/* Exit with a message if error is a PAPI error, or have is false. */
void check(int error, const char *what);
void need(bool have, const char *what);

/* Open an event of the calling thread in the leader's group, or as a new leader if leader is -1. Return the
 * descriptor. */
int open_perf(struct perf_event_attr *attr, int leader);

/* Handlers that count ticks. empty_sig does nothing else; raw_switch_sig also switches two bare perf groups.
 */
extern volatile sig_atomic_t ticks;
void empty_sig(int number);
void raw_switch_sig(int number);
void raw_stop(void);
void handle(int number, void (*handler)(int));

/* Start a libmpx set of this number of events, with slices in task-clock time. */
void start_mpx(uint64_t slice_ns, unsigned events);
void end_mpx(void);
void scrub_stack(void);

/* Print the cost of slices of this length for a program. */
void program(uint64_t slice_ns, const char *name);

#endif
