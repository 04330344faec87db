/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_tables.h - what PAPI has in its tables on a set's overflow and profiles, and where they
 * have to be mended. Includes PAPI's inside.
 */
#ifndef UPC_TABLES_H
#define UPC_TABLES_H

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"

#include "upc_set.h"

/* What PAPI's tables of a set say on overflow and profiles. */
struct upcp_tables {
	int events, profiles;
	PAPI_overflow_handler_t handler;
	int profile_flags;
	struct {
		int code, threshold;
	} event[UPCP_THRESHOLDS];
	struct {
		PAPI_sprofil_t *buffers;
		int count, threshold, code;
	} profile[UPCP_THRESHOLDS];
};

/* PAPI closes the gap that a removed event leaves, and its tables go on naming the
 * others by the places that they had. */
void upcp_tables_correct(EventSetInfo_t *owner);

/*
 * An event whose overflow is taken away has no profile any more. PAPI forgets that
 * where it takes the overflow away itself, to remove the event or to clean the set
 * up: cleaning up would then fail, and the next handler find the old buffers.
 */
void upcp_tables_drop_profiles(EventSetInfo_t *owner);

/* Keeps them as they are. */
void upcp_tables_remember(struct upcp_tables *good, const EventSetInfo_t *owner);
/* A call that fails has changed nothing: PAPI enters what is asked for before it
 * asks, and leaves it there. */
void upcp_tables_put_back(EventSetInfo_t *owner, const struct upcp_tables *good);

/* The position of the event of an entry of the overflow table, -1: it is not in the set. */
int upcp_tables_position(const EventSetInfo_t *owner, int entry);
/* Exchanges two positions in PAPI's arrays. */
void upcp_tables_swap(EventSetInfo_t *owner, int a, int b);

#endif /* UPC_TABLES_H */
