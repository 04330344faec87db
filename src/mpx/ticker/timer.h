/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.h - the timer of a thread's time slices: a signal to the thread itself after each slice of its
 * own CPU time.
 *
 * There are three kinds. TASK_CLOCK is a perf event of the kernel's task clock that overflows (100 us
 * slices last 92 to 108 us). THREAD is a POSIX timer on the thread's CPU clock (ticks of 4 ms on many
 * kernels). VIRTUAL is the process's ITIMER_VIRTUAL of MPX section 5.1: its signal arrives at any thread,
 * which forwards it to all threads that count. The process's user time advances as fast as that of all its
 * threads together, so most of these ticks come too early: tick_sig must check whether a slice is over.
 *
 * A slice is never much shorter than requested, but may be longer: a tick is lost if it falls into the
 * kernel (TASK_CLOCK), or into a time in which the thread has blocked the signal. Code that needs a slice's
 * length measures it.
 *
 * exec: TASK_CLOCK and THREAD end with the program. An ITIMER_VIRTUAL continues, and its signal would kill
 * the new program. A tick of any kind would kill it, too, if it is pending because the program has blocked
 * the signal. A wrapper of exec therefore calls mpxi_timers_pause. Fork and exec, vfork and posix_spawn
 * need nothing, since no timer is inherited.
 *
 * The handler may still start on another thread just after destroy: a library that contains this code must
 * not be unloaded (-z nodelete).
 */
#ifndef MPXI_TIMER_H
#define MPXI_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Limits of slice lengths, ns. */
#define MPXI_SLICE_DEFAULT 10000000u
#define MPXI_SLICE_MIN 100000u
#define MPXI_SLICE_MAX UINT64_C(10000000000)

enum mpxi_timer_kind {
	MPXI_TIMER_AUTO,
	MPXI_TIMER_TASK_CLOCK,
	MPXI_TIMER_THREAD,
	MPXI_TIMER_VIRTUAL,
};

/* State of the process: signal handler and, for VIRTUAL, the interval timer. */
struct mpxi_timers;
struct mpxi_attached;

/* A thread's timer, in memory of the caller, the thread's state. A thread has one. */
struct mpxi_timer {
	struct mpxi_timers *timers;
	uint64_t slice_ns;
	int fd;               /* TASK_CLOCK: descriptor, else -1 */
	uint64_t event;       /* TASK_CLOCK: the kernel's id of the event */
	timer_t id;           /* THREAD                                            */
	struct timespec left; /* THREAD: rest of the slice that disarm interrupted */
	_Atomic(pid_t) *slot; /* VIRTUAL: tid while armed, in the table of threads */
	pid_t tid;
	unsigned ticks; /* number of handler runs, from an arbitrary start; one in MPXI_TICK_SAMPLE is
			   timed */
	bool open, armed;
	/* Timers of other threads whose signal arrives at this thread. Partner: the handler. */
	struct mpxi_attached *volatile attached;
	bool was_blocked; /* the signal was blocked before open */
	/* No tick has come since a handler of the program was found. Partner: the handler. */
	volatile bool starved;
};

/*
 * Install the handler. Kind AUTO chooses the best kind that the machine allows now, by trying. AUTO chooses
 * THREAD only if many such timers are available, or nothing else is. slice_ns is from 100,000 (100 us) to
 * 10^10. signo is a signal number, or 0 for a free one: the first real-time signal from SIGRTMIN + 6
 * without a handler (VIRTUAL always uses SIGVTALRM). A signal that the program handles or ignores is
 * refused with PAPI_ECNFLCT, and so is VIRTUAL if ITIMER_VIRTUAL runs.
 *
 * tick_sig is called in the handler, with all signals blocked, errno and the thread's message preserved, on
 * a thread whose timer is open. The reason is a tick, or a signal sent by hand.
 *
 * Errors: PAPI_EINVAL, PAPI_ENOSUPP (the requested kind is not available here), PAPI_ECNFLCT, PAPI_ENOMEM,
 * PAPI_ESYS, each with a message.
 */
int mpxi_timers_create(enum mpxi_timer_kind kind, uint64_t slice_ns, int signo,
		       void (*tick_sig)(void *context), struct mpxi_timers **timers);
/* Restore the previous handler, unless the program has replaced ours. No thread's timer may be open. NULL
 * is allowed. */
void mpxi_timers_destroy(struct mpxi_timers *timers);
enum mpxi_timer_kind mpxi_timers_kind(const struct mpxi_timers *timers);
int mpxi_timers_signal(const struct mpxi_timers *timers);

/*
 * Suspend and resume the timers around an exec by the calling thread (never in a child: that would stop the
 * parent's timer). pause stops the thread's timer and, for VIRTUAL, the process's timer, and consumes
 * pending ticks. resume restores everything after an exec that failed. In between the thread must neither
 * arm nor disarm.
 */
void mpxi_timers_pause(struct mpxi_timers *timers);
void mpxi_timers_resume(struct mpxi_timers *timers);

/*
 * Open the calling thread's timer, not armed. Unblocks the signal in the thread; close blocks it again if
 * it was blocked. Errors: PAPI_EISRUN (the thread has one), PAPI_ENOSUPP, PAPI_ENOMEM, PAPI_ESYS (no
 * descriptor or timer left); then nothing has changed.
 */
int mpxi_timer_open(struct mpxi_timer *timer, struct mpxi_timers *timers);
/* Open a timer with slices of another length, in the range of mpxi_timers_create. VIRTUAL has one timer for
 * all threads, as fast as the shortest slices require: a tick before half of the thread's own slice is over
 * does not end the slice (core.h). */
int mpxi_timer_open_for(struct mpxi_timer *timer, struct mpxi_timers *timers, uint64_t slice_ns);
/* Close the timer, on the thread that opened it. After that no tick comes to this thread, not even a
 * pending one. A second call does nothing. */
void mpxi_timer_close(struct mpxi_timer *timer);

/*
 * Arm or disarm the timer, on the thread that opened it. For TASK_CLOCK and THREAD this is also allowed in
 * the thread's handler, unless it has interrupted such a call. Each takes one system call. The rest of a
 * slice is kept from disarm to arm (not for VIRTUAL). A late tick may still come after disarm; the core
 * treats it as any other. In ordinary context arm unblocks the signal again, and reinstalls the handler if
 * the program has reset it. A handler of the program may call ours; it is refused only if no tick has come
 * through it (mpxi_timer_mend). Errors: PAPI_ESYS, PAPI_ECNFLCT (the program has taken the signal, or the
 * interval timer of VIRTUAL).
 */
int mpxi_timer_arm(struct mpxi_timer *timer);
void mpxi_timer_disarm(struct mpxi_timer *timer);

/*
 * Repair the timer after a long time without ticks: unblock the signal, and reinstall a handler that was
 * reset. Return true if one of these, or a handler of the program, was the reason; false in a handler, and
 * for a closed timer. On the thread that opened it.
 */
bool mpxi_timer_mend(struct mpxi_timer *timer);

/* Return the calling thread's CPU time in ns, in which slices are measured. Calls clock_gettime. */
uint64_t mpxi_timer_cpu_sig(void);

/*
 * The cost of the handlers of all threads: one run in MPXI_TICK_SAMPLE is timed, in the thread's CPU time
 * from the handler's first line to its last. A forked child starts at zero.
 */
#define MPXI_TICK_SAMPLE 16
struct mpxi_tick_cost {
	uint64_t timed;       /* timed handler runs */
	uint64_t ns, squares; /* sum of their times in ns, and sum of the squares */
};
void mpxi_timers_cost(struct mpxi_tick_cost *cost);
/* Measure the CPU time in ns that the kernel takes to send a signal of the timers and to return from its
 * handler. Sends some signals to the calling thread. 0: unknown, since the thread has a timer open, or the
 * handler was replaced. */
uint64_t mpxi_timers_signal_ns(struct mpxi_timers *timers);

/*
 * Release the parent's timers in a forked child. The descriptor is closed without an ioctl, since a disable
 * would stop the parent's event. Call mpxi_timer_forget for each timer first. Then mpxi_timers_forget
 * restores the handler and frees the timers, and the child may create its own. Both may be called in a
 * pthread_atfork child handler.
 */
void mpxi_timer_forget(struct mpxi_timer *timer);
void mpxi_timers_forget(struct mpxi_timers *timers);

#endif
