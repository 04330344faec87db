/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace_file.h - replay scripts that are read from an open file, and checked.
 */
#ifndef UPCI_TRACE_FILE_H
#define UPCI_TRACE_FILE_H

#include "replay/trace.h"

/* A script is read whole, and takes up to some thirty times its size then. */
#define UPCI_TRACE_BYTES_MAX ((size_t)1 << 30)

/*
 * Reads fd to its end, and parses that; the caller closes fd. Leaves no message, since
 * only its callers know what they call the file. Returns 0, UPC_EWIRING with *error,
 * UPC_EINVAL (more than UPCI_TRACE_BYTES_MAX bytes), UPC_ENOMEM, or UPC_ESYSTEM (it
 * cannot be read: errno). The caller frees *trace with upci_trace_free.
 */
int upci_trace_load(int fd, struct upci_trace *trace, struct upci_trace_error *error);

#endif
