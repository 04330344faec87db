/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances between event names, and the list of the best.
 */
#include <stdbool.h>

#include "catalogue/nearest.h"
#include "../unit_test.h"

TEST(test_distance)
{
	char text[300];

	assert_int_equal(upci_name_distance("page-faults", "PAGE_FAULTS"), 0);
	assert_int_equal(upci_name_distance("PAGE_FALUTS", "PAGE_FAULTS"), 10);
	assert_int_equal(upci_name_distance("page-faults", "perf::PAGE-FAULTS"), 1);
	assert_int_equal(upci_name_distance("sched_swich", "tp::sched:sched_switch"), 11);
	assert_int_equal(upci_name_distance("switch", "tp::sched:sched_switch"), 30);
	/* Names that begin so, the shortest first, before any that is spelled otherwise. */
	assert_int_equal(upci_name_distance("daxp", "daxpy"), 1);
	assert_int_equal(upci_name_distance("daxp", "daxpy_unrolled"), 7);
	assert_int_equal(upci_name_distance("daxp", "ldexp"), 20);
	assert_int_equal(upci_name_distance("sched_sw", "tp::sched:sched_switch"), 5);
	assert_int_equal(upci_name_distance("da", "daxpy"), UPCI_FAR);
	/* A short name may differ by one letter. */
	assert_int_equal(upci_name_distance("foo", "fox"), 10);
	assert_int_equal(upci_name_distance("foo", "box"), UPCI_FAR);
	/* The first letters, behind the last colon. */
	assert_int_equal(upci_name_distance("FPU_FOO", "FPU_FMA_2"), UPCI_BEGINNING + 99 - 5);
	assert_int_equal(upci_name_distance("sched_foobar", "tp::sched:sched_switch"),
			 UPCI_BEGINNING + 99 - 6 + 1);
	assert_int_equal(upci_name_distance("perf::NOTHING", "perf::PAGE-FAULTS"), UPCI_FAR);
	assert_int_equal(upci_name_distance("nothing_like_it", "PU0_DATA_LOADS"), UPCI_FAR);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	assert_int_equal(upci_name_distance(text, "PU0_DATA_LOADS"), UPCI_FAR);
	assert_int_equal(upci_name_distance("PU0_DATA_LOADS", text), UPCI_FAR);
	assert_true(upci_name_distance("", "x") <= UPCI_FAR);
}

/* Optimal string alignment distance, cell by cell. */
static unsigned steps(const char *a, const char *b)
{
	unsigned d[16][16];
	unsigned n = (unsigned)strlen(a), m = (unsigned)strlen(b), i, j;

	for (i = 0; i <= n; i++)
		for (j = 0; j <= m; j++) {
			unsigned least = i ? j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i : j;

			if (i && j && d[i - 1][j] + 1 < least)
				least = d[i - 1][j] + 1;
			if (i && j && d[i][j - 1] + 1 < least)
				least = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[n][m];
}

static unsigned part_distance(const char *wrong, const char *right, unsigned limit)
{
	unsigned length = (unsigned)strlen(wrong), d = steps(wrong, right), common = 0, from = 0;

	if (length >= 3 && strncmp(wrong, right, length) == 0)
		return strlen(right) - length < 7 ? (unsigned)strlen(right) - length : 7;
	if (d <= limit)
		return d * 10;
	for (; wrong[common] && wrong[common] == right[common]; common++)
		from = wrong[common] == ':' ? common + 1 : from;
	common -= from;
	return common >= 4 && 2 * common >= length ? UPCI_BEGINNING + 99 - common : UPCI_FAR;
}

static unsigned plain_distance(const char *wrong, const char *right)
{
	unsigned length = (unsigned)strlen(wrong), limit = length < 4 ? 1 : length / 3 < 2 ? 2 : length / 3;
	unsigned best;
	const char *part;

	best = part_distance(wrong, right, limit);
	for (part = right; (part = strchr(part, ':')) != NULL;) {
		part += strspn(part, ":");
		if (part_distance(wrong, part, limit) + 1 < best)
			best = part_distance(wrong, part, limit) + 1;
	}
	return best > 30 && length >= 4 && strstr(right, wrong) ? 30 : best;
}

static void random_name(uint64_t *seed, char name[16])
{
	unsigned length = (unsigned)(random_next(seed) % 16), i;

	for (i = 0; i < length; i++)
		name[i] = "abc:"[random_next(seed) % 4];
	name[length] = 0;
}

/* A name that a shortcut leaves out was not near. */
TEST(test_shortcuts)
{
	uint64_t seed = 1;
	unsigned i, k;

	for (i = 0; i < 2000; i++) {
		struct upci_nearest nearest = {.max = 3};
		char wrong[16], name[20][16];
		unsigned near = 0, good = 0;

		random_name(&seed, wrong);
		for (k = 0; k < 20; k++) {
			unsigned d;

			random_name(&seed, name[k]);
			d = plain_distance(wrong, name[k]);
			assert_int_equal(upci_name_distance(wrong, name[k]), d);
			good += d < UPCI_BEGINNING;
			near += d < UPCI_FAR;
			upci_nearest_offer(&nearest, wrong, name[k]);
		}
		/* Names with only the same first letters are left out where there are better ones. */
		near = good ? good : near;
		assert_int_equal(nearest.count, near < 3 ? near : 3);
		for (k = 0; k < 20; k++) {
			unsigned d = plain_distance(wrong, name[k]);
			bool listed = false;
			int j;

			for (j = 0; j < nearest.count; j++) {
				listed = listed || nearest.name[j] == name[k];
				assert_true(j == 0 || nearest.distance[j - 1] <= nearest.distance[j]);
			}
			if (!listed && d < (good ? UPCI_BEGINNING : UPCI_FAR))
				assert_true(nearest.distance[2] <= d);
		}
	}
}

TEST(test_best_first)
{
	struct upci_nearest nearest = {.max = 2};

	upci_nearest_offer(&nearest, "minor-fault", "perf::MAJOR-FAULTS");
	upci_nearest_offer(&nearest, "minor-fault", "vm::nothing");
	upci_nearest_offer(&nearest, "minor-fault", "perf::MINOR-FAULTS");
	upci_nearest_offer(&nearest, "minor-fault", "MINOR_FAULT");
	assert_int_equal(nearest.count, 2);
	assert_string_equal(nearest.name[0], "MINOR_FAULT");
	assert_string_equal(nearest.name[1], "perf::MINOR-FAULTS");
	/* Among equally near names the first offered comes first. */
	nearest = (struct upci_nearest){.max = 2};
	upci_nearest_offer(&nearest, "page_faultz", "page_faultx");
	upci_nearest_offer(&nearest, "page_faultz", "page_faulty");
	assert_string_equal(nearest.name[0], "page_faultx");
	assert_string_equal(nearest.name[1], "page_faulty");
}

/* A common beginning counts where nothing is nearer. */
TEST(test_beginnings)
{
	struct upci_nearest nearest = {.max = 3};

	upci_nearest_offer(&nearest, "FPU_FOO", "FPU_DIV_1");
	upci_nearest_offer(&nearest, "FPU_FOO", "FPU_FMA_2");
	assert_int_equal(nearest.count, 2);
	assert_string_equal(nearest.name[0], "FPU_FMA_2");
	/* A better reason drives them out, and keeps them out. */
	upci_nearest_offer(&nearest, "FPU_FOO", "FPU_FO");
	upci_nearest_offer(&nearest, "FPU_FOO", "FPU_FMA_4");
	assert_int_equal(nearest.count, 1);
	assert_string_equal(nearest.name[0], "FPU_FO");
}

TEST(test_patterns)
{
	static const char name[] = "tp::sched:sched_switch";
	char text[64];

	assert_int_equal(upci_nearest_pattern("tp::schd:*", name, 3, text, sizeof(text)), 1);
	assert_string_equal(text, "tp::sched:*");
	assert_int_equal(upci_nearest_pattern("tp::schd:*", name, 0, text, sizeof(text)), UPCI_FAR);
	assert_int_equal(upci_nearest_pattern("TP::XCHD:*_sw?tch", name, 9, text, sizeof(text)), 2);
	assert_string_equal(text, "tp::sched:*_sw?tch");
	/* A pattern that would still match nothing, one that matches, and one that is too far. */
	assert_int_equal(upci_nearest_pattern("tp::schd:*_wake", name, 9, text, sizeof(text)), UPCI_FAR);
	assert_int_equal(upci_nearest_pattern("tp::sched:*", name, 9, text, sizeof(text)), UPCI_FAR);
	assert_int_equal(upci_nearest_pattern("net::*", name, 9, text, sizeof(text)), UPCI_FAR);
	assert_int_equal(upci_nearest_pattern("*", name, 9, text, sizeof(text)), UPCI_FAR);
	assert_int_equal(upci_nearest_pattern("tp::schd:*", "", 9, text, sizeof(text)), UPCI_FAR);
	assert_int_equal(upci_nearest_pattern("tp::schd:*", name, 9, text, 5), UPCI_FAR);
}

UNIT_TESTS(nearest, NULL, NULL)
