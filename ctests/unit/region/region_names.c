/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of regions: of any bytes, one number each, up to the limit; and many threads that ask for
 * the same ones at once.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "../unit_test.h"
#include "region/names.h"

static unsigned number_of(struct upcr_names *names, const char *text)
{
	return upcr_names_number(names, text, strlen(text));
}

TEST(test_numbers)
{
	struct upcr_names names;
	size_t length;

	assert_int_equal(upcr_names_init(&names, 100), 0);
	assert_string_equal(upcr_names_text(&names, UPCR_OTHERS, &length), "others");
	assert_int_equal(upcr_names_find(&names, "a", 1), UPCR_UNKNOWN);
	assert_int_equal(number_of(&names, "a"), 1);
	assert_int_equal(number_of(&names, "b"), 2);
	assert_int_equal(number_of(&names, "a"), 1);
	assert_int_equal(upcr_names_find(&names, "b", 1), 2);
	/* A region of the user's that has the name of what is left is another. */
	assert_int_equal(number_of(&names, "others"), 3);
	assert_int_equal(upcr_names_count(&names), 4);
	upcr_names_free(&names);
}

/* Each length from none, with bytes that differ in one place, and with NULs. */
TEST(test_bytes)
{
	struct upcr_names names;
	char text[70], other[70];
	size_t length, i, got;
	unsigned number;

	assert_int_equal(upcr_names_init(&names, 10000), 0);
	for (length = 0; length < sizeof(text); length++) {
		memset(text, 0, sizeof(text));
		number = upcr_names_number(&names, text, length);
		assert_int_not_equal(number, UPCR_OTHERS);
		for (i = 0; i < length; i++) {
			memcpy(other, text, sizeof(text));
			other[i] = (char)0xff;
			assert_int_equal(upcr_names_find(&names, other, length), UPCR_UNKNOWN);
			assert_int_not_equal(upcr_names_number(&names, other, length), number);
			assert_memory_equal(
				upcr_names_text(&names, upcr_names_find(&names, other, length), &got), other,
				length);
			assert_int_equal(got, length);
		}
		assert_int_equal(upcr_names_find(&names, text, length), number);
	}
	assert_int_equal(upcr_names_count(&names), 1 + 70 + 70 * 69 / 2);
	upcr_names_free(&names);
}

/* A name that has no end, as it seems, is taken by its beginning. */
TEST(test_long)
{
	struct upcr_names names;
	size_t all = 10 * UPCR_NAME_MAX, length;
	char *text = malloc(all);

	assert_non_null(text);
	memset(text, 'x', all);
	assert_int_equal(upcr_names_init(&names, 10), 0);
	assert_int_equal(upcr_names_number(&names, text, all), 1);
	upcr_names_text(&names, 1, &length);
	assert_int_equal(length, UPCR_NAME_MAX);
	assert_int_equal(upcr_names_number(&names, text, UPCR_NAME_MAX), 1);
	assert_int_equal(upcr_names_number(&names, text, UPCR_NAME_MAX - 1), 2);
	upcr_names_free(&names);
	free(text);
}

/* Names that begin alike, the longest first, in a table with little room. */
TEST(test_beginnings)
{
	struct upcr_names names;
	char text[22];
	unsigned i;

	memset(text, 'x', sizeof(text));
	assert_int_equal(upcr_names_init(&names, 21), 0);
	for (i = 21; i > 0; i--)
		assert_int_equal(upcr_names_number(&names, text, i), 22 - i);
	for (i = 21; i > 0; i--)
		assert_int_equal(upcr_names_find(&names, text, i), 22 - i);
	upcr_names_free(&names);
}

TEST(test_limit)
{
	struct upcr_names names;
	char text[16];
	unsigned i;

	assert_int_equal(upcr_names_init(&names, 1000), 0);
	for (i = 1; i <= 3000; i++) {
		snprintf(text, sizeof(text), "%u", i);
		assert_int_equal(number_of(&names, text), i <= 1000 ? i : UPCR_OTHERS);
	}
	assert_int_equal(atomic_load(&names.beyond), 2000);
	assert_int_equal(number_of(&names, "1000"), 1000);
	upcr_names_free(&names);
}

enum { THREADS = 8, NAMES = 2000 };

static struct upcr_names shared;
static unsigned seen[THREADS][NAMES];

/* Each thread begins elsewhere, so that each makes some. */
static void *ask(void *argument)
{
	unsigned thread = *(unsigned *)argument, i, k;
	char text[16];

	for (i = 0; i < 3 * NAMES; i++) {
		k = (i + thread * (NAMES / THREADS)) % NAMES;
		snprintf(text, sizeof(text), "name %u", k);
		seen[thread][k] = upcr_names_number(&shared, text, strlen(text));
		upcr_names_text(&shared, seen[thread][k], NULL);
	}
	return NULL;
}

TEST(test_threads)
{
	pthread_t thread[THREADS];
	unsigned number[THREADS], i, k;
	char text[16];

	assert_int_equal(upcr_names_init(&shared, NAMES), 0);
	for (i = 0; i < THREADS; i++) {
		number[i] = i;
		assert_int_equal(pthread_create(&thread[i], NULL, ask, &number[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(upcr_names_count(&shared), NAMES + 1);
	for (k = 0; k < NAMES; k++) {
		snprintf(text, sizeof(text), "name %u", k);
		assert_string_equal(upcr_names_text(&shared, seen[0][k], NULL), text);
		for (i = 1; i < THREADS; i++)
			assert_int_equal(seen[i][k], seen[0][k]);
	}
	upcr_names_free(&shared);
}

UNIT_TESTS(region_names, NULL, NULL)
