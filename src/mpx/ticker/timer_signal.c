/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_signal.c - the signal of the slice timers: found, taken from nobody, given back,
 * and emptied of what is still pending when a thread leaves.
 *
 * SIGIO comes along. When the user's limit of queued signals is reached, the kernel
 * sends it in place of a real-time signal of a descriptor, and by default it kills. A
 * program that handles or ignores it keeps it so, and loses that tick. It may be another copy of
 * this code that has it, as libmpx and the component of PAPI have one each: when that one has gone,
 * the next start of a timer takes it over.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tgkill */
#endif
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "core/error.h"
#include "ticker/timer_kind.h"

/* Below it lie the signals that programs and PAPI (SIGRTMIN + 2) take first. */
#define FIRST_FREE (SIGRTMIN + 6)

/* Serialises taking and giving back; no handler takes it, and it nests in nothing. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sigio_users;
static struct sigaction sigio_before;

static bool same_handler(const struct sigaction *a, const struct sigaction *b)
{
	if ((a->sa_flags & SA_SIGINFO) != (b->sa_flags & SA_SIGINFO))
		return false;
	return a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction : a->sa_handler == b->sa_handler;
}

static bool default_is_set(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static bool ignore_is_set(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

static struct sigaction action_of(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	/* No SA_ONSTACK: a program's alternate stack is sized for its own handler. */
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	/*
	 * Every signal, also glibc's own two, which sigfillset leaves out: a thread must
	 * not be cancelled in the middle of the handler.
	 */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return action;
}

/* 1 taken, 0 somebody has it, -1 the system refuses. */
static int try_locked(int signo, const struct sigaction *ours, struct sigaction *before)
{
	if (sigaction(signo, NULL, before))
		return -1;
	if (!default_is_set(before))
		return 0;
	if (sigaction(signo, ours, before))
		return -1;
	if (default_is_set(before))
		return 1;
	sigaction(signo, before, NULL); /* another thread was faster */
	return 0;
}

static int find_free_signal_locked(struct mpxi_timers *timers)
{
	int signo;

	for (signo = FIRST_FREE; signo <= SIGRTMAX; signo++) {
		if (try_locked(signo, &timers->ours, &timers->before) == 1) {
			timers->signo = signo;
			return MPXI_OK;
		}
	}
	return mpxi_error(MPXI_ECNFLCT,
			  "all real-time signals from %d to %d have handlers; "
			  "name another signal for the slice timer",
			  FIRST_FREE, SIGRTMAX);
}

static int take_named_locked(struct mpxi_timers *timers)
{
	switch (try_locked(timers->signo, &timers->ours, &timers->before)) {
	case 1:
		return MPXI_OK;
	case 0:
		return mpxi_error(MPXI_ECNFLCT,
				  "the program handles or ignores signal %d (%s) "
				  "itself; name another one for the slice timer",
				  timers->signo, strsignal(timers->signo));
	default:
		return mpxi_error(MPXI_EINVAL, "signal %d cannot be had: %s", timers->signo,
				  upci_words_of_errno(errno));
	}
}

static void take_sigio_locked(struct mpxi_timers *timers)
{
	if (timers->ops->kind != MPXI_TIMER_TASK_CLOCK || timers->signo < SIGRTMIN)
		return;
	if (!sigio_users && try_locked(SIGIO, &timers->ours, &sigio_before) != 1)
		return;
	sigio_users++;
	timers->holds_sigio = true;
}

int mpxi_timer_signal_take(struct mpxi_timers *timers, void (*handler)(int, siginfo_t *, void *))
{
	int error;

	timers->ours = action_of(handler);
	pthread_mutex_lock(&lock);
	error = timers->signo ? take_named_locked(timers) : find_free_signal_locked(timers);
	if (!error)
		take_sigio_locked(timers);
	pthread_mutex_unlock(&lock);
	return error;
}

/* Once whoever had it has let it go. */
static void mend_sigio(struct mpxi_timers *timers)
{
	struct sigaction now;

	if (timers->holds_sigio || sigaction(SIGIO, NULL, &now) || !default_is_set(&now))
		return;
	pthread_mutex_lock(&lock);
	if (!timers->holds_sigio)
		take_sigio_locked(timers);
	pthread_mutex_unlock(&lock);
}

/*
 * A program's own handler stays: it may hand the signal on to ours. Without the lock, since a
 * handler of the program's may start a set: the timers are not given back while the caller's is
 * open, and two who mend do the same.
 */
enum mpxi_timer_handler mpxi_timer_signal_mend(struct mpxi_timers *timers)
{
	enum mpxi_timer_handler found = MPXI_HANDLER_OURS;
	struct sigaction now;

	if (!sigaction(timers->signo, NULL, &now) && !same_handler(&now, &timers->ours)) {
		found = default_is_set(&now) || ignore_is_set(&now) ? MPXI_HANDLER_MENDED
								    : MPXI_HANDLER_TAKEN;
		if (found == MPXI_HANDLER_MENDED && sigaction(timers->signo, &timers->ours, NULL))
			found = MPXI_HANDLER_TAKEN;
	}
	mend_sigio(timers);
	return found;
}

static void restore_action_locked(int signo, const struct sigaction *ours, const struct sigaction *before)
{
	struct sigaction now, ignore;

	if (sigaction(signo, NULL, &now) || !same_handler(&now, ours))
		return;
	/*
	 * To ignore a signal for a moment takes it off the queues of all threads: none is
	 * left for the default action, which would kill. SIGIO may be waited for by the
	 * program, and is taken by each thread when it leaves.
	 */
	memset(&ignore, 0, sizeof(ignore));
	ignore.sa_handler = SIG_IGN;
	if (signo != SIGIO)
		sigaction(signo, &ignore, NULL);
	sigaction(signo, before, NULL);
}

void mpxi_timer_signal_give_back(struct mpxi_timers *timers)
{
	pthread_mutex_lock(&lock);
	restore_action_locked(timers->signo, &timers->ours, &timers->before);
	if (timers->holds_sigio && !--sigio_users)
		restore_action_locked(SIGIO, &timers->ours, &sigio_before);
	pthread_mutex_unlock(&lock);
}

/*
 * A signal below SIGRTMIN is pending at most once for the thread, beside one for the
 * process that is not ours to take. One of our own merges with the thread's, and the
 * thread's is what is taken first.
 */
static void drain_standard(int signo)
{
	const struct timespec now = {0, 0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	if (tgkill(getpid(), gettid(), signo))
		return;
	while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
		;
}

void mpxi_timer_signal_drain(int signo)
{
	const struct timespec now = {0, 0};
	sigset_t set;

	if (signo < SIGRTMIN) {
		drain_standard(signo);
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, signo);
	while (sigtimedwait(&set, NULL, &now) >= 0 || errno == EINTR)
		;
}

void mpxi_timer_signal_forget(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* a lost thread may hold it */
}
