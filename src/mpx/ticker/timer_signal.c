/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_signal.c - the signal of the slice timers: finds a free signal, installs the handler, restores the
 * previous handler, and consumes pending signals when a thread closes its timer.
 *
 * The handler is installed for SIGIO, too. When the user's limit of queued signals is reached, the kernel
 * sends SIGIO in place of a descriptor's real-time signal, and by default SIGIO kills the process. If the
 * program handles or ignores SIGIO, its action stays, and such a tick is lost. libmpx and the PAPI
 * component each have a copy of this code, and only one copy can have SIGIO. After that copy has released
 * SIGIO, the other copy installs its handler at the next start of a timer.
 *
 * Terms: ticker/timer.h.
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

/* The first real-time signal to try. Programs, and PAPI (SIGRTMIN + 2), mostly use lower signals. */
#define FIRST_FREE (SIGRTMIN + 6)

/* Serializes installing and restoring handlers. No signal handler takes the lock, and it nests in no
 * other lock. */
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
	 * Block every signal, including the two signals of glibc that sigfillset leaves out, since a thread
	 * must not be cancelled in the middle of the handler.
	 */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return action;
}

/* Install our handler. Return 1 on success, 0 if the program handles or ignores the signal, -1 with
 * errno if sigaction fails. */
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
	sigaction(signo, before, NULL); /* another thread has installed a handler meanwhile */
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

/* Install our handler for SIGIO if another copy of this code has released it. */
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
 * Reinstall our handler. A handler of the program stays, since it may forward the signal to ours. No lock
 * is taken for this signal, since a signal handler of the program may start a set. None is needed:
 * mpxi_timers_destroy cannot run while the caller's timer is open, and two threads that repair at the same
 * time do the same.
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
	 * Ignoring a signal for a moment removes it from the queues of all threads. Otherwise a pending
	 * signal would get the default action, which kills the process. SIGIO is not ignored, since the
	 * program may be waiting for it; each thread consumes its pending SIGIO when it closes its timer.
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
 * Consume a pending signal below SIGRTMIN of this thread. At most one such signal is pending for the
 * thread, and possibly another one for the process, which must stay. Therefore send the signal to this
 * thread first: it merges with the thread's pending signal, and sigtimedwait takes the thread's signal
 * before the process's.
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
	/* a thread that does not exist in the child may have held it */
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
