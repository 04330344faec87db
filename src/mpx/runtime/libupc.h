/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libupc.h - a table of libupc's functions. PAPI is built without libupc; its component upc finds libupc at
 * run time (upc_library.c).
 */
#ifndef MPXI_LIBUPC_H
#define MPXI_LIBUPC_H

#include "upc.h"

/* Every function of libupc that the component calls. */
#define MPXI_LIBUPC_CALLS(X)       \
	X(upc_abi_version)         \
	X(upc_version)             \
	X(upc_strerror)            \
	X(upc_last_message)        \
	X(upc_catalogue_open)      \
	X(upc_catalogue_close)     \
	X(upc_catalogue_count)     \
	X(upc_catalogue_find)      \
	X(upc_catalogue_info)      \
	X(upc_catalogue_name)      \
	X(upc_catalogue_missing)   \
	X(upc_catalogue_terms)     \
	X(upc_catalogue_needs_pmu) \
	X(upc_unit_create)         \
	X(upc_unit_destroy)        \
	X(upc_unit_retarget)       \
	X(upc_transaction_begin)   \
	X(upc_transaction_add)     \
	X(upc_transaction_remove)  \
	X(upc_transaction_commit)  \
	X(upc_transaction_abort)   \
	X(upc_unit_open)           \
	X(upc_unit_start)          \
	X(upc_unit_stop)           \
	X(upc_unit_running)        \
	X(upc_unit_reset)          \
	X(upc_unit_list)           \
	X(upc_unit_read_added)     \
	X(upc_unit_read_events)    \
	X(upc_unit_get_events)     \
	X(upc_unit_write_events)   \
	X(upc_unit_set_interrupt)  \
	X(upc_unit_set_threshold)  \
	X(upc_unit_signalled)      \
	X(upc_unit_play)           \
	X(upc_unit_playable)       \
	X(upc_unit_share)          \
	X(upc_unit_unshare)

#define MPXI_LIBUPC_MEMBER(function) __typeof__(function) *function;
struct mpxi_libupc {
	MPXI_LIBUPC_CALLS(MPXI_LIBUPC_MEMBER)
};
#undef MPXI_LIBUPC_MEMBER

/* True if a read that returned this error has still stored values, which may be incomplete or damaged. */
static inline int mpxi_has_values(int error)
{
	return !error || error == UPC_ELOST || error == UPC_EPARTIAL || error == UPC_EPARITY;
}

#endif
