/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * likwid.c - LIKWID's marker calls, in place of liblikwid's: for programs that are compiled with
 * LIKWID_PERFMON, where they are run without likwid-perfctr. Its header is not needed.
 *
 * Groups of events are ours, and all are counted all the time: there is no next group.
 */
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "region/front/front.h"

enum { EVENTS = 256 };

UPCR_FUNCTION(void, likwid_markerInit, void)
{
	upcr_thread_begin();
}

UPCR_FUNCTION(void, likwid_markerThreadInit, void)
{
	upcr_thread_begin();
}

UPCR_FUNCTION(void, likwid_markerNextGroup, void)
{
}

/* The file is written at the end of the program: other front ends may go on. */
UPCR_FUNCTION(void, likwid_markerClose, void)
{
}

/* So that the first start finds the thread and the name made. */
UPCR_FUNCTION(int, likwid_markerRegisterRegion, const char *tag)
{
	upcr_thread_begin();
	(void)upcr_name_of(tag);
	return 0;
}

UPCR_FUNCTION(int, likwid_markerStartRegion, const char *tag)
{
	upcr_enter(upcr_name_of(tag));
	return 0;
}

UPCR_FUNCTION(int, likwid_markerStopRegion, const char *tag)
{
	return upcr_exit(upcr_name_of(tag)) == UPCR_OK ? 0 : -1;
}

UPCR_FUNCTION(int, likwid_markerResetRegion, const char *tag)
{
	upcr_reset(upcr_name_of(tag));
	return 0;
}

/* events: room in values, which becomes how many there are. */
static void get(unsigned name, int *events, double *values, double *time, int *count)
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
	get(upcr_name_of(tag), events, values, time, count);
}

/* ---- what the header has beside: where there is no liblikwid ------------------------------------ */

UPCR_FUNCTION(int, likwid_getProcessorId, void)
{
	return sched_getcpu();
}

static int pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -1;
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

UPCR_FUNCTION(int, likwid_pinProcess, int cpu)
{
	return pin(getpid(), cpu);
}

UPCR_FUNCTION(int, likwid_pinThread, int cpu)
{
	return pin(0, cpu);
}

/* ---- Fortran: gfortran's names -------------------------------------------------------------- */

static unsigned fortran_name(const char *tag, int length)
{
	size_t n = upcr_fortran_length(tag, length);

	return upcr_name(n ? tag : "", n);
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

UPCR_FUNCTION(void, likwid_markerregisterregion_, const char *tag, int length)
{
	upcr_thread_begin();
	(void)fortran_name(tag, length);
}

UPCR_FUNCTION(void, likwid_markerstartregion_, const char *tag, int length)
{
	upcr_enter(fortran_name(tag, length));
}

UPCR_FUNCTION(void, likwid_markerstopregion_, const char *tag, int length)
{
	(void)upcr_exit(fortran_name(tag, length));
}

UPCR_FUNCTION(void, likwid_markerresetregion_, const char *tag, int length)
{
	upcr_reset(fortran_name(tag, length));
}

UPCR_FUNCTION(void, likwid_markergetregion_, const char *tag, int *events, double *values, double *time,
	      int *count, int length)
{
	get(fortran_name(tag, length), events, values, time, count);
}
