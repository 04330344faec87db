/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notice.c - notices, which do not make a call fail, and the user's callback for them.
 *
 * A signal handler that stops or reads a unit, as libmpx's does, may cause a notice. The handler may have
 * interrupted a call that holds the library's lock, and the callback may do things that handlers must not. A
 * notice is therefore stored as a line, without a lock. A later call that is not made in a handler passes the
 * line to the callback.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/later.h"
#include "base/notice.h"
#include "base/process.h"
#include "upc.h"

static struct upci_later waiting;
static int any; /* a line is stored. Relaxed: if a call misses a new line, the next call reports it */

/* Protected by the process lock. upci_notice tests it for NULL without the lock. */
static void (*callback)(const char *line, void *arg);
static void *callback_arg;

void upci_notice(const char *format, ...)
{
	struct upci_later_line *line;
	va_list args;

	if (!__atomic_load_n(&callback, __ATOMIC_RELAXED))
		return;
	line = upci_later_begin(&waiting);
	if (!line)
		return;
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	upci_later_put(line);
	__atomic_store_n(&any, 1, __ATOMIC_RELAXED);
}

void upci_notices_tell(void)
{
	struct upci_later_line *line;
	void (*fn)(const char *, void *);
	void *arg;

	if (!__atomic_load_n(&any, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&any, 0, __ATOMIC_RELAXED);
	upci_process_lock();
	fn = callback;
	arg = callback_arg;
	upci_process_unlock();
	while ((line = upci_later_take(&waiting))) {
		if (fn)
			fn(line->text, arg);
		upci_later_free(line);
	}
}

/* Drop the waiting lines in the child of a fork, since the parent reports them. */
static void drop_notices_in_child(void)
{
	memset(&waiting, 0, sizeof(waiting));
	any = 0;
}

static void watch_forks_for_notices(void)
{
	/* If this fails for lack of memory, a child may report a line as well. */
	(void)pthread_atfork(NULL, NULL, drop_notices_in_child);
}

void upc_set_message_callback(void (*fn)(const char *line, void *arg), void *arg)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks_for_notices);
	upci_notices_tell(); /* earlier lines go to the old callback */
	upci_process_lock();
	__atomic_store_n(&callback, fn, __ATOMIC_RELAXED);
	callback_arg = arg;
	upci_process_unlock();
}
