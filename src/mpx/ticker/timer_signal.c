/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_signal.c - the signal of the slice timers: finds a free one, installs the handler, restores the
 * previous handler, and consumes pending signals when a thread leaves.
 *
 * SIGIO is taken along. When the user's limit of queued signals is reached, the kernel sends SIGIO in place
 * of a descriptor's real-time signal, and by default SIGIO kills the process. A program that handles or
 * ignores SIGIO keeps its action, and loses that tick. Another copy of this code may hold it, since libmpx
 * and the PAPI component have one each: after that copy has released SIGIO, the next start of a timer takes
 * it over.
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

/* The first real-time signal to try. Programs and PAPI (SIGRTMIN + 2) use lower ones first. */
#define FIRST_FREE (SIGRTMIN + 6)

/* Serializes taking and giving back. No handler takes it, and it nests in no other lock. */
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
	 * Block every signal, including the two of glibc that sigfillset leaves out: a thread must not be
	 * cancelled in the middle of the handler.
	 */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return action;
}

/* Return 1 if taken, 0 if the program uses the signal, -1 if the system refuses. */
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

/* Take SIGIO after its former owner has released it. */
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
 * Reinstall our handler. A handler of the program stays: it may forward the signal to ours. No lock is
 * taken, since a handler of the program may start a set. The timers cannot be given back while the caller's
 * is open, and two concurrent repairs do the same.
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
	 * Ignoring a signal for a moment removes it from the queues of all threads, so that none is left
	 * for the default action, which would kill the process. SIGIO is not ignored, since the program may
	 * wait for it; each thread consumes its own when it leaves.
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
 * Consume a signal below SIGRTMIN. At most one is pending for the thread, and possibly one for the process,
 * which must stay. A signal sent to the own thread merges with the thread's pending one, and the thread's
 * signal is consumed first.
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
