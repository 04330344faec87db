/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - memory of sparse files in a tmpfs: taken before it is touched, since touching it
 * where the tmpfs is full would be a SIGBUS.
 */
#ifndef UPCS_MEMORY_H
#define UPCS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define UPCS_PAGE 4096u

/* All pages that these bytes lie in. False: some have no memory. Where the kernel cannot tell (before
 * 5.14, in a sandbox that forbids the older way): true. errno stays. */
bool upcs_memory_take(const void *begin, size_t bytes);

#endif
