/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.h - the message about the calling thread's last failed call. The core does not include PAPI's
 * header. It passes on the backend's error codes, and its own codes below have PAPI's values.
 */
#ifndef MPXI_ERROR_H
#define MPXI_ERROR_H

#include <stdbool.h>

enum {
	MPXI_OK = 0,
	MPXI_EINVAL = -1,
	MPXI_ENOMEM = -2,
	MPXI_ESYS = -3,
	MPXI_EBUG = -6,
	MPXI_ENOEVNT = -7,
	MPXI_ECNFLCT = -8,
	MPXI_ENOTRUN = -9,
	MPXI_EISRUN = -10,
	MPXI_ENOEVST = -11,
	MPXI_EPERM = -15,
	MPXI_ENOINIT = -16,
	MPXI_ENOSUPP = -18,
};

/* Allocate the calling thread's memory for messages; false: out of memory. Must be called before a handler
 * may run in the thread. */
bool mpxi_error_prepare(void);

/* Set the calling thread's message and return error. In a handler of this library only return error: no
 * caller reads a message there, and the program may be about to read the message of an earlier call. */
__attribute__((format(printf, 2, 3))) int mpxi_error(int error, const char *format, ...);
const char *mpxi_last_message(void);
/* True while a handler of this library runs in this thread. The variable is in initial-exec TLS, since
 * handlers read it. The stores are by the handler on the same thread. */
extern _Thread_local volatile bool mpxi_in_handler __attribute__((tls_model("initial-exec")));
/* Return the number of messages set for the calling thread so far. A caller compares two values to find out
 * whether a failed call has set a message. */
unsigned mpxi_error_count(void);

#endif
