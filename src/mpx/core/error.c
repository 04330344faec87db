/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - the calling thread's last message.
 */
#include <stdarg.h>

#include "core/error.h"
#include "base/words.h"

/* Of the initial-exec kind, as what handlers read. Partner: the handler on the same thread. */
static _Thread_local __attribute__((tls_model("initial-exec"))) volatile bool in_handler;

void mpxi_handler_begin_sig(void)
{
	in_handler = true;
}

void mpxi_handler_end_sig(void)
{
	in_handler = false;
}

bool mpxi_in_handler_sig(void)
{
	return in_handler;
}

bool mpxi_error_prepare(void)
{
	return upci_words_prepare();
}

int mpxi_error(int error, const char *format, ...)
{
	va_list args;

	if (in_handler)
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
