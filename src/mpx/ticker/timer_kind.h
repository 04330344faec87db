/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_kind.h - what the kinds of slice timers have in common: the table of each, and
 * the process's part, which timer.c keeps.
 */
#ifndef MPXI_TIMER_KIND_H
#define MPXI_TIMER_KIND_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ticker/timer.h"

/* All but close and forget leave a message when they fail, and nothing changed. */
struct mpxi_timer_ops {
	enum mpxi_timer_kind kind;
	/* The timer's tid, slice and timers are set; the signal may have no handler yet. */
	int (*open)(struct mpxi_timer *timer);
	/* After it nothing sends the signal any more; what was sent may be pending. */
	void (*close)(struct mpxi_timer *timer);
	int (*arm)(struct mpxi_timer *timer);
	void (*disarm)(struct mpxi_timer *timer);
	/* In a forked child. */
	void (*forget)(struct mpxi_timer *timer);
	/* Restores what the program may have taken from the timer; returns whether anything had to be
	 * made anew. NULL: nothing can be restored. */
	bool (*mend)(struct mpxi_timer *timer);
};

extern const struct mpxi_timer_ops mpxi_timer_task_clock, mpxi_timer_posix, mpxi_timer_virtual;

struct mpxi_timers {
	const struct mpxi_timer_ops *ops;
	uint64_t slice_ns; /* of timers that are opened without another */
	int signo;
	atomic_bool holds_sigio; /* our handler stands for SIGIO too, see timer_signal.c */
	void (*tick_sig)(void *context);
	struct sigaction before, ours;
};

/*
 * VIRTUAL's signal has come from the kernel, to any thread: sends it to all armed
 * threads but the caller's, whose slot is own (NULL without one). False when another
 * thread is doing so at this moment: the caller gets its tick from that one.
 */
bool mpxi_timer_forward_sig(const _Atomic(pid_t) *own);

/* Around an exec by a thread that has the signal blocked; timer is its own or NULL. */
void mpxi_timer_virtual_pause(struct mpxi_timer *timer);
void mpxi_timer_virtual_resume(struct mpxi_timer *timer);
/* In a forked child, which has none of the parent's threads and not its interval timer. */
void mpxi_timer_virtual_forget(void);

struct perf_event_attr;
/* timer_task_clock.c: an event of a thread's task clock, of user mode alone where the kernel refuses more;
 * never in the place of a standard stream. -1 with errno. */
int mpxi_task_clock_event(struct perf_event_attr *attr, pid_t tid);
/* Likewise one that overflows each period, and is stopped yet. */
int mpxi_task_clock_sample(uint64_t period_ns, bool user_only, pid_t tid);
/* Its overflows send the signal to that thread. -1 with errno. */
int mpxi_task_clock_send(int fd, int signo, pid_t tid);
/* Whether the descriptor is of the event with this number (PERF_EVENT_IOC_ID): programs close descriptors
 * that are not their own, and their number is then another file's. */
bool mpxi_task_clock_is(int fd, uint64_t event);

/* Mends changes that the program has made to the signal while the timer was not armed: see
 * mpxi_timer_arm. */
int mpxi_timer_prepare(struct mpxi_timer *timer);

/* timer_signal.c: the signal of some timers. handler becomes that of timers->signo,
 * or of the first free signal where that is 0. */
int mpxi_timer_signal_take(struct mpxi_timers *timers, void (*handler)(int, siginfo_t *, void *));
void mpxi_timer_signal_give_back(struct mpxi_timers *timers);
enum mpxi_timer_handler {
	MPXI_HANDLER_OURS,
	MPXI_HANDLER_MENDED, /* was the default, or to ignore the signal: ours again */
	MPXI_HANDLER_TAKEN,  /* the program's                                        */
};
enum mpxi_timer_handler mpxi_timer_signal_mend(struct mpxi_timers *timers);
/* Takes what is pending for the calling thread, which has the signals blocked. */
void mpxi_timer_signal_drain(int signo);
void mpxi_timer_signal_forget(void);

#endif
