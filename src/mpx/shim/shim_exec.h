/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_exec.h - what of the process the shim stands in: exec, _exit, signals that end it.
 */
#ifndef MPXI_SHIM_EXEC_H
#define MPXI_SHIM_EXEC_H

#include <stdbool.h>

#define SHIM_EXPORT __attribute__((visibility("default")))

/* Environment variables by which mpx_run tells the shim what to do. */
#define SHIM_SLICE "MPX_RUN_SLICE_NS"
#define SHIM_TIMER "MPX_RUN_TIMER"
#define SHIM_CLOCK "MPX_RUN_CLOCK"
#define SHIM_ESTIMATOR "MPX_RUN_ESTIMATOR"
#define SHIM_COVARIATE "MPX_RUN_COVARIATE"
#define SHIM_GROUP_MAX "MPX_RUN_GROUP_MAX"
#define SHIM_SEED "MPX_RUN_SEED"
#define SHIM_QUIET "MPX_RUN_QUIET"
#define SHIM_REPORT "MPX_RUN_REPORT" /* "text:", "json:" or "csv:" and a path, or none */
#define SHIM_BY_PLACE "MPX_RUN_BY_PLACE"
#define SHIM_FIRST_PROCESS "MPX_RUN_PID"
#define SHIM_LIBRARY "MPX_RUN_LIBRARY"

/* Not in a child that shares our memory (vfork). */
bool shim_is_owner(void);
/* The process has started another. */
void shim_has_children(void);
/* An exec comes, of path where that is known: programs try a list of directories. Ticks pause, and
 * what was counted so far is reported. */
void *shim_exec_begins(const char *path);
/* It has failed: what begins gave. Keeps errno. */
void shim_exec_failed(void *paused);
/* The report before an _exit with this status, where no lock may be waited for. */
void shim_report_quickly(int status);

#endif
