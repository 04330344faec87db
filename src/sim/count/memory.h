/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - allocates memory of sparse files in a tmpfs before it is touched. Touching a page while the
 * tmpfs is full would raise SIGBUS.
 */
#ifndef UPCS_MEMORY_H
#define UPCS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define UPCS_PAGE 4096u

/* Allocate all pages that these bytes lie in. Return false if some have no memory. Return true if the kernel
 * cannot say (before 5.14, in a sandbox that forbids process_vm_readv). errno is preserved. */
bool upcs_memory_take(const void *begin, size_t bytes);

#endif
