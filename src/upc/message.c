/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.c - words for failures, the thread's own, and notices to the user's
 * callback.
 */
#include <stdarg.h>
#include <stdio.h>

#include "message.h"
#include "process.h"
#include "upc.h"
#include "words.h"

/* Under the process lock. */
static void (*callback)(const char *line, void *arg);
static void *callback_arg;

int upci_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	upci_words_set(upc_strerror(error), format, args);
	va_end(args);
	return error;
}

void upci_notice(const char *format, ...)
{
	char line[768];
	void (*fn)(const char *, void *);
	void *arg;
	va_list args;

	/* Nobody to tell is the usual case, and takes no lock: a handler that ends a slice
	 * may have found its thread with it. Partner: upc_set_message_callback. */
	if (!__atomic_load_n(&callback, __ATOMIC_RELAXED))
		return;
	upci_process_lock();
	fn = callback;
	arg = callback_arg;
	upci_process_unlock();
	if (!fn)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fn(line, arg);
}

const char *upc_last_message(void)
{
	(void)upci_words_prepare();
	return upci_words();
}

void upc_set_message_callback(void (*fn)(const char *line, void *arg), void *arg)
{
	upci_process_lock();
	__atomic_store_n(&callback, fn, __ATOMIC_RELAXED);
	callback_arg = arg;
	upci_process_unlock();
}

int upc_abi_version(void)
{
	return UPC_ABI_VERSION;
}

const char *upc_version(void)
{
	return UPC_VERSION_STRING;
}

const char *upc_strerror(int error)
{
	switch (error) {
	case UPC_OK:
		return "success";
	case UPC_EINVAL:
		return "an argument is wrong";
	case UPC_ENOMEM:
		return "out of memory";
	case UPC_ENOEVENT:
		return "no such event on this machine";
	case UPC_ECONFLICT:
		return "the events do not fit the counters together";
	case UPC_EPERM:
		return "this machine does not permit it";
	case UPC_ENOSUPP:
		return "this source or context cannot give it";
	case UPC_EMFILE:
		return "too few file descriptors are left";
	case UPC_ENOTASK:
		return "no such process, thread or CPU";
	case UPC_ESTATE:
		return "not possible in the present state";
	case UPC_ESYSTEM:
		return "the kernel failed unexpectedly";
	case UPC_EFAULT:
		return "register access outside the map or not 8-byte aligned";
	case UPC_EWIRING:
		return "the wiring file is wrong";
	case UPC_ELOST:
		return "a source stopped giving a counter its count";
	case UPC_EPARTIAL:
		return "a hardware counter did not run all the time";
	case UPC_EPARITY:
		return "a counter's word in the array is damaged";
	case UPC_EGONE:
		return "the owner of a shared unit has ended";
	}
	return "unknown error";
}
