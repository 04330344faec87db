/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_model - the node's tallies are the events of the four cores, in the order of their ids.
 */
#include <stdbool.h>

#include "../unit_test.h"

#include "decode/model.h"

#define UPC_BGP(id, name) [id] = #name,
static const char *const event[512] = {
#include "catalogue/bgp_events.def"
};

TEST(test_each_event_of_each_core)
{
	unsigned core, k;
	char name[80];

	for (core = 0; core < UPCS_CORES; core++) {
		for (k = 0; k < UPCS_EVENTS; k++) {
			snprintf(name, sizeof(name), "PU%u_%s", core, upcs_tally_name[upcs_tally_at[k]]);
			assert_non_null(event[upcs_core_first[core] + k]);
			assert_string_equal(event[upcs_core_first[core] + k], name);
		}
	}
	assert_string_equal(upcs_tally_name[UPCS_INSTRUCTIONS], "INSTRUCTIONS");
	assert_string_equal(upcs_tally_name[UPCS_UNKNOWN], "UNKNOWN");
}

/* Each tally has a place of its own; programs that are linked with an older library know these. */
TEST(test_places)
{
	unsigned t;

	for (t = 0; t < UPCS_TALLIES; t++)
		assert_int_equal(upcs_tally_at[upcs_tally_place[t]], t);
	assert_int_equal(upcs_tally_place[UPCS_JPIPE_INSTRUCTIONS], 0);
	assert_int_equal(upcs_tally_place[UPCS_DCACHE_LINEFILLINPROG], 13);
	assert_int_equal(upcs_tally_place[UPCS_DATA_LOADS], 17);
	assert_int_equal(upcs_tally_place[UPCS_FPU_OTHER_STORES], 34);
	assert_int_equal(upcs_tally_place[UPCS_INSTRUCTIONS], 35);
	assert_int_equal(upcs_tally_place[UPCS_UNKNOWN], 36);
}

/* Six are left to the memory model. */
TEST(test_what_is_produced)
{
	unsigned k, n = 0;

	for (k = 0; k < UPCS_TALLIES; k++) {
		const char *name = upcs_tally_name[k];
		bool is_cache = strstr(name, "_HIT") || strstr(name, "_MISS") || strstr(name, "LINEFILL");

		assert_int_equal(upcs_is_produced(k), !is_cache);
		n += !is_cache;
	}
	assert_int_equal(n, UPCS_TALLIES - 6);
	assert_int_equal(n, UPCS_STATIC);
}

UNIT_TESTS(sim_model, NULL, NULL)
