/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_share.c - shows units to other processes. If that fails, the program goes on unchanged.
 *
 * Terms: upc_set.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <stdio.h>
#include <stdlib.h>

#include "upc_report.h"
#include "upc_share.h"

#define SHOWN_MAX 256 /* sets per name */

void upcp_share(struct upcp_set *set)
{
	char name[128];
	const char *wish;
	int error = UPC_ESTATE;
	int i;

	/* Only the first start of a set, which is never in a signal handler, gets past this test. */
	if (set->shown)
		return;
	set->shown = 1;
	wish = secure_getenv("UPC_SHARE");
	if (!wish || !*wish)
		return;
	for (i = 1; i <= SHOWN_MAX && error == UPC_ESTATE; i++) {
		int length = i == 1 ? snprintf(name, sizeof(name), "%s", wish)
				    : snprintf(name, sizeof(name), "%s-%d", wish, i);

		/*
		 * If the name is truncated, it would be a different name. Pass the whole of $UPC_SHARE
		 * instead, which libupc then refuses as too long.
		 */
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
