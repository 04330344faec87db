/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * list.h - lists that grow. list is the address of the pointer to the first of them, which stays as it is
 * where there is no memory: then both say false.
 */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Room for n. */
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

/* Room for one more than the n that there are: it doubles at powers of two, of a list that has never had
 * room made otherwise. */
static inline bool util_grow(void *list, size_t n, size_t size)
{
	return (n & (n - 1)) != 0 || util_resize(list, 2 * n, size);
}

#endif
