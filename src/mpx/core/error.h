/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.h - why the calling thread's last call failed, in words. The core knows no
 * PAPI: it passes on what a backend returns, and has the codes below, which are
 * PAPI's numbers.
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

/* Gets the calling thread's memory for messages; false where there is none. Before a handler
 * may act in the thread. */
bool mpxi_error_prepare(void);

/* Sets the calling thread's message and returns error. In a handler of ours it returns error alone:
 * no caller reads a message there, and the program may be about to read the message of an earlier call. */
__attribute__((format(printf, 2, 3))) int mpxi_error(int error, const char *format, ...);
const char *mpxi_last_message(void);
/* A handler of ours is at work in this thread. Initial-exec, since handlers read it.
 * Partner: the handler on the same thread. */
extern _Thread_local volatile bool mpxi_in_handler __attribute__((tls_model("initial-exec")));
/* How many messages the calling thread has had: did a call that failed say why? */
unsigned mpxi_error_count(void);

#endif
