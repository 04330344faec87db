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
	UPCP_REPORT_SETTING,     /* a variable that is wrong                */
};

/* Reads $UPC_QUIET. Context: PAPI_library_init. */
void upcp_report_open(void);

/*
 * Says message, unless it was said before, or enough of its kind, or it is empty. Where the
 * thread has a set that runs, which would count the saying, or a signal handler is about, it
 * is said when the set has stopped, or the process ends.
 * Context: any, signal handlers as well: nothing is printed there, allocated or locked, and of
 * stdio there is snprintf of strings alone.
 */
void upcp_report(enum upcp_report kind, const char *message);

/* Says the message of the core of MPX, and returns its error as one that was told (MPXI_TOLD). Context as
 * above. */
int upcp_report_core(int error);

/* The calling thread has started a set; has stopped one. */
void upcp_report_started(void);
void upcp_report_stopped(void);

/* In the child of a fork: none runs, and what was put off is the parent's to say. */
void upcp_report_forked(void);

#endif /* UPC_REPORT_H */
