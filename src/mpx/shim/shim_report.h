/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_report.h - the report that the shim writes at the end of a process.
 */
#ifndef MPXI_SHIM_REPORT_H
#define MPXI_SHIM_REPORT_H

#include <stdbool.h>

/* Reads from the environment whether a report is wanted, and where it goes. */
void shim_report_begin(void);
bool shim_wants_report(void);
/* By the places of starts, too? */
bool shim_wants_places(void);
/* Once libmpx is ready: what it has chosen, for the head. */
void shim_report_describe(void);
/* Writes all records. wait: for locks; it may allocate nothing in either case. */
void shim_report_write(bool wait);

#endif
