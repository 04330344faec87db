/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_trace.h - tracepoints, read from tracefs.
 */
#ifndef UPCI_CAT_TRACE_H
#define UPCI_CAT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Get the number by which perf_event_open knows "SYSTEM:EVENT". Return 0, or an error with message:
 * UPC_ENOEVENT, UPC_EPERM. */
int upci_tracepoint_id(const char *name, uint64_t *id);

struct upc_catalogue;

/* Add the single event "tp::SYSTEM:EVENT", as upci_catalogue_add_tracepoints would. If first is set, the
 * catalogue has no tracepoints yet, and the list of tracepoints that users made is read. Return the code, or
 * a negative error. */
int64_t upci_tracepoint_find_alone(struct upc_catalogue *c, const char *name, bool first);

/* True if a tracepoint belongs to the kernel or a module, which any caller who may count the kernel can open.
 * False for tracepoints that users made, which may fail for other reasons, for ftrace's, and for all if the
 * list of user-made tracepoints cannot be read. */
bool upci_tracepoint_is_plain(const char *name);

#endif
