/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - the calling thread's last message.
 */
#include <stdarg.h>

#include "core/error.h"
#include "base/words.h"

bool mpxi_error_prepare(void)
{
	return upci_words_prepare();
}

int mpxi_error(int error, const char *format, ...)
{
	va_list args;

	/* A thread that a handler of ours acts in has had its memory since before. */
	(void)upci_words_prepare();
	va_start(args, format);
	upci_words_set("why is not known: there is no memory for words", format, args);
	va_end(args);
	return error;
}

unsigned mpxi_error_count(void)
{
	return upci_words_count();
}

const char *mpxi_last_message(void)
{
	return upci_words();
}
