/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_library.h - finds libupc at run time. PAPI is built without libupc and runs without it.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_LIBRARY_H
#define UPC_LIBRARY_H

#include <stddef.h>

#include "runtime/libupc.h"

/*
 * Return the functions of libupc, or NULL if no usable libupc is found. The search order is: a
 * libupc that is linked into the program or already loaded; $UPC_LIBRARY, but not in set-user-ID
 * programs; libupc.so.0 on the loader's search path; UPC_LIBDIR.
 *
 * On failure reason says in plain words what is wrong and what to do. *lack is then EMFILE, ENFILE
 * or ENOMEM if the loader lacked that resource, which is a temporary failure, and otherwise 0. A
 * libupc that was found is used until the process ends. Context: one thread at a time.
 */
const struct mpxi_libupc *upcp_library_find(char *reason, size_t size, int *lack);

#endif /* UPC_LIBRARY_H */
