/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_report.h - what the user should hear once. One line each on standard error, a
 * few of a kind at most, none with UPC_QUIET=1.
 */
#ifndef UPC_REPORT_H
#define UPC_REPORT_H

enum upcp_report {
	UPCP_REPORT_NAME,        /* a name that is not there, or not driven */
	UPCP_REPORT_CONFLICT,    /* events that do not fit together         */
	UPCP_REPORT_DESCRIPTORS, /* too few file descriptors                */
	UPCP_REPORT_PERMISSION,  /* the machine forbids it                  */
	UPCP_REPORT_LOST,        /* a value that is not the whole truth     */
	UPCP_REPORT_PARITY,      /* a value that is damaged                 */
	UPCP_REPORT_REFUSED,     /* what a source cannot give               */
	UPCP_REPORT_SIGNAL,      /* the overflow signal                     */
	UPCP_REPORT_STACK,       /* who calls cannot be found               */
	UPCP_REPORT_SHARE,       /* a unit that cannot be shown to others   */
};

/* Prints message, unless it was printed before, or enough of its kind, or it is empty.
 * Context: any thread; not for signal handlers. */
void upcp_report(enum upcp_report kind, const char *message);

/* In a signal handler: a whole line, each time. */
void upcp_report_from_handler(const char *message);

#endif /* UPC_REPORT_H */
