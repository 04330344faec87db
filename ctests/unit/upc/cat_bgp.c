/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Blue Gene/P events: as many as are documented, each at its id, described by
 * what its name says.
 */
#include <ctype.h>

#include "catalogue_test.h"

TEST(test_table)
{
	bool seen[512] = {false};
	uint32_t code, count = upc_catalogue_count(c);
	int events = 0, simulated = 0, waiting = 0, input[2] = {0, 0};

	for (code = 0; code < count; code++) {
		const struct upci_event *e = upci_catalogue_event(c, code);
		size_t n;

		if (e->id == UPC_NO_ID)
			continue;
		assert_in_range(e->id, 0, 511);
		assert_false(seen[e->id]);
		seen[e->id] = true;
		events++;
		input[e->id / 256]++;
		assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
		assert_int_equal(e->scope, UPC_SCOPE_CONTEXT);
		assert_int_equal(e->kind, UPC_KIND_COUNT);
		assert_non_null(strstr(e->why, "no source on this machine drives it"));
		assert_non_null(strstr(e->why, "drive NAME"));
		/* All but what waits for a model says that upc_run counts it. */
		simulated += strstr(e->why, "upc_run PROGRAM counts it exactly") != NULL;
		waiting += strstr(e->why, "upc_run does not produce it yet: the m") != NULL;
		assert_true(e->unit[0] && e->subsystem[0]);
		/* A sentence, with nothing left of the patterns. */
		n = strlen(e->description);
		if (n < 12 || !isupper((unsigned char)e->description[0]) || e->description[n - 1] != '.' ||
		    strpbrk(e->description, "$#@_") || strpbrk(e->subsystem, "$#@_"))
			fail_msg("%s: %s (%s)", e->name, e->description, e->subsystem);
		/* Every digit of the name that says which one it is, is told. */
		if (!strncmp(e->name, "PU", 2) && !strchr(e->description, e->name[2]))
			fail_msg("%s: %s", e->name, e->description);
	}
	assert_int_equal(events, 455);
	assert_int_equal(input[0], 256 - 9 - 9 - 6 - 2);
	assert_int_equal(input[1], 455 - input[0]);
	assert_int_equal(simulated, 4 * 29);
	/* The rest but torus, DMA and collective network, of which one node has none. */
	assert_int_equal(waiting, 455 - 4 * 29 - (12 + 10 + 90));
	assert_non_null(strstr(event("PU1_FPU_FMA_4")->why, "upc_run PROGRAM counts it exactly"));
	assert_non_null(strstr(event("PU2_DCACHE_MISS")->why, "yet: the memory model"));
	assert_non_null(strstr(event("IC_TIMESTAMP")->why, "yet: the model of time"));
	assert_non_null(strstr(event("TORUS_XP_PACKETS")->why, "one node, without networks"));
}

TEST(test_ids)
{
	static const struct {
		const char *name;
		int id;
	} known[] = {
		{"PU0_JPIPE_INSTRUCTIONS", 0},
		{"PU0_FPU_FMA_4", 29},
		{"PU1_FPU_ADD_SUB_1", 57},
		{"PU1_L1_INVALIDATION_REQUESTS", 71},
		{"PU0_L2_DEVBUS_WRITES", 103},
		{"L3_M0_RD0_SINGLE_LINE_DELIVERED_L2", 136},
		{"TORUS_ZM_32BCHUNKS", 205},
		{"DMA_WRITE_REQUESTS_TO_L3", 215},
		{"COL_AC_CH2_VC0_MATURE", 222},
		{"IC_TIMESTAMP", 252},
		{"MISC_ELAPSED_TIME", 255},
		{"PU2_JPIPE_INSTRUCTIONS", 256},
		{"PU3_FPU_OTHER_STORES", 325},
		{"PU2_L2_VALID_PREFETCH_REQUESTS", 388},
		{"L3_M1_PF_PREFETCH_INTO_EDRAM", 485},
		{"PU3_SNOOP_L1_CACHE_WRAP", 509},
		{"MISC_ELAPSED_TIME_UM1", 511},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(event(known[i].name)->id, known[i].id);
}

TEST(test_descriptions)
{
	assert_string_equal(event("PU3_FPU_FMA_2")->description,
			    "Fused multiply-adds of processor core 3 in one pipe, 2 operations each.");
	assert_string_equal(event("PU3_FPU_FMA_2")->subsystem, "PU3 FPU");
	assert_string_equal(
		event("L3_M1_RD0_DIR1_HIT_OR_INFLIGHT")->description,
		"Lookups by read port 0 in directory 1 of L3 bank 1 that found the line there or on its "
		"way.");
	assert_string_equal(event("L3_M1_RD0_DIR1_HIT_OR_INFLIGHT")->subsystem, "L3 bank 1");
	assert_string_equal(event("TORUS_YM_32BCHUNKS")->description,
			    "Chunks of 32 bytes sent on the torus network in the minus Y direction.");
	assert_string_equal(event("TORUS_YM_32BCHUNKS")->unit, "32-byte chunks");
	assert_string_equal(
		event("PU2_L2_OTHER_DP_PU1_SNOOPS")->description,
		"Snoops in the L2 of processor core 2 that core 1 of the other pair of cores caused.");
	assert_string_equal(event("L3_M0_MH_DDR_FETCHES")->subsystem, "DDR/memory");
}

UNIT_TESTS(cat_bgp, open_catalogue, close_catalogue)
