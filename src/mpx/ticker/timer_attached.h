/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_attached.h - slices of another thread's CPU time, whose ends are signals to the calling
 * thread: perf events of the kernel's task clock, opened on that thread. It may be one of another
 * process.
 *
 * A signal comes once, and the next one only after the handler has acted on it: where the calling
 * thread is slow, or has the signal blocked, one waits at most.
 */
#ifndef MPXI_TIMER_ATTACHED_H
#define MPXI_TIMER_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ticker/timer.h"

/* The caller's memory. */
struct mpxi_attached {
	struct mpxi_timer *own; /* the calling thread's: its signal and handler serve */
	struct mpxi_attached *next;
	pid_t tid;
	int fd, clock; /* ends slices; counts all the time */
	void *page;    /* the clock's: without one the kernel says of any event that it has ended */
	uint64_t slice_ns, event; /* the kernel's number of fd's event */
	uint64_t mended;          /* the clock when it was last opened anew */
	volatile bool armed;      /* partner: the handler */
	volatile bool loaded;     /* a signal will come, or waits. Partner: the handler */
	volatile uint64_t last;   /* of the clock */
	void (*tick_sig)(void *arg, void *context);
	void *arg;
	/* Set by open: its signal has come; before and after an exec by the calling thread. */
	void (*signal_sig)(struct mpxi_attached *timer, void *context);
	void (*hold)(struct mpxi_attached *timer, bool hold);
};

/*
 * Not armed. timer has all but own, tid and the functions as it likes. tick_sig is called as that of
 * mpxi_timers_create. Errors, with a message: MPXI_EINVAL (there is no such thread), MPXI_EPERM,
 * MPXI_ENOSUPP, MPXI_ENOMEM, MPXI_ESYS (no descriptor left).
 */
int mpxi_attached_open(struct mpxi_attached *timer, uint64_t slice_ns);
/* By the calling thread, before its own timer is closed. After it no tick comes; the clock stands. */
void mpxi_attached_close(struct mpxi_attached *timer);
/* In a forked child: the events are its parent's, too. */
void mpxi_attached_forget(struct mpxi_attached *timer);

/* As mpxi_timer_arm and mpxi_timer_disarm. */
int mpxi_attached_arm(struct mpxi_attached *timer);
void mpxi_attached_disarm(struct mpxi_attached *timer);
/* No tick has come for long: as mpxi_timer_mend, and the next signal comes in any case. */
bool mpxi_attached_mend(struct mpxi_attached *timer);

/* The thread's CPU time in ns since the open; timer is one of these. Calls read. */
uint64_t mpxi_attached_cpu_sig(void *timer);
/* It has ended: what has its number now is another one. Calls poll. */
bool mpxi_attached_has_ended(void *timer);

#endif
