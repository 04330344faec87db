/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_run.h - runs a command while the service has stepped aside from all hardware counters.
 */
#ifndef CTL_RUN_H
#define CTL_RUN_H

#include "lib/control.h"

/* Asks the service to step aside, runs argv, and lets the service go on. The exit status of argv, or
 * one of enum util_status, said; by a signal that ends argv it ends, too. */
int ctl_run(struct util_control *control, char *const *argv);

#endif
