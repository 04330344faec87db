/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * near.c - how far a name is from the one that was typed.
 */
#include "lib/near.h"

#include <ctype.h>
#include <string.h>

#define PART_MIN 3 /* a part of a name that says something */

unsigned util_distance(const char *a, const char *b)
{
	size_t n = strnlen(a, UTIL_NEAR_MAX), m = strnlen(b, UTIL_NEAR_MAX);
	unsigned row[UTIL_NEAR_MAX + 1];

	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
			unsigned best = corner + !same;

			corner = row[j];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > row[j - 1] + 1)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

bool util_is_near(const char *wrong, const char *name, unsigned far)
{
	return far <= 1 + strlen(wrong) / 3 ||
	       (strlen(wrong) >= PART_MIN && strcasestr(name, wrong) != NULL) ||
	       (strlen(name) >= PART_MIN && strcasestr(wrong, name) != NULL);
}
