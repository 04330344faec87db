/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.c - words for failures, the thread's own.
 */
#include <stdarg.h>

#include "base/message.h"
#include "upc.h"
#include "base/words.h"

int upci_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	upci_words_set(upc_strerror(error), format, args);
	va_end(args);
	return error;
}

const char *upc_last_message(void)
{
	(void)upci_words_prepare();
	return upci_words();
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
