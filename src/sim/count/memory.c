/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - allocates memory of sparse files before it is touched.
 */
#include "count/memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE /* Linux 5.14; older kernels return EINVAL */
#define MADV_POPULATE_WRITE 23
#endif

/* The kernel touches the page for us, and returns EFAULT where an access would raise SIGBUS. A page that can
 * be read can also be written. */
static bool touch_page(const char *page)
{
	struct iovec from = {(void *)(uintptr_t)page, 1}, to = {&(char){0}, 1};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) >= 0 || errno != EFAULT;
}

bool upcs_memory_take(const void *begin, size_t bytes)
{
	uintptr_t first = (uintptr_t)begin & ~(uintptr_t)(UPCS_PAGE - 1);
	uintptr_t last = ((uintptr_t)begin + bytes + UPCS_PAGE - 1) & ~(uintptr_t)(UPCS_PAGE - 1);
	int error = errno;
	bool has = madvise((void *)first, last - first, MADV_POPULATE_WRITE) == 0;

	if (!has && errno == EINVAL)
		for (has = true; has && first < last; first += UPCS_PAGE)
			has = touch_page((const char *)first);
	errno = error;
	return has;
}
