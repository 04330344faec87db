/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_share.h - shows the units of running sets to other processes (upc_top), under
 * the name that $UPC_SHARE has.
 */
#ifndef UPC_SHARE_H
#define UPC_SHARE_H

#include "upc_set.h"

/*
 * Shows the set's unit from its first start on, until it is destroyed: as NAME, or
 * NAME-2, NAME-3, ... where others are shown already. A failure is reported once. $UPC_SHARE is ignored
 * in set-user-id programs. Does nothing from the second call on, in signal handlers as well, but once
 * more in a forked child, whose copy is not shown.
 */
void upcp_share(struct upcp_set *set);

/* As if upcp_share had not been called. */
void upcp_unshare(struct upcp_set *set);

#endif /* UPC_SHARE_H */
