/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * struct.c - option and result structures that may be older or newer than the library.
 */
#include <string.h>

#include "thread.h"

/* More is no size of a later version, but a word that nobody has set. */
#define SIZE_MAX_SANE 4096

bool mpxi_struct_is_sane(size_t given_size, size_t least)
{
	return given_size >= least && given_size <= SIZE_MAX_SANE;
}

bool mpxi_struct_take(void *to, size_t known, const void *given, size_t given_size, size_t least)
{
	const unsigned char *bytes = given;
	size_t i;

	if (!mpxi_struct_is_sane(given_size, least))
		return false;
	for (i = known; i < given_size; i++)
		if (bytes[i])
			return false;
	memcpy(to, given, given_size < known ? given_size : known);
	return true;
}

bool mpxi_struct_give(void *given, size_t given_size, const void *from, size_t known, size_t least)
{
	if (!mpxi_struct_is_sane(given_size, least))
		return false;
	memcpy(given, from, given_size < known ? given_size : known);
	memcpy(given, &given_size, sizeof(given_size));
	return true;
}
