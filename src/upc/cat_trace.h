/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_trace.h - tracepoints, by way of tracefs.
 */
#ifndef UPCI_CAT_TRACE_H
#define UPCI_CAT_TRACE_H

#include <stdint.h>

/* The number by which perf_event_open knows "SYSTEM:EVENT". Errors with
 * message: UPC_ENOEVENT, UPC_EPERM. */
int upci_tracepoint_id(const char *name, uint64_t *id);

#endif
