/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html.h - jobs as a page, in the form of the MSR paper: figures 3 to 8 and tables III to VII.
 */
#ifndef JOBSTAT_HTML_H
#define JOBSTAT_HTML_H

#include <stdio.h>

#include "jobstat/jobstat_data.h"

/* Return a receiver that writes an HTML page to out, which the caller keeps open. NULL: out of memory. The
 * caller frees it with jobstat_html_free. */
struct jobstat_report *jobstat_html_create(FILE *out);
void jobstat_html_free(struct jobstat_report *report);

#endif
