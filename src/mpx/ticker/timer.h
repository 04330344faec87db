/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.h - the timer of a thread's time slices: a signal to the thread itself after
 * each slice of its own CPU time.
 *
 * Three kinds. TASK_CLOCK is a perf event of the kernel's task clock that overflows
 * (100 us slices come out at 92 to 108); THREAD a POSIX timer on the thread's CPU
 * clock (ticks of 4 ms on many kernels); VIRTUAL the process's ITIMER_VIRTUAL of MPX
 * section 5.1: its signal comes to any thread, which forwards it to all threads that
 * count. The process's user time goes as fast as that of all its threads together, so
 * most of these come too early: it is for tick_sig to see whether a slice is over.
 *
 * A slice is never shorter than asked for by much, but it may be longer: a tick is lost
 * that falls into the kernel (TASK_CLOCK) or into a time at which the thread has the
 * signal blocked. Whoever needs its length measures it.
 *
 * exec: TASK_CLOCK and THREAD end with the program. An ITIMER_VIRTUAL lives on and its
 * signal would kill the new one, and so would a tick of any kind that waits because
 * the program has the signal blocked: a wrapper of exec calls mpxi_timers_pause. Fork
 * and exec, vfork and posix_spawn need nothing, since no timer is inherited.
 *
 * The handler may still begin on another thread just after destroy: a library with
 * this in it must not be unloaded (-z nodelete).
 */
#ifndef MPXI_TIMER_H
#define MPXI_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Time slices, in ns. */
#define MPXI_SLICE_DEFAULT 10000000u
#define MPXI_SLICE_MIN 100000u
#define MPXI_SLICE_MAX UINT64_C(10000000000)

enum mpxi_timer_kind {
	MPXI_TIMER_AUTO,
	MPXI_TIMER_TASK_CLOCK,
	MPXI_TIMER_THREAD,
	MPXI_TIMER_VIRTUAL,
};

/* The process's part: signal handler and, with VIRTUAL, the interval timer. */
struct mpxi_timers;
struct mpxi_attached;

/* One thread's; the caller's memory, that of its thread's state. A thread has one. */
struct mpxi_timer {
	struct mpxi_timers *timers;
	uint64_t slice_ns;
	int fd;               /* TASK_CLOCK, else -1                               */
	uint64_t event;       /* TASK_CLOCK: the kernel's number of it             */
	timer_t id;           /* THREAD                                            */
	struct timespec left; /* THREAD: of the slice that disarm has cut          */
	_Atomic(pid_t) *slot; /* VIRTUAL: tid while armed, in the table of threads */
	pid_t tid;
	unsigned ticks; /* handlers, from any number: one in MPXI_TICK_SAMPLE is timed */
	bool open, armed;
	/* Timers of other threads, whose signal comes here. Partner: the handler. */
	struct mpxi_attached *volatile attached;
	bool was_blocked; /* the signal, before open */
	/* No tick has come since the program's own handler was found. Partner: the handler. */
	volatile bool starved;
};

/*
 * Installs the handler. kind AUTO takes the best that this machine allows now: the
 * choice is tried, not guessed. THREAD is it only where there are many such timers, or nothing
 * else. slice_ns is from 100,000 (100 us) to 10^10. signo is a
 * signal number, 0 for a free one: the first real-time signal from SIGRTMIN + 6 that
 * has no handler (SIGVTALRM for VIRTUAL, which has no other). A signal that the program
 * handles or ignores is refused: PAPI_ECNFLCT; so is VIRTUAL where ITIMER_VIRTUAL runs.
 * tick_sig is called in the handler, with all signals blocked, errno and the thread's message kept,
 * on a thread whose timer is open: a tick, or somebody sent the signal by hand.
 * Errors: PAPI_EINVAL, PAPI_ENOSUPP (the kind asked for is not to be had here),
 * PAPI_ECNFLCT, PAPI_ENOMEM, PAPI_ESYS; mpxi_error has said why.
 */
int mpxi_timers_create(enum mpxi_timer_kind kind, uint64_t slice_ns, int signo,
		       void (*tick_sig)(void *context), struct mpxi_timers **timers);
/* Restores the handler that was there before, unless somebody has replaced ours. No
 * thread's timer may be open. NULL is nothing. */
void mpxi_timers_destroy(struct mpxi_timers *timers);
enum mpxi_timer_kind mpxi_timers_kind(const struct mpxi_timers *timers);
int mpxi_timers_signal(const struct mpxi_timers *timers);

/*
 * Around an exec by the calling thread itself (never in a child: it would stop its
 * parent's timer). pause stops the thread's timer and, with VIRTUAL, the process's, and
 * takes ticks that wait; resume is for an exec that failed: as before. In between the
 * thread neither arms nor disarms.
 */
void mpxi_timers_pause(struct mpxi_timers *timers);
void mpxi_timers_resume(struct mpxi_timers *timers);

/*
 * The calling thread's; not armed. Unblocks the signal in it, and remembers whether it
 * was blocked: close blocks it again then. Errors: PAPI_EISRUN (the thread has one),
 * PAPI_ENOSUPP, PAPI_ENOMEM, PAPI_ESYS (no descriptor or timer left); nothing changed.
 */
int mpxi_timer_open(struct mpxi_timer *timer, struct mpxi_timers *timers);
/* The same, with slices of another length, in the range of mpxi_timers_create's. VIRTUAL has one
 * timer for all threads, as fast as the shortest slices want it: a tick that comes before half a
 * slice of the thread's own is over ends none (core.h). */
int mpxi_timer_open_for(struct mpxi_timer *timer, struct mpxi_timers *timers, uint64_t slice_ns);
/* By the thread that opened it. After it no tick comes to this thread, not even a
 * pending one. Twice is nothing. */
void mpxi_timer_close(struct mpxi_timer *timer);

/*
 * Arms and disarms, by the thread that opened it; with TASK_CLOCK and THREAD also in its
 * handler, where no such call is under way. Cheap (one system call), and what is left of
 * a slice is kept from disarm to arm (not VIRTUAL). After disarm returns a late tick may
 * still come; the core takes it as any other. In ordinary context arm unblocks the signal
 * anew, and puts the handler back where the program has reset it; one of the program's own
 * may call ours, and is refused only where no tick has come by it (mpxi_timer_mend). Errors:
 * PAPI_ESYS, PAPI_ECNFLCT (VIRTUAL: the program has taken the interval timer; the signal).
 */
int mpxi_timer_arm(struct mpxi_timer *timer);
void mpxi_timer_disarm(struct mpxi_timer *timer);

/*
 * No tick has come for long: unblocks the signal, and puts the handler back where it was
 * reset. Returns whether that, or a handler of the program's own, is why; false in a handler,
 * and for a timer that is closed. By the thread that opened it.
 */
bool mpxi_timer_mend(struct mpxi_timer *timer);

/* The calling thread's CPU time in ns, which slices are pieces of. Calls clock_gettime. */
uint64_t mpxi_timer_cpu_sig(void);

/*
 * The cost of the handlers of all threads: one in so many is timed, in the thread's CPU time from the
 * handler's first line to its last. A forked child begins at zero.
 */
#define MPXI_TICK_SAMPLE 16
struct mpxi_tick_cost {
	uint64_t timed;       /* handlers                           */
	uint64_t ns, squares; /* their times in all, and of squares */
};
void mpxi_timers_cost(struct mpxi_tick_cost *cost);
/* The CPU time in ns that the kernel takes to send a signal of the timers and to return from its handler.
 * Sends some to the calling thread. 0: not known, as the thread has a timer open, or the handler is another.
 */
uint64_t mpxi_timers_signal_ns(struct mpxi_timers *timers);

/*
 * A forked child: the timers of its parent's threads are not its own; the descriptor
 * is closed without being touched, since a disable would stop the parent's. First each
 * timer, then the timers, which are freed with the handler restored; the child may
 * create its own then. Both are good in a pthread_atfork child handler.
 */
void mpxi_timer_forget(struct mpxi_timer *timer);
void mpxi_timers_forget(struct mpxi_timers *timers);

#endif
