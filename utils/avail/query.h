/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * query.h - searches events by words: "cache miss" finds "Misses of the L1 data cache".
 */
#ifndef UTIL_QUERY_H
#define UTIL_QUERY_H

#include <stdbool.h>

/*
 * Return true if each word of the query is in the name or in the description (NULL: none), in any order and
 * form: "misses", "missed" and "missing" match "miss". Words consist of letters and digits; case is ignored.
 * A query without words matches nothing.
 */
bool util_words_match(const char *query, const char *name, const char *description);

#endif
