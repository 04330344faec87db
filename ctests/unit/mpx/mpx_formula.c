/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas of PAPI's presets: which of them add up over time slices.
 */
#include "../unit_test.h"
#include "papi/papi_formula.h"

TEST(test_sums)
{
	/* Formulas of papi_events.csv: of branches, caches, operations and vectors of any length. */
	static const char *const sums[] = {
		"N0|N1|-|",
		"N0|N1|-",
		"N0|N1|-|N2|+|N3|-|",
		"N0|N1|2|*|+|N2|4|*|+|",
		"N0|4|*|N1|8|*|N2|16|*|N3|32|*|+|+|+|",
		"N0|512|128|/|*|N1|+|",
		"N0|N1|N2|N3|+|+|+|",
		"N0|",
		"2|3|+|N12|*|",
		"N0|2.5|*|",
	};
	unsigned i;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!mpxi_papi_is_sum(sums[i]))
			fail_msg("%s is a sum", sums[i]);
}

TEST(test_others)
{
	static const char *const others[] = {
		"",            /* nothing */
		"|",           /* likewise */
		"N0|N1|/|",    /* a rate */
		"N0|1000|/|",  /* what is behind the point is lost in each slice */
		"N0|2|3|/|*|", /* likewise */
		"N0|1|0|/|*|", /* no number */
		"N0|N1|*|",    /* a product grows with the square of the time */
		"N0|100|+|",   /* 100 more in each slice */
		"100|N0|-|",
		"7|",
		"N0|N1|",
		"+|", /* not one value */
		"N0|+|",
		"N0|#|*|", /* the processor's frequency */
		"N|",
		"Nx|",
		"N0x|",
		"N0|1x|*|",
		"N0|N1|%|",
		"N0|11111111111111111111111111111111111|*|",
	};
	char deep[1000] = "";
	unsigned i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (mpxi_papi_is_sum(others[i]))
			fail_msg("%s is a sum", others[i]);
	for (i = 0; i < 200; i++)
		strcat(deep, "N0|");
	assert_false(mpxi_papi_is_sum(deep));
}

UNIT_TESTS(mpx_formula, NULL, NULL)
