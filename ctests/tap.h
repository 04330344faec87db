/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tap.h - the Test Anything Protocol for test programs: ok() prints a line for
 * each check, skip() one that says why not, and done() the plan and the sum.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_passed, tap_failed, tap_skipped;
static int tap_condition __attribute__((unused));

/*
 * One check, with its name in printf's form. Its value is the condition, so that
 * a test can give up what depends on it. A macro, because the condition is often
 * a call that sets what the name shows, and must come first.
 */
#define ok(condition, ...) (tap_condition = !!(condition), tap_check(tap_condition, __VA_ARGS__))

__attribute__((format(printf, 2, 3), unused)) static int tap_check(int condition, const char *format, ...)
{
	va_list arguments;

	if (condition)
		tap_passed++;
	else
		tap_failed++;
	printf("%sok %d - ", condition ? "" : "not ", tap_passed + tap_failed + tap_skipped);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	return condition;
}

/* One check that this machine cannot make, with the reason. */
__attribute__((format(printf, 1, 2), unused)) static void skip(const char *format, ...)
{
	va_list arguments;

	tap_skipped++;
	printf("ok %d # SKIP ", tap_passed + tap_failed + tap_skipped);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

/* More about the check before. */
__attribute__((format(printf, 1, 2), unused)) static void note(const char *format, ...)
{
	va_list arguments;

	printf("# ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

/* The whole test cannot run here. */
__attribute__((format(printf, 1, 2), noreturn, unused)) static void skip_all(const char *format, ...)
{
	va_list arguments;

	printf("1..0 # SKIP ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	exit(77);
}

/* Nothing can be tested, and should be: the machine is not why. */
__attribute__((format(printf, 1, 2), noreturn, unused)) static void bail_out(const char *format, ...)
{
	va_list arguments;

	printf("Bail out! ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	exit(1);
}

/* main's return value. A test that has checked nothing has not passed. */
__attribute__((unused)) static int done(void)
{
	if (tap_passed + tap_failed + tap_skipped == 0)
		tap_check(0, "something is checked");
	printf("1..%d\n", tap_passed + tap_failed + tap_skipped);
	printf("# %d passed, %d failed, %d skipped\n", tap_passed, tap_failed, tap_skipped);
	return tap_failed ? 1 : 0;
}

#endif /* TAP_H */
