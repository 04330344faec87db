/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_trace.h - tracepoints, by way of tracefs.
 */
#ifndef UPCI_CAT_TRACE_H
#define UPCI_CAT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* The number by which perf_event_open knows "SYSTEM:EVENT". Errors with
 * message: UPC_ENOEVENT, UPC_EPERM. */
int upci_tracepoint_id(const char *name, uint64_t *id);

struct upc_catalogue;

/* Adds "tp::SYSTEM:EVENT" alone, as upci_catalogue_add_tracepoints would; the first of a catalogue
 * looks for those that somebody has made. The code, or a negative error. */
int64_t upci_tracepoint_find_alone(struct upc_catalogue *c, const char *name, bool first);

/* Whether it is one of the kernel's or of a module's, which opens for everybody who may count
 * the kernel. Not so are those that somebody has made, which may fail for reasons of their
 * own, and ftrace's; and none is known to be where that cannot be read. */
bool upci_tracepoint_is_plain(const char *name);

#endif
