/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_text.h - the report of a run for people.
 */
#ifndef RUN_TEXT_H
#define RUN_TEXT_H

#include "run/run_report.h"

/* Its own form, or upc_stat's. False: out of memory. */
bool run_text(const struct run_report *report, const struct sheet *sheet, bool stat);

#endif
