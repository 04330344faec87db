/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sized.c - reads and fills structures whose size differs from the library's.
 */
#include <string.h>

#include "base/sized.h"
#include "upc.h"

#define LARGEST 4096

static size_t size_of_given(const void *given)
{
	size_t size;

	memcpy(&size, given, sizeof(size));
	return size;
}

int upci_sized_check(const struct upci_sized *what, const void *given)
{
	size_t size;

	if (!given)
		return what->fail(UPC_EINVAL, "a struct %s is needed, with its size set", what->name);
	size = size_of_given(given);
	if (size >= what->least && size <= LARGEST)
		return 0;
	return what->fail(UPC_EINVAL, "%s: its size is %zu, which no %.3s.h has given it: set it to sizeof",
			  what->name, size, what->name);
}

int upci_sized_take(const struct upci_sized *what, void *to, const void *given)
{
	const unsigned char *bytes = given;
	size_t size, i;
	int error = upci_sized_check(what, given);

	if (error)
		return error;
	size = size_of_given(given);
	for (i = what->known; i < size; i++)
		if (bytes[i])
			return what->fail(UPC_EINVAL,
					  "%s: byte %zu is set, and this lib%.3s (%s) knows %zu bytes: it is "
					  "older than the program's %.3s.h",
					  what->name, i, what->name, UPC_VERSION_STRING, what->known,
					  what->name);
	memset(to, 0, what->known);
	memcpy(to, given, size < what->known ? size : what->known);
	return 0;
}

void upci_sized_give(const struct upci_sized *what, void *given, const void *from)
{
	size_t size = size_of_given(given), n = size < what->known ? size : what->known;

	memcpy((char *)given + sizeof(size), (const char *)from + sizeof(size), n - sizeof(size));
	memset((char *)given + n, 0, size - n);
}

void upci_sized_give_to(const struct upci_sized *what, void *array, size_t i, const void *from)
{
	size_t size = size_of_given(array);
	char *given = (char *)array + i * size;

	memcpy(given, &size, sizeof(size));
	upci_sized_give(what, given, from);
}
