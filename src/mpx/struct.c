/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * struct.c - option and result structures that may be older or newer than the library.
 */
#include <string.h>

#include "thread.h"

bool mpxi_struct_take(void *to, size_t known, const void *given, size_t given_size, size_t least)
{
	const unsigned char *bytes = given;
	size_t i;

	if (given_size < least)
		return false;
	for (i = known; i < given_size; i++)
		if (bytes[i])
			return false;
	memcpy(to, given, given_size < known ? given_size : known);
	return true;
}

bool mpxi_struct_give(void *given, size_t given_size, const void *from, size_t known, size_t least)
{
	if (given_size < least)
		return false;
	memcpy(given, from, given_size < known ? given_size : known);
	memcpy(given, &given_size, sizeof(given_size));
	return true;
}
