/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_share.c - shows units to other processes. A program is not to fail because
 * nobody can watch it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <stdio.h>
#include <stdlib.h>

#include "upc_report.h"
#include "upc_share.h"

#define SHOWN_MAX 256 /* sets under one name */

void upcp_share(struct upcp_set *set)
{
	char name[128];
	const char *wish;
	int error = UPC_ESTATE;
	int i;

	/* Once, in ordinary context: no handler is the first to start a set. */
	if (set->shown)
		return;
	set->shown = 1;
	wish = secure_getenv("UPC_SHARE");
	if (!wish || !*wish)
		return;
	for (i = 1; i <= SHOWN_MAX && error == UPC_ESTATE; i++) {
		int length = i == 1 ? snprintf(name, sizeof(name), "%s", wish)
				    : snprintf(name, sizeof(name), "%s-%d", wish, i);

		/* Cut off it would be another name; libupc refuses it whole. */
		error = set->lib->upc_unit_share(set->unit, length < (int)sizeof(name) ? name : wish, NULL);
	}
	if (error)
		upcp_report(UPCP_REPORT_SHARE, set->lib->upc_last_message());
}

void upcp_unshare(struct upcp_set *set)
{
	set->lib->upc_unit_unshare(set->unit);
	set->shown = 0;
}
