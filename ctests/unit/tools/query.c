/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A search by words, in names and descriptions.
 */
#include "../../../utils/avail/query.h"

#include "../unit_test.h"

TEST(test_found)
{
	static const struct {
		const char *query, *name, *description;
	} cases[] = {
		{"cache miss", "PU0_DCACHE_MISS", "Misses of the L1 data cache of processor core 0."},
		{"miss cache", "perf::CACHE-MISSES", NULL},
		{"Cache Misses", "perf::CACHE-MISSES", ""},
		{"bytes sent", "net::eth0:tx_bytes", "Bytes sent on network interface eth0."},
		{"byte, sent!", "net::eth0:tx_bytes", "Bytes sent on network interface eth0."},
		{"page fault", "perf::PAGE-FAULTS", NULL},
		{"context switching", "perf::CONTEXT-SWITCHES", NULL},
		{"retry", "x", "Retries of a request."},
		{"stall", "x", "Cycles in which it was stalled."},
		{"l1", "x", "Misses of the L1 data cache."},
		{"reads writes", "x", "What it has read and is writing."},
		{"address", "x", "Addresses."},
		{"sent tx", "net::eth0:tx_bytes", "Bytes sent."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!util_words_match(cases[i].query, cases[i].name, cases[i].description))
			fail_msg("%s", cases[i].query);
}

TEST(test_not_found)
{
	static const struct {
		const char *query, *name, *description;
	} cases[] = {
		{"", "perf::PAGE-FAULTS", "Page faults."},
		{" -,", "perf::PAGE-FAULTS", "Page faults."},
		{"cache miss", "x", "Hits of the cache."},
		{"cache miss", "x", "Misses of the branch predictor."},
		{"ache", "x", "Misses of the cache."},
		{"mis", "x", "Mistakes."},
		{"l1", "x", "Misses of the L12."},
		{"bytes received", "net::eth0:tx_bytes", "Bytes sent."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (util_words_match(cases[i].query, cases[i].name, cases[i].description))
			fail_msg("%s", cases[i].query);
}

TEST(test_long_words)
{
	char query[200];

	memset(query, 'a', sizeof(query) - 1);
	query[sizeof(query) - 1] = '\0';
	assert_true(util_words_match(query, query, NULL));
	assert_false(util_words_match(query, "a", "aaaa"));
}

UNIT_TESTS(query, NULL, NULL)
