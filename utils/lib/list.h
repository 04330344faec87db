/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * list.h - growing arrays. list is the address of the pointer to the first element. If memory is short, both
 * functions return false and leave the pointer unchanged.
 */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Make room for n elements. */
static inline bool util_resize(void *list, size_t n, size_t size)
{
	void *first;

	memcpy(&first, list, sizeof(first));
	first = reallocarray(first, n ? n : 1, size);
	if (first == NULL)
		return false;
	memcpy(list, &first, sizeof(first));
	return true;
}

/* Make room for one element after the n elements of the array. The room is doubled whenever n is a power of
 * two, so no other function than this may allocate the array. */
static inline bool util_grow(void *list, size_t n, size_t size)
{
	return (n & (n - 1)) != 0 || util_resize(list, 2 * n, size);
}

#endif
