/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - the calling thread's last message.
 */
#include <stdarg.h>

#include "core/error.h"
#include "base/words.h"

_Thread_local volatile bool mpxi_in_handler __attribute__((tls_model("initial-exec")));

bool mpxi_error_prepare(void)
{
	return upci_words_prepare();
}

int mpxi_error(int error, const char *format, ...)
{
	va_list args;

	if (mpxi_in_handler)
		return error;
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
