/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_attached.h - slices of another thread's CPU time, whose ends are signals to the calling thread:
 * perf events of the kernel's task clock, opened on that other thread. It may belong to another
 * process.
 *
 * The next signal comes only after the handler has acted on the last one: if the calling thread is slow, or
 * has blocked the signal, at most one is pending.
 */
#ifndef MPXI_TIMER_ATTACHED_H
#define MPXI_TIMER_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ticker/timer.h"

/* An attached timer, in memory of the caller. */
struct mpxi_attached {
	struct mpxi_timer *own; /* the calling thread's timer, whose signal and handler are shared */
	struct mpxi_attached *next;
	pid_t tid;
	int fd, clock;            /* event that ends slices; event that always counts */
	void *page;               /* mapping of clock: without it the kernel reports POLLHUP for any event */
	uint64_t slice_ns, event; /* event: the kernel's id of fd's event */
	uint64_t mended;          /* clock value when fd was last reopened */
	volatile bool armed;      /* partner: the handler */
	volatile bool loaded;     /* a signal will come, or is pending. Partner: the handler */
	volatile uint64_t last;   /* last value of clock, ns */
	void (*tick_sig)(void *arg, void *context);
	void *arg;
	/* Set by open. signal_sig: the timer's signal has come. hold: stop before an exec by the calling
	 * thread, or continue after it failed. */
	void (*signal_sig)(struct mpxi_attached *timer, void *context);
	void (*hold)(struct mpxi_attached *timer, bool hold);
};

/*
 * Open the timer, not armed. The caller has set own, tid and the functions; other fields may have any
 * value. tick_sig is called like that of mpxi_timers_create. Errors, with a message: MPXI_EINVAL (no such
 * thread), MPXI_EPERM, MPXI_ENOSUPP, MPXI_ENOMEM, MPXI_ESYS (no descriptor left).
 */
int mpxi_attached_open(struct mpxi_attached *timer, uint64_t slice_ns);
/* Close the timer on the calling thread, before its own timer is closed. After that no tick comes and the
 * clock stops. */
void mpxi_attached_close(struct mpxi_attached *timer);
/* Close the descriptors in a forked child: the events are also the parent's. */
void mpxi_attached_forget(struct mpxi_attached *timer);

/* Arm or disarm, as mpxi_timer_arm and mpxi_timer_disarm. */
int mpxi_attached_arm(struct mpxi_attached *timer);
void mpxi_attached_disarm(struct mpxi_attached *timer);
/* Repair the timer after a long time without ticks, as mpxi_timer_mend, so that the next signal comes in
 * any case. */
bool mpxi_attached_mend(struct mpxi_attached *timer);

/* Return the attached thread's CPU time in ns since the open; timer is a struct mpxi_attached. Calls read. */
uint64_t mpxi_attached_cpu_sig(void *timer);
/* True if the attached thread has ended; its number may then belong to another thread. Calls poll. */
bool mpxi_attached_has_ended(void *timer);

#endif
