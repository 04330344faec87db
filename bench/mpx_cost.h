/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_cost.h - what the two parts of mpx_cost share.
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

/* End the program with a message where error is one of PAPI's, or have is false. */
void check(int error, const char *what);
void need(bool have, const char *what);

/* Opens an event of the calling thread in the group of that leader, -1: in one of its own. */
int open_perf(struct perf_event_attr *attr, int leader);

/* Handlers that count ticks: one does no more, one switches two bare perf groups. */
extern volatile sig_atomic_t ticks;
void empty_sig(int number);
void raw_switch_sig(int number);
void raw_stop(void);
void handle(int number, void (*handler)(int));

/* A set of so many events counts in slices of task clock. */
void start_mpx(uint64_t slice_ns, unsigned events);
void end_mpx(void);
void scrub_stack(void);

/* Prints what slices of this length cost a program. */
void program(uint64_t slice_ns, const char *name);

#endif
