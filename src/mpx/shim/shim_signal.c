/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_signal.c - writes the report when a signal ends the process.
 *
 * The shim installs a handler for each signal that would end the process, as long as the program has no
 * handler for it. The handler writes the report, then lets the signal take its default action. sigaction and
 * signal hide the handler from the program and return SIG_DFL in its place: some programs, such as Python,
 * install a handler only for a signal that has its default action.
 *
 * The handler allocates nothing, and waits for locks only with a time limit. If the signal interrupted the
 * thread outside of PAPI and libmpx, the handler first reads the sets that run in the thread. If the
 * handler hangs nevertheless, an alarm ends the process as the signal would have. A second signal in
 * another thread waits for the report, since a terminal or timeout(1) may send the signal twice.
 *
 * Terms: shim/shim.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "process/thread.h"
#include "shim/shim.h"
#include "shim/shim_exec.h"
#include "ticker/inside.h"
#include "ticker/tick.h"

enum { PATIENCE_S = 5 };

/* Signals whose default action ends the process, except SIGVTALRM, SIGPROF and SIGIO, which libmpx and PAPI
 * use. */
static const int ends[] = {
	SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,
	SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS,
};
#define ENDS (sizeof(ends) / sizeof(ends[0]))

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static sighandler_t (*real_signal)(int, sighandler_t);
static sighandler_t (*real_sysv_signal)(int, sighandler_t);
static bool wanted;
static atomic_int ending;    /* the first signal, 0 before; report_end_signal on other threads reads it */
static atomic_bool reported; /* the report is complete; report_end_signal on other threads waits for it */

/* Find the C library's functions. Called by the constructor and by the stand-ins, since constructors of
 * other libraries may call sigaction before the shim's constructor runs. */
static void find_signal_functions(void)
{
	void *symbol;

	if (real_sysv_signal)
		return;
	symbol = dlsym(RTLD_NEXT, "sigaction");
	memcpy(&real_sigaction, &symbol, sizeof(symbol));
	symbol = dlsym(RTLD_NEXT, "signal");
	memcpy(&real_signal, &symbol, sizeof(symbol));
	symbol = dlsym(RTLD_NEXT, "__sysv_signal");
	memcpy(&real_sysv_signal, &symbol, sizeof(symbol));
}

/* ---- the end --------------------------------------------------------------------------- */

static void set_default(int signo)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	(void)real_sigaction(signo, &action, NULL);
}

static void unblock_end_signal(int signo)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* End the process, since the report hangs. The check of si_code ignores a SIGALRM from a timer of the
 * program. Context: signal handler, on any thread. */
static void on_alarm(int unused, siginfo_t *info, void *context)
{
	const int signo = atomic_load(&ending);

	(void)unused;
	(void)context;
	if (info->si_code == SI_TIMER)
		return;
	set_default(signo);
	unblock_end_signal(signo);
	(void)raise(signo);
}

static void set_alarm(void)
{
	/* Repeat the alarm every second, since the first SIGALRM is lost if a SIGALRM from a timer of
	 * the program is pending. */
	const struct itimerval patience = {.it_interval.tv_sec = 1, .it_value.tv_sec = PATIENCE_S};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	/* SIG_IGN discards a pending SIGALRM of the program's own alarm. */
	action.sa_handler = SIG_IGN;
	(void)real_sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &patience, NULL);
	action.sa_sigaction = on_alarm;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	(void)real_sigaction(SIGALRM, &action, NULL);
	unblock_end_signal(SIGALRM);
}

/* True if the sets of this thread may be read: the interrupted code is neither in PAPI nor in libmpx.
 * The handler of the slice timer makes the same check (ticker/tick.h). */
static bool may_read(void *context)
{
	const struct mpxi_thread *thread = mpxi_self;

	return thread && mpxi_tick_look_sig(thread->core, context, mpxi_inside_sig) == MPXI_TICK_ACTS;
}

/* True if the kernel sent the signal for a fault. After the handler returns, the same instruction then
 * raises the signal again. */
static bool comes_again(int signo, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (signo == SIGSEGV || signo == SIGILL || signo == SIGFPE || signo == SIGBUS);
}

static void report_end_signal(int signo, void *context)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	int none = 0;

	if (atomic_compare_exchange_strong(&ending, &none, signo)) {
		set_alarm();
		if (may_read(context))
			shim_note_thread_sig();
		shim_report_quickly(0);
		atomic_store(&reported, true);
		return;
	}
	/* Another thread is writing the report. If the report hangs, the alarm ends this wait, too. */
	unblock_end_signal(SIGALRM);
	while (!atomic_load(&reported))
		(void)nanosleep(&ms, NULL);
}

static void on_end_signal(int signo, siginfo_t *info, void *context)
{
	int cancel;

	/* write is a cancellation point. If this thread were cancelled there, the report would be lost. */
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (shim_is_owner())
		report_end_signal(signo, context);
	set_default(signo);
	/* The signal is blocked now, so it is delivered after the handler returns. */
	if (!comes_again(signo, info))
		(void)raise(signo);
	(void)pthread_setcancelstate(cancel, NULL);
}

/* ---- the program's handlers -------------------------------------------------------------- */

static bool action_is_ours(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_end_signal;
}

static bool action_is_default(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static bool is_end(int signo)
{
	size_t i;

	for (i = 0; i < ENDS && ends[i] != signo; i++)
		;
	return i < ENDS;
}

static struct sigaction own_action(int signo)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_end_signal;
	/* Use the alternate stack for SIGSEGV only, since a stack overflow leaves no room on the normal one.
	 * The alternate stack is usually small. */
	action.sa_flags = SA_SIGINFO | (signo == SIGSEGV ? SA_ONSTACK : 0);
	sigfillset(&action.sa_mask);
	return action;
}

static void take_end_signal(int signo)
{
	const struct sigaction own = own_action(signo);
	struct sigaction now;

	if (real_sigaction(signo, NULL, &now) == 0 && action_is_default(&now))
		(void)real_sigaction(signo, &own, NULL);
}

SHIM_EXPORT int sigaction(int signo, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction own;
	int error;

	find_signal_functions();
	if (action && wanted && !atomic_load(&ending) && is_end(signo) && action_is_default(action)) {
		own = own_action(signo);
		action = &own;
	}
	error = real_sigaction(signo, action, before);
	if (!error && before && action_is_ours(before)) {
		memset(before, 0, sizeof(*before));
		before->sa_handler = SIG_DFL;
	}
	return error;
}

static sighandler_t hide_end_handler(int signo, sighandler_t handler, sighandler_t before)
{
	if (before == SIG_ERR)
		return before;
	if (handler == SIG_DFL && wanted && !atomic_load(&ending) && is_end(signo))
		take_end_signal(signo);
	return before == (sighandler_t)(uintptr_t)on_end_signal ? SIG_DFL : before;
}

SHIM_EXPORT sighandler_t signal(int signo, sighandler_t handler)
{
	find_signal_functions();
	return hide_end_handler(signo, handler, real_signal(signo, handler));
}

/* The C library's name for signal() in programs that request System V semantics. */
sighandler_t __sysv_signal(int signo, sighandler_t handler);
SHIM_EXPORT sighandler_t __sysv_signal(int signo, sighandler_t handler)
{
	find_signal_functions();
	return hide_end_handler(signo, handler, real_sysv_signal(signo, handler));
}

static __attribute__((constructor)) void begin_end_signals(void)
{
	size_t i;

	find_signal_functions();
	wanted = getenv(SHIM_REPORT) != NULL;
	for (i = 0; wanted && i < ENDS; i++)
		take_end_signal(ends[i]);
}
