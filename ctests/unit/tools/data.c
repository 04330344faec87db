/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output of the command line tools for other programs: JSON and CSV.
 */
#include "../../../utils/lib/data.h"

#include "../unit_test.h"

TEST(test_json)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);
	json_t *object = json_object(), *string;

	json_object_set_new(object, "n", util_json_count(INT64_MAX));
	assert_int_equal(util_json_put(out, object, true), 0);
	fclose(out);
	assert_string_equal(memory, "{\"n\":9223372036854775807}\n");
	free(memory);

	object = util_json_count(UINT64_MAX);
	assert_true(json_is_real(object));
	assert_true(json_real_value(object) == 18446744073709551616.0);
	json_decref(object);

	string = util_json_string("a\xff\xc3\xa4\xed\xa0\x80");
	assert_string_equal(json_string_value(string),
			    "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	json_decref(string);
}

TEST(test_csv)
{
	static const char *const cases[][2] = {
		{"plain text", "plain text"},
		{"", ""},
		{"a,b", "\"a,b\""},
		{"say \"x\"", "\"say \"\"x\"\"\""},
		{"two\nlines", "\"two\nlines\""},
		{" edge", "\" edge\""},
		{"edge ", "\"edge \""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *memory = NULL;
		size_t size;
		FILE *out = open_memstream(&memory, &size);

		util_csv_put(out, cases[i][0]);
		fclose(out);
		assert_string_equal(memory, cases[i][1]);
		free(memory);
	}
}

/* The schema, the tool and its version stand before all else. */
TEST(test_schema_is_first)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);

	assert_int_equal(util_json_put(out, util_json_begin("upc_stat"), true), 0);
	fclose(out);
	assert_ptr_equal(strstr(memory, "{\"schema\":1,\"tool\":\"upc_stat\",\"version\":\""), memory);
	free(memory);
}

UNIT_TESTS(data, NULL, NULL)
