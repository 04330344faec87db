/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_exec.h - hooks that shim_exec.c calls before exec, _exit and posix_spawn, and the environment
 * variables that configure the shim.
 */
#ifndef MPXI_SHIM_EXEC_H
#define MPXI_SHIM_EXEC_H

#include <stdbool.h>

#define SHIM_EXPORT __attribute__((visibility("default")))

/* Environment variables through which mpx_run passes its options to the shim. */
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

/* True except in a vfork child, which shares its parent's memory. */
bool shim_is_owner(void);
/* Note that the process starts another process. */
void shim_has_children(void);
/* Prepare for an exec: pause the timers, and report the counts so far. path: the file if known, else NULL.
 * No report is written if path is not executable, since programs try a list of directories. Return the
 * argument of shim_exec_failed. */
void *shim_exec_begins(const char *path);
/* Resume after a failed exec. paused: the result of shim_exec_begins. Keeps errno. */
void shim_exec_failed(void *paused);
/* Write the report before an _exit with this status. Context: any, signal handlers included; waits for
 * locks half a second at most. */
void shim_report_quickly(int status);

#endif
