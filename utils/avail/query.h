/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * query.h - a search by words: "cache miss" finds "Misses of the L1 data cache".
 */
#ifndef UTIL_QUERY_H
#define UTIL_QUERY_H

#include <stdbool.h>

/*
 * Whether each word of the query is in the name or the description (NULL: none), in any order
 * and in any form: "misses", "missed" and "missing" are "miss". Words are of letters and digits;
 * case is none. A query without a word is in nothing.
 */
bool util_words_match(const char *query, const char *name, const char *description);

#endif
