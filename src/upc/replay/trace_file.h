/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace_file.h - reads replay scripts from an open file and checks them.
 * Terms: replay/replay.h.
 */
#ifndef UPCI_TRACE_FILE_H
#define UPCI_TRACE_FILE_H

#include "replay/trace.h"

/* Maximum size of a script. It is read whole, and then takes up to about thirty times its size in memory. */
#define UPCI_TRACE_BYTES_MAX ((size_t)1 << 30)

/*
 * Read fd to its end, and parse the text; the caller closes fd. Sets no message, since only the callers know
 * the name of the file. Return 0, UPC_EWIRING with *error, UPC_EINVAL (more than UPCI_TRACE_BYTES_MAX bytes),
 * UPC_ENOMEM, or UPC_ESYSTEM with errno (the read failed). The caller frees *trace with upci_trace_free.
 */
int upci_trace_load(int fd, struct upci_trace *trace, struct upci_trace_error *error);

#endif
