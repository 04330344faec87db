/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - memory of sparse files, taken before it is touched.
 */
#include "memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE /* Linux 5.14; older ones answer EINVAL */
#define MADV_POPULATE_WRITE 23
#endif

bool upcs_memory_take(const void *begin, size_t bytes)
{
	uintptr_t first = (uintptr_t)begin & ~(uintptr_t)(UPCS_PAGE - 1);
	uintptr_t last = ((uintptr_t)begin + bytes + UPCS_PAGE - 1) & ~(uintptr_t)(UPCS_PAGE - 1);
	int error = errno;
	bool has = madvise((void *)first, last - first, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;

	errno = error;
	return has;
}
