/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_say.c - prints the shim's messages to the user.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim.h"
#include "shim/shim_exec.h"

static bool quiet;

void shim_say_begin(void)
{
	quiet = getenv(SHIM_QUIET) != NULL;
}

bool shim_is_quiet(void)
{
	return quiet;
}

static void say_line(const char *format, va_list arguments)
{
	static const char prefix[] = "mpx_run: ";
	char line[512];
	int saved = errno, n;
	ssize_t written;

	memcpy(line, prefix, sizeof(prefix));
	n = vsnprintf(line + sizeof(prefix) - 1, sizeof(line) - sizeof(prefix) - 1, format, arguments);
	if (n < 0)
		return;
	/* A name may contain newlines, and control characters that a terminal would execute. */
	for (n = 0; line[n]; n++)
		if ((unsigned char)line[n] < ' ' || line[n] == 0x7f)
			line[n] = '?';
	line[n++] = '\n';
	/* A failure cannot be reported anywhere. */
	written = write(STDERR_FILENO, line, (size_t)n);
	(void)written;
	errno = saved;
}

void shim_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_line(format, arguments);
	va_end(arguments);
}

void shim_say_once(const char *format, ...)
{
	/* The addresses of the formats printed so far. The array has more elements than there are calls
	 * of this function. */
	static const char *_Atomic said[32];
	const char *nobody;
	va_list arguments;
	size_t i;

	if (quiet)
		return;
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		nobody = NULL;
		if (atomic_compare_exchange_strong(&said[i], &nobody, format))
			break;
		if (nobody == format)
			return;
	}
	va_start(arguments, format);
	say_line(format, arguments);
	va_end(arguments);
}
