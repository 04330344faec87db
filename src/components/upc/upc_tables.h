/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_tables.h - PAPI's tables of a set's overflows and profiles, and corrections where PAPI leaves
 * them wrong. Includes PAPI's internal headers.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_TABLES_H
#define UPC_TABLES_H

#include "papi.h"
#include "papi_internal.h"
#include "papi_vector.h"

#include "upc_set.h"

/* A copy of PAPI's tables of a set's overflows and profiles. */
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

/*
 * Correct the event indices of the overflow table. PAPI closes the gap that a removed event leaves,
 * but the table keeps the old indices of the other events.
 */
void upcp_tables_correct(EventSetInfo_t *owner);

/*
 * Remove the profile of every event that has no overflow any more. PAPI leaves such a profile when
 * it removes the overflow itself, in order to remove an event or clean up a set. Cleaning up would
 * then fail, and the next handler would use the old buffers.
 */
void upcp_tables_drop_profiles(EventSetInfo_t *owner);

/* Save the tables in *good. */
void upcp_tables_remember(struct upcp_tables *good, const EventSetInfo_t *owner);
/*
 * Restore the tables from *good after a call that failed. PAPI enters a request in its tables
 * before it calls the component, and does not remove the request on failure.
 */
void upcp_tables_put_back(EventSetInfo_t *owner, const struct upcp_tables *good);

/*
 * Return the position of the event in an entry of the overflow table, or -1 if the event is not in
 * the set.
 */
int upcp_tables_position(const EventSetInfo_t *owner, int entry);
/* Exchange two positions in PAPI's arrays. */
void upcp_tables_swap(EventSetInfo_t *owner, int a, int b);

#endif /* UPC_TABLES_H */
