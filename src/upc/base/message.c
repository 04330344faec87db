/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.c - the texts of errors, and the last message of each thread.
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
	static const char *const text[] = {
		[-UPC_OK] = "success",
		[-UPC_EINVAL] = "an argument is wrong",
		[-UPC_ENOMEM] = "out of memory",
		[-UPC_ENOEVENT] = "no such event on this machine",
		[-UPC_ECONFLICT] = "the events do not fit the counters together",
		[-UPC_EPERM] = "this machine does not permit it",
		[-UPC_ENOSUPP] = "this source or context cannot give it",
		[-UPC_EMFILE] = "too few file descriptors are left",
		[-UPC_ENOTASK] = "no such process, thread or CPU",
		[-UPC_ESTATE] = "not possible in the present state",
		[-UPC_ESYSTEM] = "the kernel failed unexpectedly",
		[-UPC_EFAULT] = "register access outside the map or not 8-byte aligned",
		[-UPC_EWIRING] = "the wiring file is wrong",
		[-UPC_ELOST] = "a source stopped giving a counter its count",
		[-UPC_EPARTIAL] = "a hardware counter did not run all the time",
		[-UPC_EPARITY] = "a counter's word in the array is damaged",
		[-UPC_EGONE] = "the owner of a shared unit has ended",
	};
	const unsigned n = 0u - (unsigned)error;

	return n < sizeof(text) / sizeof(text[0]) ? text[n] : "unknown error";
}
