/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libhpm.h - instrumented sections, by the calls of IBM's HPM Toolkit: for programs that have them
 * already. Link with -lhpm (or -lhpm_r, which is the same), or run the program with upc_regions.
 *
 * A section has a number, from 0 to below HPM_NUM_INST_PTS (environment; 100), and a label of any
 * bytes; other numbers are left out, with a message. Sections nest and overlap. The events are those
 * that the environment variable UPC_REGIONS_EVENTS names, a list of PAPI's names with commas. Numbers
 * and labels are those of the first start.
 *
 * hpmTerminate writes the sections into the file HPM_OUTPUT_NAME + task + "." + process, and so does
 * the end of the program if there were sections after that; HPM_OUTPUT_NAME is "perfhpm" where the
 * environment has no other. Under upc_regions, which writes a table, there is no such file.
 *
 * From Fortran: f_hpminit(task, program), f_hpmstart(number, label), f_hpmstop(number),
 * f_hpmtstart, f_hpmtstop, f_hpmterminate(task), f_hpmgettimeandcounters(n, time, values),
 * f_hpmgetcounters(values); integers are integer*4, values integer*8, time real*8.
 *
 * Context: any thread. A section of hpmStart is started once at a time in the whole process, those of
 * hpmTstart once in each thread; each thread counts its own.
 */
#ifndef LIBHPM_H
#define LIBHPM_H

#ifdef __cplusplus
extern "C" {
#endif

void hpmInit(int task, const char *program);
void hpmTerminate(int task);

void hpmStart(int number, const char *label);
void hpmStop(int number);
void hpmTstart(int number, const char *label);
void hpmTstop(int number);

/* Gives the calling thread's seconds and first n events, since its first call. An event that has not
 * been counted is -1. */
void hpmGetTimeAndCounters(int n, double *time, long long *values);
/* All events. */
void hpmGetCounters(long long *values);

/* The same starts and ends, with the place where they are. */
void hpmStart_at(int number, const char *label, const char *file, int line);
void hpmStop_at(int number, const char *file, int line);
void hpmTstart_at(int number, const char *label, const char *file, int line);
void hpmTstop_at(int number, const char *file, int line);

#ifdef __cplusplus
}
#endif

#ifndef LIBHPM_NO_PLACES
#define hpmStart(number, label) hpmStart_at(number, label, __FILE__, __LINE__)
#define hpmStop(number) hpmStop_at(number, __FILE__, __LINE__)
#define hpmTstart(number, label) hpmTstart_at(number, label, __FILE__, __LINE__)
#define hpmTstop(number) hpmTstop_at(number, __FILE__, __LINE__)
#endif

#endif
