/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_kind.h - declarations shared by the kinds of slice timers: the operations of each kind, and the
 * state of the process, which timer.c maintains.
 */
#ifndef MPXI_TIMER_KIND_H
#define MPXI_TIMER_KIND_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ticker/timer.h"

/* All operations except close and forget set a message when they fail; then nothing has changed. */
struct mpxi_timer_ops {
	enum mpxi_timer_kind kind;
	/* Open a timer whose tid, slice and timers are set. The signal may have no handler yet. */
	int (*open)(struct mpxi_timer *timer);
	/* Close the timer. After that nothing sends the signal; a signal sent before may be pending. */
	void (*close)(struct mpxi_timer *timer);
	int (*arm)(struct mpxi_timer *timer);
	void (*disarm)(struct mpxi_timer *timer);
	/* Release the timer in a forked child. */
	void (*forget)(struct mpxi_timer *timer);
	/* Restore what the program may have taken from the timer. Return true if anything had to be
	 * restored. NULL: nothing can be restored. */
	bool (*mend)(struct mpxi_timer *timer);
};

extern const struct mpxi_timer_ops mpxi_timer_task_clock, mpxi_timer_posix, mpxi_timer_virtual;

struct mpxi_timers {
	const struct mpxi_timer_ops *ops;
	uint64_t slice_ns; /* default for timers that are opened without another length, ns */
	int signo;
	atomic_bool holds_sigio; /* our handler is installed for SIGIO, too: see timer_signal.c */
	void (*tick_sig)(void *context);
	struct sigaction before, ours;
};

/*
 * Forward VIRTUAL's signal, which the kernel has sent to any thread, to all armed threads except the
 * caller's, whose slot is own (NULL without one). False if another thread is forwarding at this moment: the
 * caller gets its tick from that thread.
 */
bool mpxi_timer_forward_sig(const _Atomic(pid_t) *own);

/* Pause and resume around an exec, on a thread that has blocked the signal; timer is its own or NULL. */
void mpxi_timer_virtual_pause(struct mpxi_timer *timer);
void mpxi_timer_virtual_resume(struct mpxi_timer *timer);
/* Reset in a forked child, which has neither the parent's threads nor its interval timer. */
void mpxi_timer_virtual_forget(void);

struct perf_event_attr;
/* timer_task_clock.c: Open an event of a thread's task clock, limited to user mode if the kernel refuses
 * more. The descriptor is never that of a standard stream. -1 with errno. */
int mpxi_task_clock_event(struct perf_event_attr *attr, pid_t tid);
/* Open a stopped event that overflows each period. -1 with errno. */
int mpxi_task_clock_sample(uint64_t period_ns, bool user_only, pid_t tid);
/* Make its overflows send the signal to that thread. -1 with errno. */
int mpxi_task_clock_send(int fd, int signo, pid_t tid);
/* True if the descriptor is of the event with this id (PERF_EVENT_IOC_ID). Programs close descriptors that
 * are not theirs, and the number may then belong to another file. */
bool mpxi_task_clock_is(int fd, uint64_t event);

/* Repair changes that the program has made to the signal while the timer was not armed: see
 * mpxi_timer_arm. */
int mpxi_timer_prepare(struct mpxi_timer *timer);

/* timer_signal.c: Install handler for timers->signo, or for the first free signal if that is 0. give_back
 * restores the previous handler. */
int mpxi_timer_signal_take(struct mpxi_timers *timers, void (*handler)(int, siginfo_t *, void *));
void mpxi_timer_signal_give_back(struct mpxi_timers *timers);
enum mpxi_timer_handler {
	MPXI_HANDLER_OURS,
	MPXI_HANDLER_MENDED, /* was default or ignored: ours again */
	MPXI_HANDLER_TAKEN,  /* the program's handler is installed */
};
enum mpxi_timer_handler mpxi_timer_signal_mend(struct mpxi_timers *timers);
/* Consume the signals pending for the calling thread, which has them blocked. */
void mpxi_timer_signal_drain(int signo);
void mpxi_timer_signal_forget(void);

#endif
