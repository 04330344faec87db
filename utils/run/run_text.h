/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_text.h - the report of a run as text.
 */
#ifndef RUN_TEXT_H
#define RUN_TEXT_H

#include "run/run_report.h"

/* Print upc_run's form, or upc_stat's if stat. Return false if memory is short. */
bool run_text(const struct run_report *report, const struct sheet *sheet, bool stat);

#endif
