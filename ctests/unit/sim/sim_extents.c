/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_extents.c - from where to where functions reach: those of this program, in a section that is made for
 * it.
 */
#include "load/extents.h"
#include "load/symbols.h"
#include "../unit_test.h"

__asm__(".pushsection upcs_extents_code,\"ax\",%progbits\n"
	"	.globl ext_sized, __ext_sized, ext_label, ext_open, ext_last\n"
	"	.type ext_sized, %function\n"
	"	.type __ext_sized, %function\n"
	"	.type ext_a_local, %function\n"
	"	.type ext_outer, %function\n"
	"	.type ext_inner, %function\n"
	"	.type ext_last, %function\n"
	"ext_sized:\n"
	"__ext_sized:\n"
	"ext_a_local:\n"
	"	.skip 8\n"
	"ext_label:\n"
	"	.skip 8\n"
	"	.size ext_sized, 16\n"
	"	.skip 16\n"
	"ext_outer:\n"
	"	.skip 8\n"
	"ext_inner:\n"
	"	.skip 8\n"
	"	.size ext_inner, 8\n"
	"	.skip 8\n"
	"	.size ext_outer, 24\n"
	"ext_open:\n"
	"	.skip 8\n"
	"ext_last:\n"
	"	.skip 8\n"
	"	.popsection\n"
	"	.pushsection upcs_extents_more,\"ax\",%progbits\n"
	"	.skip 64\n"
	"	.popsection\n");

static const char self[] = "/proc/self/exe";

static uint64_t begin_of(const char *symbol)
{
	struct upcs_symbols *symbols = upcs_symbols_open(self);
	struct upcs_function found = {.offset = 0};
	unsigned i = 0;

	assert_non_null(symbols);
	do
		assert_true(upcs_symbols_get(symbols, i++, &found));
	while (strcmp(found.symbol, symbol) != 0);
	upcs_symbols_close(symbols);
	return found.offset;
}

TEST(test_places)
{
	static const char *const expected[] = {
		"ext_sized", "ext_sized", "",         "",         "ext_outer",
		"ext_inner", "ext_outer", "ext_open", "ext_last", "",
	};
	struct upcs_extents *extents = upcs_extents_read(self);
	uint64_t begin = begin_of("ext_sized"), at;

	assert_non_null(extents);
	for (at = 0; at < 8 * sizeof(expected) / sizeof(expected[0]); at++)
		assert_string_equal(upcs_extents_at(extents, begin + at)->symbol, expected[at / 8]);
	upcs_extents_free(extents);
}

/* Each reaches to the next, from the file's beginning to behind its end. */
TEST(test_gaps)
{
	struct upcs_extents *extents = upcs_extents_read(self);
	const struct upcs_extent *extent;
	uint64_t at = 0;

	assert_non_null(extents);
	while (at != UINT64_MAX) {
		extent = upcs_extents_at(extents, at);
		assert_non_null(extent);
		assert_int_equal(extent->begin, at);
		assert_true(extent->end > at);
		at = extent->end;
	}
	assert_non_null(upcs_extents_at(extents, UINT64_MAX));
	upcs_extents_free(extents);
}

TEST(test_no_file)
{
	assert_null(upcs_extents_read("/nonexistent/file"));
	assert_null(upcs_extents_read("/dev/null"));
	assert_null(upcs_extents_read("/proc/self/status"));
}

UNIT_TESTS(sim_extents, NULL, NULL)
