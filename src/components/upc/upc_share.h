/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_share.h - shows the units of running sets to other processes (upc_top), under the name in
 * $UPC_SHARE.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_SHARE_H
#define UPC_SHARE_H

#include "upc_set.h"

/*
 * Show the set's unit from its first start until it is destroyed, as NAME, or as NAME-2, NAME-3,
 * ... if other sets have the name. A failure is reported once. $UPC_SHARE is ignored in set-user-ID
 * programs. Later calls do nothing and are async-signal-safe. In a forked child the first call acts
 * again, because the child's copy is not shown.
 */
void upcp_share(struct upcp_set *set);

/* Undo upcp_share. */
void upcp_unshare(struct upcp_set *set);

#endif /* UPC_SHARE_H */
