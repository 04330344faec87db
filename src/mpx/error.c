/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - the calling thread's last message.
 */
#include <stdarg.h>
#include <stdio.h>

#include "error.h"

static __thread char message[512];

int mpxi_error(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return error;
}

const char *mpxi_last_message(void)
{
	return message;
}
