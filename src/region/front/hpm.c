/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hpm.c - the calls of IBM's HPM Toolkit, from C and from Fortran (include/libhpm.h).
 */
#define LIBHPM_NO_PLACES
#include "libhpm.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "region/front/front.h"
#include "region/front/hpm_sections.h"
#include "region/region.h"

enum { EVENTS = 256 };

/* ---- sections -------------------------------------------------------------------------------- */

/* Print the message once: a program may make a million such calls. */
static void out_of_range(int number)
{
	static atomic_bool said;

	if (!atomic_exchange(&said, true))
		upcr_say("section %d is left out: numbers are from 0 to %d; set HPM_NUM_INST_PTS", number,
			 upcr_section_count() - 1);
	upcr_left_out(UPCR_OUT_OF_RANGE, 0);
}

static void start_section(int number, const char *label, size_t length, const char *file, int line,
			  bool alone)
{
	struct upcr_section *section = upcr_section_find(number);

	upcr_sections_changed();
	if (!section)
		section = upcr_section_make(number, label, length);
	if (!section) {
		out_of_range(number);
		return;
	}
	/* The flag may be out of date: the thread that started the section has ended, this is a child, or the
	 * start was left out. upcr_is_open then says that the section is not open. */
	if (alone && atomic_flag_test_and_set(&section->open) && upcr_is_open(section->name)) {
		if (!atomic_exchange(&section->said, true))
			upcr_say("section %d is started while it is open: the second start is left out",
				 number);
		upcr_left_out(UPCR_WAS_OPEN, section->name);
		return;
	}
	if (file && !atomic_load_explicit(&section->first, memory_order_relaxed)) {
		atomic_store(&section->file, file);
		atomic_store(&section->first, line);
	}
	upcr_enter(section->name);
}

static void stop_section(int number, int line, bool alone)
{
	struct upcr_section *section = upcr_section_find(number);
	char name[32];

	upcr_sections_changed();
	if (!section && (number < 0 || number >= upcr_section_count())) {
		out_of_range(number);
		return;
	}
	if (!section) {
		snprintf(name, sizeof(name), "section %d", number);
		upcr_left_out(UPCR_NEVER_STARTED, upcr_name(name, strlen(name)));
		return;
	}
	if (line && !atomic_load_explicit(&section->last, memory_order_relaxed))
		atomic_store(&section->last, line);
	if (upcr_exit(section->name) == UPCR_OK && alone)
		atomic_flag_clear(&section->open);
}

/* ---- C ----------------------------------------------------------------------------------------- */

static size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

UPCR_EXPORT void hpmStart_at(int number, const char *label, const char *file, int line)
{
	start_section(number, label, length_of(label), file, line, true);
}

UPCR_EXPORT void hpmTstart_at(int number, const char *label, const char *file, int line)
{
	start_section(number, label, length_of(label), file, line, false);
}

UPCR_EXPORT void hpmStop_at(int number, const char *file, int line)
{
	(void)file;
	stop_section(number, line, true);
}

UPCR_EXPORT void hpmTstop_at(int number, const char *file, int line)
{
	(void)file;
	stop_section(number, line, false);
}

UPCR_EXPORT void hpmStart(int number, const char *label)
{
	start_section(number, label, length_of(label), NULL, 0, true);
}

UPCR_EXPORT void hpmTstart(int number, const char *label)
{
	start_section(number, label, length_of(label), NULL, 0, false);
}

UPCR_EXPORT void hpmStop(int number)
{
	stop_section(number, 0, true);
}

UPCR_EXPORT void hpmTstop(int number)
{
	stop_section(number, 0, false);
}

static void begin_task(int task, const char *program, size_t length)
{
	upcr_thread_begin();
	upcr_sections_init(task, program, length);
}

UPCR_EXPORT void hpmInit(int task, const char *program)
{
	begin_task(task, program, length_of(program));
}

UPCR_EXPORT void hpmTerminate(int task)
{
	upcr_sections_write(task);
}

static void get_total_counts(unsigned n, double *time, long long *values)
{
	struct upcr_value value[EVENTS];
	struct upcr_counts counts = {.events = EVENTS, .value = value};
	unsigned i;

	if (upcr_read(UPCR_ALL, &counts) != UPCR_OK)
		counts.seconds = counts.events = 0;
	if (time)
		*time = counts.seconds;
	for (i = 0; i < n; i++) {
		values[i] = -1;
		if (i < counts.events && !value[i].uncounted)
			values[i] = upcr_is_exact(&value[i]) ? (long long)value[i].whole
							     : (long long)value[i].value;
	}
}

UPCR_EXPORT void hpmGetTimeAndCounters(int n, double *time, long long *values)
{
	get_total_counts(n > 0 ? (unsigned)n : 0, time, values);
}

UPCR_EXPORT void hpmGetCounters(long long *values)
{
	upcr_thread_begin(); /* makes the list of events */
	get_total_counts(upcr_events(), NULL, values);
}

/* ---- Fortran ----------------------------------------------------------------------------------- */

/* Define a Fortran call, under its name with the underscores that compilers append, and without. */
#define FORTRAN(name, parameters, arguments)  \
	UPCR_EXPORT void name parameters;     \
	UPCR_EXPORT void name##_ parameters;  \
	UPCR_EXPORT void name##__ parameters; \
	UPCR_EXPORT void name##_ parameters   \
	{                                     \
		name arguments;               \
	}                                     \
	UPCR_EXPORT void name##__ parameters  \
	{                                     \
		name arguments;               \
	}                                     \
	UPCR_EXPORT void name parameters

FORTRAN(f_hpminit, (const int *task, const char *program, int length), (task, program, length))
{
	begin_task(*task, program, upcr_fortran_length(program, length));
}

FORTRAN(f_hpmterminate, (const int *task), (task))
{
	hpmTerminate(*task);
}

FORTRAN(f_hpmstart, (const int *number, const char *label, int length), (number, label, length))
{
	start_section(*number, label, upcr_fortran_length(label, length), NULL, 0, true);
}

FORTRAN(f_hpmtstart, (const int *number, const char *label, int length), (number, label, length))
{
	start_section(*number, label, upcr_fortran_length(label, length), NULL, 0, false);
}

FORTRAN(f_hpmstop, (const int *number), (number))
{
	stop_section(*number, 0, true);
}

FORTRAN(f_hpmtstop, (const int *number), (number))
{
	stop_section(*number, 0, false);
}

FORTRAN(f_hpmgettimeandcounters, (const int *n, double *time, long long *values), (n, time, values))
{
	hpmGetTimeAndCounters(*n, time, values);
}

FORTRAN(f_hpmgetcounters, (long long *values), (values))
{
	hpmGetCounters(values);
}
