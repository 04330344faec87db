/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_report.h - the report that the shim writes at the end of a process.
 *
 * Terms: shim/shim.h.
 */
#ifndef MPXI_SHIM_REPORT_H
#define MPXI_SHIM_REPORT_H

#include <stdbool.h>

/* Read from the environment whether a report is requested, and to which file it is written. */
void shim_report_begin(void);
bool shim_wants_report(void);
/* True if counts are also requested for each place of a start. */
bool shim_wants_places(void);
/* Record the settings that libmpx has chosen, for the head of the report. Called once libmpx is
 * initialised. */
void shim_report_describe(void);
/* Write the report with all records. wait: wait for locks without a limit; otherwise all waits together
 * take at most half a second. Allocates no memory in either case. */
void shim_report_write(bool wait);

#endif
