/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_library.h - the libupc of this process, found at run time.
 * PAPI is built without libupc and runs without it.
 */
#ifndef UPC_LIBRARY_H
#define UPC_LIBRARY_H

#include <stddef.h>

#include "upc.h"

/* Every call of libupc that the component makes. */
#define UPCP_FUNCTIONS(X)          \
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

#define UPCP_MEMBER(function) __typeof__(function) *function;
struct upcp_library {
	UPCP_FUNCTIONS(UPCP_MEMBER)
};
#undef UPCP_MEMBER

/*
 * Finds libupc: the one that is already in the process (linked in, or loaded
 * by somebody else), then $UPC_LIBRARY (not in set-user-id programs), then
 * libupc.so.0 of the loader's search path, then UPC_LIBDIR's. NULL where none
 * can be used; reason then has in plain words why not and what to do, and *lack is EMFILE,
 * ENFILE or ENOMEM where the loader lacked that, which can pass, else 0.
 * Found once, it stays for the life of the process.
 * Context: one thread at a time.
 */
const struct upcp_library *upcp_library_find(char *reason, size_t size, int *lack);

#endif /* UPC_LIBRARY_H */
