/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * say.c - see say.h.
 */
#include <stdarg.h>
#include <stdio.h>

#include "service/say.h"

static char *format_service_text(const char *format, va_list args)
{
	char *text;

	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

char *service_say(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_service_text(format, args);
	va_end(args);
	return text;
}

int service_fail(char **message, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*message = format_service_text(format, args);
	va_end(args);
	return error;
}
