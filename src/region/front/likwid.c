/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * likwid.c - stands in for LIKWID's marker calls, for programs that are compiled with LIKWID_PERFMON; each
 * call goes on to liblikwid if the program has it. LIKWID's header is not needed.
 *
 * Under likwid-perfctr the return values are liblikwid's, otherwise ours. The events are ours
 * (UPC_REGIONS_EVENTS). All are counted all the time, so there is only one of LIKWID's groups.
 *
 * Terms: region/front/front.h.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/front/front.h"
#include "region/front/real.h"

enum { EVENTS = 256 };

static const char liblikwid[] = "liblikwid.so";

/* True if likwid-perfctr has started the program. This is liblikwid's own test. */
static bool under_perfctr(void)
{
	return getenv("LIKWID_MODE") && getenv("LIKWID_FILEPATH") && getenv("LIKWID_EVENTS") &&
	       getenv("LIKWID_THREADS");
}

/* Define a function that stands in for a call. A region starts after liblikwid's work for the start, and ends
 * before liblikwid's work for the end. */
#define CALL(name, before)                                           \
	UPCR_FUNCTION(void, name, void)                              \
	{                                                            \
		__typeof__(name) *real = UPCR_REAL(name, liblikwid); \
                                                                     \
		before;                                              \
		if (real)                                            \
			real();                                      \
	}
#define REGION_CALL(name, before, behind)                            \
	UPCR_FUNCTION(int, name, const char *tag)                    \
	{                                                            \
		__typeof__(name) *real = UPCR_REAL(name, liblikwid); \
		int answer = 0, theirs = 0;                          \
                                                                     \
		before;                                              \
		if (real)                                            \
			theirs = real(tag);                          \
		behind;                                              \
		return real && under_perfctr() ? theirs : answer;    \
	}

CALL(likwid_markerInit, upcr_thread_begin())
CALL(likwid_markerThreadInit, upcr_thread_begin())
CALL(likwid_markerNextGroup, )
/* Writes nothing: the file is written at the end of the program, since other front ends may go on. */
CALL(likwid_markerClose, )
/* Make the thread's state and the name, so that the first start finds them. */
REGION_CALL(likwid_markerRegisterRegion, (upcr_thread_begin(), (void)upcr_name_of(tag)), )
REGION_CALL(likwid_markerStartRegion, upcr_thread_begin(), upcr_enter(upcr_name_of(tag)))
REGION_CALL(likwid_markerStopRegion, answer = upcr_exit(upcr_name_of(tag)) == UPCR_OK ? 0 : -1, )
REGION_CALL(likwid_markerResetRegion, upcr_reset(upcr_name_of(tag)), )

/* Get the counts of a region. *events: room in values; becomes the number of events. */
static void get_region_counts(unsigned name, int *events, double *values, double *time, int *count)
{
	struct upcr_value value[EVENTS];
	struct upcr_counts counts = {.events = EVENTS, .value = value};
	int i, n = 0;

	if (upcr_read(name, &counts) != UPCR_OK)
		counts = (struct upcr_counts){.calls = 0};
	if (events && values)
		n = *events < (int)counts.events ? *events : (int)counts.events;
	for (i = 0; i < n; i++)
		values[i] = value[i].value;
	if (events)
		*events = n > 0 ? n : 0;
	if (time)
		*time = counts.seconds;
	if (count)
		*count = counts.calls < INT32_MAX ? (int)counts.calls : INT32_MAX;
}

UPCR_FUNCTION(void, likwid_markerGetRegion, const char *tag, int *events, double *values, double *time,
	      int *count)
{
	__typeof__(likwid_markerGetRegion) *real = UPCR_REAL(likwid_markerGetRegion, liblikwid);

	if (real && under_perfctr())
		real(tag, events, values, time, count);
	else
		get_region_counts(upcr_name_of(tag), events, values, time, count);
}

/* ---- other functions of LIKWID's header, for programs without liblikwid ---------------------------- */

UPCR_FUNCTION(int, likwid_getProcessorId, void)
{
	return sched_getcpu();
}

/* Return 1, or 0 on failure, as liblikwid does. */
static int pin_thread_to_cpu(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return 0;
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) == 0;
}

UPCR_FUNCTION(int, likwid_pinProcess, int cpu)
{
	return pin_thread_to_cpu(getpid(), cpu);
}

UPCR_FUNCTION(int, likwid_pinThread, int cpu)
{
	return pin_thread_to_cpu(0, cpu);
}

/* ---- Fortran: gfortran's names -------------------------------------------------------------- */

/* Return the text as a C string. */
static const char *fortran_text(char text[1024], const char *tag, int length)
{
	snprintf(text, 1024, "%.*s", (int)upcr_fortran_length(tag, length), tag ? tag : "");
	return text;
}

UPCR_FUNCTION(void, likwid_markerinit_, void)
{
	likwid_markerInit();
}

UPCR_FUNCTION(void, likwid_markerthreadinit_, void)
{
	likwid_markerThreadInit();
}

UPCR_FUNCTION(void, likwid_markernextgroup_, void)
{
	likwid_markerNextGroup();
}

UPCR_FUNCTION(void, likwid_markerclose_, void)
{
	likwid_markerClose();
}

#define FORTRAN(name, call)                                    \
	UPCR_FUNCTION(void, name, const char *tag, int length) \
	{                                                      \
		char text[1024];                               \
                                                               \
		(void)call(fortran_text(text, tag, length));   \
	}

FORTRAN(likwid_markerregisterregion_, likwid_markerRegisterRegion)
FORTRAN(likwid_markerstartregion_, likwid_markerStartRegion)
FORTRAN(likwid_markerstopregion_, likwid_markerStopRegion)
FORTRAN(likwid_markerresetregion_, likwid_markerResetRegion)

UPCR_FUNCTION(void, likwid_markergetregion_, const char *tag, int *events, double *values, double *time,
	      int *count, int length)
{
	char text[1024];

	likwid_markerGetRegion(fortran_text(text, tag, length), events, values, time, count);
}
