/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_report.h - the report that the shim writes at the end of a process.
 */
#ifndef MPXI_SHIM_REPORT_H
#define MPXI_SHIM_REPORT_H

#include <stdbool.h>

/* Read from the environment whether a report is requested, and where it goes. */
void shim_report_begin(void);
bool shim_wants_report(void);
/* True if counts are also requested for each place of a start. */
bool shim_wants_places(void);
/* Note the settings that libmpx has chosen, for the report's head. Called once libmpx is initialised. */
void shim_report_describe(void);
/* Write all records. wait: block on locks; otherwise wait half a second in all. Allocates nothing in either
 * case. */
void shim_report_write(bool wait);

#endif
