/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_library.h - the libupc of this process, found at run time.
 * PAPI is built without libupc and runs without it.
 */
#ifndef UPC_LIBRARY_H
#define UPC_LIBRARY_H

#include <stddef.h>

#include "runtime/libupc.h"

/*
 * Finds libupc: the one that is already in the process (linked in, or loaded
 * by somebody else), then $UPC_LIBRARY (not in set-user-id programs), then
 * libupc.so.0 of the loader's search path, then UPC_LIBDIR's. NULL where none
 * can be used; reason then has in plain words why not and what to do, and *lack is EMFILE,
 * ENFILE or ENOMEM where the loader lacked that, which can pass, else 0.
 * Found once, it stays for the life of the process.
 * Context: one thread at a time.
 */
const struct mpxi_libupc *upcp_library_find(char *reason, size_t size, int *lack);

#endif /* UPC_LIBRARY_H */
