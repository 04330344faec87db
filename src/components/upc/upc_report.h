/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_report.h - reports problems to the user, each once: one line on standard error, at most a few
 * lines per kind, and none with UPC_QUIET=1.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_REPORT_H
#define UPC_REPORT_H

enum upcp_report {
	UPCP_REPORT_NAME,        /* a name that is unknown or has no source */
	UPCP_REPORT_CONFLICT,    /* events that do not fit together         */
	UPCP_REPORT_DESCRIPTORS, /* too few file descriptors                */
	UPCP_REPORT_PERMISSION,  /* the machine forbids it                  */
	UPCP_REPORT_LOST,        /* a value that is incomplete              */
	UPCP_REPORT_PARITY,      /* a value that is damaged                 */
	UPCP_REPORT_REFUSED,     /* a request that a source does not support */
	UPCP_REPORT_SIGNAL,      /* the overflow signal                     */
	UPCP_REPORT_STACK,       /* the stack cannot be walked              */
	UPCP_REPORT_SHARE,       /* a unit that cannot be shown to others   */
	UPCP_REPORT_SETTING,     /* an environment variable that is wrong   */
};

/* Read $UPC_QUIET. Context: PAPI_library_init. */
void upcp_report_open(void);

/*
 * Report a message. A message is dropped if it is empty, if it was reported before, or if its kind
 * already has its maximum number of lines. If the thread has a running set, which would count the
 * writing, or if a signal handler is on the stack, the line is written when the set has stopped or
 * the process ends.
 *
 * Context: any, including signal handlers. In a handler nothing is written, allocated or locked,
 * and the only stdio function is snprintf with %s.
 */
void upcp_report(enum upcp_report kind, const char *message);

/*
 * Report the last message of MPX's core, and return its error as one that was reported (minus
 * MPXI_TOLD). Context: as upcp_report.
 */
int upcp_report_core(int error);

/* Record that the calling thread has started a set, or stopped one. */
void upcp_report_started(void);
void upcp_report_stopped(void);

/*
 * Reset the state in the child of a fork. No set runs in the child, and the parent writes the lines
 * that are not yet written.
 */
void upcp_report_forked(void);

#endif /* UPC_REPORT_H */
