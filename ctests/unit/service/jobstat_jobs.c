/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of nodes, times, and files of jobs, with their mistakes.
 */
#include "../unit_test.h"
#include "jobstat/jobs.h"

static void assert_list(const char *text, const char *joined)
{
	struct nodelist list = {0};
	const char *expected;
	char all[400] = "";
	size_t at;

	if (nodelist_parse(text, strlen(text), &list, &at, &expected) != 0)
		fail_msg("%s: column %zu: expected %s", text, at + 1, expected);
	for (unsigned i = 0; i < list.n; i++) {
		strcat(all, i > 0 ? " " : "");
		strcat(all, list.name[i]);
	}
	assert_string_equal(all, joined);
	nodelist_free(&list);
}

TEST(test_lists)
{
	assert_list("a", "a");
	assert_list("nid[001-003,7],login1", "nid001 nid002 nid003 nid7 login1");
	assert_list("r[1-2]n[09-10]x", "r1n09x r1n10x r2n09x r2n10x");
	assert_list("[8-9]", "8 9");
}

TEST(test_wrong_lists)
{
	static const struct {
		const char *text;
		size_t at;
		const char *expected;
	} cases[] = {
		{"", 0, "the name of a node"},
		{"a,", 2, "the name of a node"},
		{"a,,b", 2, "the name of a node"},
		{"a[", 1, "a ']' behind this"},
		{"a[]", 2, "a number"},
		{"a[1-]", 4, "a number"},
		{"a[3-1]", 2, "a range that grows, of at most 200,000 nodes"},
		{"a[0-99999999]", 2, "a range that grows, of at most 200,000 nodes"},
		{"a[1x]", 3, "',' or ']'"},
		{"a b", 1, "',' and another node"},
		{"a]", 1, "',' and another node"},
		{"a[1-1000]b[1-1000]c[1-9]", 24, "at most 200,000 nodes"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nodelist list = {0};
		const char *expected = "";
		size_t at = 0;

		if (nodelist_parse(cases[i].text, strlen(cases[i].text), &list, &at, &expected) == 0)
			fail_msg("'%s' is a list", cases[i].text);
		if (strcmp(expected, cases[i].expected) != 0 || at != cases[i].at)
			fail_msg("'%s': %zu: %s", cases[i].text, at, expected);
		/* A list that is refused adds nothing. */
		assert_int_equal(list.n, 0);
		nodelist_free(&list);
	}
}

/* A list that was read is written as the same text. */
TEST(test_text)
{
	static const char *const texts[] = {"a", "nid[001-003,7],login1", "n[1-3,5],m[08-11]", "x,y,z", "7"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct nodelist list = {0};
		const char *expected;
		char *text;
		size_t at;

		assert_int_equal(nodelist_parse(texts[i], strlen(texts[i]), &list, &at, &expected), 0);
		text = nodelist_text((const char *const *)list.name, list.n);
		assert_string_equal(text, texts[i]);
		free(text);
		nodelist_free(&list);
	}
}

TEST(test_times)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"0", 0},
		{"1790000040", 1790000040000000000},
		{"1790000040.25", 1790000040250000000},
		{"1970-01-02T00:00:00Z", 86400000000000},
		{"2026-09-21T14:14:00Z", 1790000040000000000},
		{"2026-09-21 16:14:00.5+02:00", 1790000040500000000},
		{"2026-09-21T08:44-0530", 1790000040000000000},
	};
	static const char *const wrong[] = {"",
					    "x",
					    "1x",
					    "-1",
					    "12345678901",
					    "2026-13-01T00:00:00Z",
					    "2026-09-21",
					    "2026-09-21T14:14:00X",
					    "Unknown"};
	int64_t ns;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (jobs_time(cases[i].text, strlen(cases[i].text), &ns) != 0 || ns != cases[i].ns)
			fail_msg("%s: %lld", cases[i].text, (long long)ns);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (jobs_time(wrong[i], strlen(wrong[i]), &ns) == 0)
			fail_msg("'%s' is a time", wrong[i]);
}

TEST(test_files)
{
	static const char csv[] = "# jobs\r\n"
				  "id,start,end,nodes\r\n"
				  "\"a,b\" , 10 , 20 ,\"n[1-2]\"\r\n"
				  "c,10,Unknown,n1,n2,n3\n";
	static const char sacct[] = "NodeList|Start|JobID|X|End|\n"
				    "n[1-2]|10|5|x|20|\n"
				    "n1|10|5.0|x|20|\n"
				    "None assigned|Unknown|6|x|Unknown|\n";
	struct jobs jobs = {0};
	char message[400];

	assert_int_equal(jobs_parse("f", csv, strlen(csv), &jobs, message), 0);
	assert_int_equal(jobs.n, 2);
	assert_string_equal(jobs.job[0].id, "a,b");
	assert_int_equal(jobs.job[0].nodes.n, 2);
	assert_int_equal(jobs.job[0].end_ns, 20000000000);
	assert_true(jobs.job[1].end_ns == JOBS_RUNNING);
	assert_int_equal(jobs.job[1].nodes.n, 3);
	assert_int_equal(jobs_parse("g", sacct, strlen(sacct), &jobs, message), 0);
	assert_int_equal(jobs.n, 3);
	assert_string_equal(jobs.job[2].id, "5");
	jobs_free(&jobs);
}

TEST(test_wrong_files)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"a,b", "f:1:4: expected 4 fields, found 2"},
		{"id,start,end\n", "f:1:1: expected a field 'nodes' in the heading"},
		{"JobID|End|NodeList\n", "f:1:1: expected a field 'Start' in the heading"},
		{"id,start,end,nodes\n,1,2,n\n", "f:2:1: expected the name of a job, of 1 to 200 bytes"},
		{"id,start,end,nodes\na,1,2,n\nb,x,2,n\n", "f:3:3: expected a time as 2026-11-23T12:00:00Z"},
		{"id,start,end,nodes\na,2,2,n\n", "f:2:5: expected an end behind the start"},
		{"id,start,end,nodes\na,1,2,n[1\n", "f:2:8: expected a ']' behind this"},
		{"id,start,end,nodes\n\"a,1,2,n\n", "f:2:1: expected a closing '\"'"},
		{"id,start,end,nodes\n\"a\"x,1,2,n\n", "f:2:4: expected ',' or the end of the line"},
		{"id,start,end,nodes\na\x01,1,2,n\n",
		 "f:2:2: expected the name of a job, without control bytes"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct jobs jobs = {0};
		char message[400] = "";

		assert_int_equal(jobs_parse("f", cases[i].text, strlen(cases[i].text), &jobs, message), -1);
		if (strncmp(message, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("%s", message);
		assert_int_equal(jobs.n, 0);
		jobs_free(&jobs);
	}
}

UNIT_TESTS(jobstat_jobs, NULL, NULL)
