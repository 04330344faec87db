/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_kind.h - declarations shared by the kinds of slice timers: the operations of each kind, and the
 * state of the process, which timer.c maintains.
 *
 * Terms: ticker/timer.h.
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
	/* Close the timer. Afterwards nothing sends the signal, but a signal that was sent before may be
	 * pending. */
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
 * Forward VIRTUAL's signal, which the kernel has sent to the calling thread, to all other threads whose
 * timers are armed. own is the calling thread's slot; NULL: it has none. Return false if another thread is
 * forwarding the signal at this moment; the caller then gets its tick from that thread.
 */
bool mpxi_timer_forward_sig(const _Atomic(pid_t) *own);

/* Pause and resume VIRTUAL around an exec, on a thread that has blocked the signal. timer is the
 * thread's timer, or NULL. */
void mpxi_timer_virtual_pause(struct mpxi_timer *timer);
void mpxi_timer_virtual_resume(struct mpxi_timer *timer);
/* Reset VIRTUAL in a forked child, which has neither the parent's other threads nor its interval timer. */
void mpxi_timer_virtual_forget(void);

struct perf_event_attr;
/* timer_task_clock.c: Open an event of a thread's task clock. If the kernel does not permit counting
 * kernel mode, the event counts user mode only. The descriptor is never that of a standard stream.
 * Return -1 with errno on failure. */
int mpxi_task_clock_event(struct perf_event_attr *attr, pid_t tid);
/* Open an event, without starting it, that overflows each period. Return -1 with errno on failure. */
int mpxi_task_clock_sample(uint64_t period_ns, bool user_only, pid_t tid);
/* Make the event's overflows send the signal signo to the thread tid. Return -1 with errno on failure. */
int mpxi_task_clock_send(int fd, int signo, pid_t tid);
/* True if the descriptor belongs to the event with this id (PERF_EVENT_IOC_ID). Some programs close
 * descriptors that they did not open, and the number may then belong to another file. */
bool mpxi_task_clock_is(int fd, uint64_t event);

/* Undo what the program has done to the signal while the timer was not armed (mpxi_timer_arm). */
int mpxi_timer_prepare(struct mpxi_timer *timer);

/* timer_signal.c: Install handler for timers->signo, or, if timers->signo is 0, for the first free
 * signal. mpxi_timer_signal_give_back restores the previous handler. */
int mpxi_timer_signal_take(struct mpxi_timers *timers, void (*handler)(int, siginfo_t *, void *));
void mpxi_timer_signal_give_back(struct mpxi_timers *timers);
enum mpxi_timer_handler {
	MPXI_HANDLER_OURS,
	MPXI_HANDLER_MENDED, /* was SIG_DFL or SIG_IGN; our handler was reinstalled */
	MPXI_HANDLER_TAKEN,  /* the program's handler is installed */
};
enum mpxi_timer_handler mpxi_timer_signal_mend(struct mpxi_timers *timers);
/* Consume the pending signals signo of the calling thread, which has blocked them. */
void mpxi_timer_signal_drain(int signo);
void mpxi_timer_signal_forget(void);

#endif
