/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_attached.h - slices of another thread's CPU time, whose ends are signals to the calling thread:
 * perf events of the kernel's task clock, opened on that other thread, the attached thread. The attached
 * thread may belong to another process.
 *
 * The next signal comes only after the handler has acted on the last one: if the calling thread is slow, or
 * has blocked the signal, at most one is pending.
 *
 * Terms: ticker/timer.h.
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
	/* descriptor of the event that ends slices; descriptor of an event that counts all the time */
	int fd, clock;
	void *page; /* mapping of clock; without a mapping the kernel reports POLLHUP for any event */
	uint64_t slice_ns, event; /* event: the kernel's id of the event behind fd */
	uint64_t mended;          /* clock value when fd was last reopened */
	volatile bool armed;      /* read by the handler on the same thread */
	/* a signal will come, or is pending; cleared by the handler on the same thread */
	volatile bool loaded;
	volatile uint64_t last; /* last value read from clock, ns */
	void (*tick_sig)(void *arg, void *context);
	void *arg;
	/* Set by mpxi_attached_open. The handler calls signal_sig when the timer's signal has come. hold
	 * stops the timer before an exec by the calling thread (true), or continues it after the exec
	 * has failed (false). */
	void (*signal_sig)(struct mpxi_attached *timer, void *context);
	void (*hold)(struct mpxi_attached *timer, bool hold);
};

/*
 * Open the timer without arming it. The caller has set own, tid and the functions; other fields may have
 * any value. tick_sig is called as the function of mpxi_timers_create. Errors, with a message: MPXI_EINVAL
 * (no such thread), MPXI_EPERM, MPXI_ENOSUPP, MPXI_ENOMEM, MPXI_ESYS (no descriptor left).
 */
int mpxi_attached_open(struct mpxi_attached *timer, uint64_t slice_ns);
/* Close the timer, on the calling thread and before that thread's own timer is closed. Afterwards no
 * tick comes, and mpxi_attached_cpu_sig returns the last value. */
void mpxi_attached_close(struct mpxi_attached *timer);
/* Close the descriptors in a forked child, without stopping the events, which the parent still uses. */
void mpxi_attached_forget(struct mpxi_attached *timer);

/* Arm or disarm, as mpxi_timer_arm and mpxi_timer_disarm. */
int mpxi_attached_arm(struct mpxi_attached *timer);
void mpxi_attached_disarm(struct mpxi_attached *timer);
/* Repair the timer after a long time without ticks, as mpxi_timer_mend. The event is opened again, so
 * that the next signal comes in any case. */
bool mpxi_attached_mend(struct mpxi_attached *timer);

/* Return the attached thread's CPU time in ns since mpxi_attached_open. timer is a struct mpxi_attached.
 * Calls read. */
uint64_t mpxi_attached_cpu_sig(void *timer);
/* True if the attached thread has ended; its thread id may then belong to another thread. Calls poll. */
bool mpxi_attached_has_ended(void *timer);

#endif
