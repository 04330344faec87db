/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sums over threads, CPUs and processes, beside numbers worked out by hand.
 */
#include "../../../utils/stat/stat_parts.h"

#include "../unit_test.h"

/* A count, a level, and a ratio of two counts, which are its terms. */
enum { COUNT, LEVEL, RATIO, EVENTS };

static const char wiring[] = "upc-wiring 1\n"
			     "event my::a = clock monotonic\n"
			     "event my::b = clock boottime\n"
			     "derived my::ratio = \"(1000*my::a)/my::b\"\n";

static struct upc_event_info info[EVENTS];
static uint32_t code[EVENTS];
static struct stat_ratio ratio = {.event = RATIO, .first = 0, .n = 2};
static struct stat_events events = {
	.info = info,
	.code = code,
	.n = EVENTS,
	.n_own = EVENTS,
	.ratio = &ratio,
	.n_ratios = 1,
	.n_terms = 2,
};
static struct stat_parts parts = {.events = &events};

static const struct {
	uint64_t count, level, ratio, terms[2];
} truth[] = {
	{1, 50, 100, {1, 10}},
	{20, 90, 200, {2, 10}},
	{300, 70, 300, {6, 20}},
};

#define PARTS (sizeof(truth) / sizeof(truth[0]))

static int open_catalogue(void **state)
{
	char path[] = "/tmp/upc-stat-parts-XXXXXX";
	struct upc_catalogue_options options = {.size = sizeof(options), .wiring_path = path};
	int fd = mkstemp(path), error;

	(void)state;
	if (fd < 0 || write(fd, wiring, sizeof(wiring) - 1) < 0)
		return -1;
	close(fd);
	error = upc_catalogue_open(&options, &events.catalogue);
	unlink(path);
	if (error != 0)
		return error;
	info[LEVEL].kind = info[RATIO].kind = UPC_KIND_LEVEL;
	return upc_catalogue_find(events.catalogue, "my::ratio", &code[RATIO]);
}

static int close_catalogue(void **state)
{
	(void)state;
	upc_catalogue_close(events.catalogue);
	return 0;
}

static int add_parts(void **state)
{
	(void)state;
	for (unsigned k = 0; k < PARTS; k++) {
		struct stat_part *part = stat_parts_add(&parts);

		if (part == NULL)
			return -1;
		part->values[COUNT] = truth[k].count;
		part->values[LEVEL] = truth[k].level;
		part->values[RATIO] = truth[k].ratio;
		memcpy(part->terms, truth[k].terms, sizeof(truth[k].terms));
	}
	return 0;
}

static int free_parts(void **state)
{
	(void)state;
	stat_parts_free(&parts);
	return 0;
}

/* The ratio is neither the largest nor a mean or a sum of the parts' own. */
TEST_WITH(test_all, add_parts, free_parts)
{
	uint64_t values[EVENTS];
	unsigned flags[EVENTS];

	stat_parts_sum(&parts, NULL, PARTS, values, flags);
	assert_int_equal(values[COUNT], 321);
	assert_int_equal(values[LEVEL], 90);
	assert_int_equal(values[RATIO], 1000 * (1 + 2 + 6) / (10 + 10 + 20));
	for (unsigned i = 0; i < EVENTS; i++)
		assert_int_equal(flags[i], 0);
}

/* The CPUs of a core are some of all, wherever they stand. */
TEST_WITH(test_some, add_parts, free_parts)
{
	static const unsigned which[] = {2, 0};
	uint64_t values[EVENTS];
	unsigned flags[EVENTS];

	stat_parts_sum(&parts, which, 2, values, flags);
	assert_int_equal(values[COUNT], 301);
	assert_int_equal(values[LEVEL], 70);
	assert_int_equal(values[RATIO], 1000 * (1 + 6) / (10 + 20));
	stat_parts_sum(&parts, which, 1, values, flags);
	assert_int_equal(values[RATIO], 300);
	stat_parts_sum(&parts, which, 0, values, flags);
	assert_int_equal(values[COUNT], 0);
}

/* An event that some parts have not counted was counted in part; one that none has, not at all. */
TEST_WITH(test_flags, add_parts, free_parts)
{
	uint64_t values[EVENTS];
	unsigned flags[EVENTS];

	for (unsigned k = 0; k < PARTS; k++)
		parts.part[k].flags[COUNT] = UPC_COUNTER_NEVER;
	parts.part[1].flags[LEVEL] = UPC_COUNTER_NEVER;
	parts.part[2].flags[RATIO] = UPC_COUNTER_LOST;
	stat_parts_sum(&parts, NULL, PARTS, values, flags);
	assert_int_equal(flags[COUNT], UPC_COUNTER_NEVER);
	assert_int_equal(flags[LEVEL], UPC_COUNTER_PARTIAL);
	assert_int_equal(flags[RATIO], UPC_COUNTER_LOST);
}

TEST_WITH(test_interval, add_parts, free_parts)
{
	stat_parts_end_interval(&parts);
	for (unsigned k = 0; k < PARTS; k++) {
		assert_int_equal(parts.part[k].before[COUNT], truth[k].count);
		assert_int_equal(parts.part[k].before[RATIO], truth[k].ratio);
	}
}

UNIT_TESTS(stat_parts, open_catalogue, close_catalogue)
