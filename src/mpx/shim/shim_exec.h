/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_exec.h - hooks that shim_exec.c calls before exec, _exit and posix_spawn, and the environment
 * variables that configure the shim.
 *
 * Terms: shim/shim.h.
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

/* True if this process owns the shim's state: always, except in a vfork child, which shares its parent's
 * memory. */
bool shim_is_owner(void);
/* Note that the process starts another process. */
void shim_has_children(void);
/* Prepare for an exec: pause the timers, and report the counts so far. path is the file to be executed,
 * or NULL if it is not known. If path is not executable, the exec will fail, and no report is written:
 * programs try one directory after the other. Return the argument for shim_exec_failed. */
void *shim_exec_begins(const char *path);
/* Resume the timers after a failed exec. paused is the result of shim_exec_begins. Preserves errno. */
void shim_exec_failed(void *paused);
/* Write the report before an _exit with this status. Context: any, including signal handlers. Waits for
 * locks for half a second at most. */
void shim_report_quickly(int status);

#endif
