/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libhpm.h - instrumented sections with the calls of IBM's HPM Toolkit, for programs that already contain
 * these calls. Link with -lhpm (or -lhpm_r, which is the same library), or run the program with upc_regions.
 *
 * A section has a number and a label. Numbers go from 0 to HPM_NUM_INST_PTS - 1 (an environment variable;
 * 100 by default). A call with a number outside this range has no effect; the first such call prints a
 * message. A label may contain any bytes. The first start of a section fixes its number and label. Sections
 * nest and overlap. The environment variable UPC_REGIONS_EVENTS lists the events: PAPI names separated by
 * commas.
 *
 * hpmTerminate writes the sections into the file HPM_OUTPUT_NAME + task + "." + process. If sections run
 * after hpmTerminate, the file is written again when the program ends. HPM_OUTPUT_NAME is an environment
 * variable ("perfhpm" by default). Under upc_regions, which writes a table, there is no such file.
 *
 * From Fortran: f_hpminit(task, program), f_hpmstart(number, label), f_hpmstop(number),
 * f_hpmtstart, f_hpmtstop, f_hpmterminate(task), f_hpmgettimeandcounters(n, time, values),
 * f_hpmgetcounters(values); integers are integer*4, values integer*8, time real*8.
 *
 * Context: any thread. In the whole process, only one hpmStart section of a number is open at a time. In
 * each thread, only one hpmTstart section of a number is open at a time. Each thread counts its own
 * sections.
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

/* Store the calling thread's elapsed seconds and its first n event counts, both since the thread's first
 * call. The value of an event that has not been counted is -1. */
void hpmGetTimeAndCounters(int n, double *time, long long *values);
/* Store the counts of all events. */
void hpmGetCounters(long long *values);

/* Do what the functions without _at do, and record the source file and line of the call. */
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
