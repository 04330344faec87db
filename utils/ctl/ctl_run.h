/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_run.h - runs a command while the service yields all hardware counters.
 *
 * Terms: ctl/ctl_sheet.h.
 */
#ifndef CTL_RUN_H
#define CTL_RUN_H

#include "lib/control.h"

/* Ask the service to yield, run argv, and let the service resume. Return the exit status of argv, or a value
 * of enum util_status after printing an error. If a signal ends argv, the same signal ends this process. */
int ctl_run(struct util_control *control, char *const *argv);

#endif
