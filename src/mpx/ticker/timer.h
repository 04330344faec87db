/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.h - the timer of a thread's time slices: a signal to the thread itself after each slice of its own
 * CPU time.
 *
 * Terms:
 * - tick: a signal of the timer, at the end of a slice. slice: core/core.h.
 * - kind: how a timer gets its signals: TASK_CLOCK, THREAD or VIRTUAL.
 * - armed: running, so that ticks come. A timer that is open but not armed sends none.
 * - to mend: to undo what the program has done to the timer's signal, handler or descriptor.
 * - attached: a timer of another thread's CPU time, whose ticks come to the calling thread
 *   (timer_attached.h).
 * - the slot of a thread: its word in the table of threads to which VIRTUAL's signal is forwarded.
 *
 * There are three kinds. TASK_CLOCK is a perf event of the kernel's task clock, whose overflows send the
 * signal (100 us slices last 92 to 108 us). THREAD is a POSIX timer on the thread's CPU clock (ticks of 4
 * ms on many kernels). VIRTUAL is the process's ITIMER_VIRTUAL of MPX section 5.1: its signal arrives at
 * any thread, which forwards it to all threads that count. The process's user time advances as fast as that
 * of all its threads together, so most of these ticks come before the end of the receiving thread's slice:
 * tick_sig must check whether the slice is over.
 *
 * A slice is never much shorter than requested, but may be longer: a tick is lost if it falls into the
 * kernel (TASK_CLOCK), or into a time in which the thread has blocked the signal. Code that needs a slice's
 * length measures it.
 *
 * exec: TASK_CLOCK and THREAD end with the program. An ITIMER_VIRTUAL continues, and its signal would kill
 * the new program. A pending tick of any kind, which the program has blocked, would kill the new program,
 * too. A wrapper of exec therefore calls mpxi_timers_pause. Fork followed by exec, vfork and posix_spawn
 * need no such call, since no timer is inherited.
 *
 * The handler may still start on another thread just after mpxi_timers_destroy, so a library that contains
 * this code must not be unloaded (-z nodelete).
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

/* State of the process: the signal handler and, for VIRTUAL, the interval timer. */
struct mpxi_timers;
struct mpxi_attached;

/* A thread's timer, in memory of the caller. A thread has at most one open timer. */
struct mpxi_timer {
	struct mpxi_timers *timers;
	uint64_t slice_ns;
	int fd;               /* TASK_CLOCK: descriptor, else -1 */
	uint64_t event;       /* TASK_CLOCK: the kernel's id of the event */
	timer_t id;           /* THREAD                                            */
	struct timespec left; /* THREAD: rest of the slice that disarm interrupted */
	_Atomic(pid_t) *slot; /* VIRTUAL: slot of the thread; contains tid while armed, else 0 */
	pid_t tid;
	unsigned ticks; /* number of handler runs, from an arbitrary start */
	bool open, armed;
	/* Attached timers, whose signals arrive at this thread. The handler on this thread walks over
	 * the list. */
	struct mpxi_attached *volatile attached;
	bool was_blocked; /* the signal was blocked before open */
	/* mpxi_timer_mend has found a handler of the program, and no tick has come since. The handler on
	 * this thread clears it. */
	volatile bool starved;
};

/*
 * Install the handler. Kind AUTO tries the kinds and chooses the best one that the machine allows now. AUTO
 * chooses THREAD only if many such timers are available, or if no other kind is. slice_ns is from 100,000
 * (100 us) to 10^10. signo is a signal number, or 0 for a free one: the first real-time signal from
 * SIGRTMIN + 6 without a handler (VIRTUAL always uses SIGVTALRM). A signal that the program handles or
 * ignores is refused with PAPI_ECNFLCT, and so is VIRTUAL if ITIMER_VIRTUAL runs.
 *
 * tick_sig is called in the handler, with all signals blocked, errno and the thread's message preserved, on
 * a thread whose timer is open. The signal is a tick, or was sent by a program.
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
 * pending ticks. resume restores everything after an exec that failed. Between pause and resume the thread
 * must neither arm nor disarm its timer.
 */
void mpxi_timers_pause(struct mpxi_timers *timers);
void mpxi_timers_resume(struct mpxi_timers *timers);

/*
 * Open the calling thread's timer without arming it. Unblocks the signal in the thread; mpxi_timer_close
 * blocks it again if it was blocked. Errors: PAPI_EISRUN (the thread has an open timer), PAPI_ENOSUPP,
 * PAPI_ENOMEM, PAPI_ESYS (no descriptor or timer left). After an error nothing has changed.
 */
int mpxi_timer_open(struct mpxi_timer *timer, struct mpxi_timers *timers);
/* Open a timer with slices of another length, in the range of mpxi_timers_create. VIRTUAL has one
 * interval timer for all threads, as fast as the shortest slices require. A tick that comes before half
 * of the thread's slice is over does not end the slice (core.h). */
int mpxi_timer_open_for(struct mpxi_timer *timer, struct mpxi_timers *timers, uint64_t slice_ns);
/* Close the timer, on the thread that opened it. After that no tick comes to this thread, not even a
 * pending one. A second call does nothing. */
void mpxi_timer_close(struct mpxi_timer *timer);

/*
 * Arm or disarm the timer, on the thread that opened it. For TASK_CLOCK and THREAD this is also allowed in
 * the thread's handler, unless the handler has interrupted a call that arms or disarms the timer. Arming
 * and disarming take one system call each. The rest of a slice is kept from disarm to arm (not for
 * VIRTUAL). A late tick may still come after disarm; the core treats it as any other tick. In ordinary
 * context arm unblocks the signal again, and reinstalls the handler if the program has reset it. If the
 * program has installed its own handler, that handler may call ours. Arming fails only if no tick has come
 * since mpxi_timer_mend found the program's handler. Errors: PAPI_ESYS, PAPI_ECNFLCT (the program has taken
 * the signal, or the interval timer of VIRTUAL).
 */
int mpxi_timer_arm(struct mpxi_timer *timer);
void mpxi_timer_disarm(struct mpxi_timer *timer);

/*
 * Repair the timer after a long time without ticks: unblock the signal, and reinstall a handler that was
 * reset. Return true if a blocked signal, a reset handler, a lost descriptor or a handler of the program
 * was the reason. Return false in a handler, and for a closed timer. Called on the thread that opened the
 * timer.
 */
bool mpxi_timer_mend(struct mpxi_timer *timer);

/* Return the calling thread's CPU time in ns, which is the time in which slices are measured. Calls
 * clock_gettime. */
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
 * handler. Sends some signals to the calling thread. Return 0 if the time cannot be measured, since the
 * thread has a timer open, or the handler was replaced. */
uint64_t mpxi_timers_signal_ns(struct mpxi_timers *timers);

/*
 * Release the parent's timers in a forked child. The descriptor is closed without an ioctl, since
 * PERF_EVENT_IOC_DISABLE would stop the parent's event. Call mpxi_timer_forget for each timer first. Then
 * mpxi_timers_forget restores the handler and frees the timers, and the child may create its own. Both may
 * be called in a pthread_atfork child handler.
 */
void mpxi_timer_forget(struct mpxi_timer *timer);
void mpxi_timers_forget(struct mpxi_timers *timers);

#endif
