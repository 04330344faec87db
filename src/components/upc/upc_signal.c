/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_signal.c - holds the overflow signal for all sets that have live thresholds, and keeps SIGIO
 * from ending the program in the meantime.
 *
 * Terms: upc_set.h.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "papi.h"
#include "papi_internal.h"
#include "extras.h"

#include "upc_fork.h"
#include "upc_report.h"
#include "upc_signal.h"

static int number;

/*
 * Protects users and io_ignored. PAPI's INTERNAL_LOCK is taken while this lock is held. No signal
 * handler takes this lock. It is held across a fork, so that a child finds it free.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* sets with live thresholds */
static int io_ignored; /* this component ignores SIGIO */

static void lock_users(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_users(void)
{
	pthread_mutex_unlock(&lock);
}

int upcp_signal_prepare(void)
{
	static struct upcp_fork fork = {lock_users, unlock_users, unlock_users, 0};

	return upcp_fork_register(&fork);
}

void upcp_signal_open(void)
{
	const char *wish = getenv("UPC_SIGNAL");
	char line[160], *end;
	long value;

	if (users) /* the handler of these sets is still installed, although PAPI was shut down */
		return;
	number = SIGRTMIN + 5;
	if (!wish || !*wish)
		return;
	value = strtol(wish, &end, 10);
	if (!*end && value >= SIGRTMIN && value <= SIGRTMAX) {
		number = (int)value;
		return;
	}
	snprintf(line, sizeof(line),
		 "UPC_SIGNAL must be a number from %d to %d, and is \"%.40s\": %d is used", SIGRTMIN,
		 SIGRTMAX, wish, number);
	upcp_report(UPCP_REPORT_SIGNAL, line);
}

int upcp_signal_number(void)
{
	return number;
}

/*
 * Ignore SIGIO if its action is the default one. The kernel sends SIGIO instead of a real-time
 * signal if the signal queue is full, and SIGIO ends a program by default. A program that already
 * handles or ignores SIGIO is left alone.
 */
static void ignore_io(void)
{
	struct sigaction is;

	if (sigaction(SIGIO, NULL, &is) || (is.sa_flags & SA_SIGINFO) || is.sa_handler != SIG_DFL)
		return;
	is.sa_handler = SIG_IGN;
	io_ignored = sigaction(SIGIO, &is, NULL) == 0;
}

static void restore_io(void)
{
	struct sigaction is;

	if (!io_ignored)
		return;
	io_ignored = 0;
	if (sigaction(SIGIO, NULL, &is) || (is.sa_flags & SA_SIGINFO) || is.sa_handler != SIG_IGN)
		return;
	is.sa_handler = SIG_DFL;
	sigaction(SIGIO, &is, NULL);
}

int upcp_signal_take(int component)
{
	char line[160];
	int error = PAPI_OK;

	pthread_mutex_lock(&lock);
	if (users) {
		users++;
	} else if (_papi_hwi_using_signal[number]) {
		snprintf(line, sizeof(line),
			 "another component of PAPI uses signal %d: set UPC_SIGNAL to another one", number);
		upcp_report(UPCP_REPORT_SIGNAL, line);
		error = PAPI_ECNFLCT;
	} else {
		error = _papi_hwi_start_signal(number, NEED_CONTEXT, component);
		if (error == PAPI_OK) {
			ignore_io();
			users = 1;
		} else {
			_papi_hwi_stop_signal(number); /* PAPI counts the failed start, too */
		}
	}
	pthread_mutex_unlock(&lock);
	return error;
}

/*
 * Release the signal for one set. The handler stays installed, as in PAPI's other components,
 * because a signal may still be queued.
 */
void upcp_signal_give_back(void)
{
	pthread_mutex_lock(&lock);
	if (--users == 0) {
		restore_io();
		_papi_hwi_stop_signal(number);
	}
	pthread_mutex_unlock(&lock);
}
