/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_report.c - one line on standard error for the first refusal of each kind.
 * PAPI hands its callers a bare number; this is where the words go.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upc_report.h"

static unsigned said; /* bit per kind; partners: only this file's atomics */

static int quiet(void)
{
	const char *wish = getenv("UPC_QUIET");

	return wish && *wish && strcmp(wish, "0") != 0;
}

void upcp_report(enum upcp_report kind, const char *message)
{
	unsigned bit = 1u << kind;

	if (!*message || quiet())
		return;
	if (__atomic_fetch_or(&said, bit, __ATOMIC_RELAXED) & bit)
		return;
	fprintf(stderr, "PAPI upc: %s\n", message);
}
