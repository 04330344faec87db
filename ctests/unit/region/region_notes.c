/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes: counted by kind and name; names that find no room are counted by their kind alone.
 */
#include "../unit_test.h"

#include "region/notes.h"

static uint64_t times_of(const struct upcr_notes *notes, enum upcr_what what, unsigned name)
{
	unsigned i;

	for (i = 0; i < notes->n; i++)
		if (notes->said[i].what == what && notes->said[i].name == name)
			return notes->said[i].times;
	return 0;
}

TEST(test_kinds_and_names)
{
	struct upcr_notes notes = {0};

	upcr_notes_add(&notes, UPCR_SAID_NOT_OPEN, 1, 1);
	upcr_notes_add(&notes, UPCR_SAID_NOT_OPEN, 1, 4);
	upcr_notes_add(&notes, UPCR_SAID_NOT_OPEN, 2, 7);
	upcr_notes_add(&notes, UPCR_SAID_ELSEWHERE, 1, 9);
	assert_int_equal(notes.n, 3);
	assert_int_equal(times_of(&notes, UPCR_SAID_NOT_OPEN, 1), 5);
	assert_int_equal(times_of(&notes, UPCR_SAID_NOT_OPEN, 2), 7);
	assert_int_equal(times_of(&notes, UPCR_SAID_ELSEWHERE, 1), 9);
}

TEST(test_no_room)
{
	static struct upcr_notes notes, more;
	unsigned i;

	for (i = 0; i < UPCR_SAID_MAX; i++)
		upcr_notes_add(&notes, UPCR_SAID_NOT_OPEN, i + 1, 1);
	upcr_notes_add(&notes, UPCR_SAID_NOT_OPEN, UPCR_SAID_MAX, 1);
	assert_int_equal(times_of(&notes, UPCR_SAID_NOT_OPEN, UPCR_SAID_MAX), 2);
	/* No other name has what these have. */
	upcr_notes_add(&notes, UPCR_SAID_NOT_OPEN, 100000, 3);
	upcr_notes_add(&notes, UPCR_SAID_RESET, 1, 5);
	assert_int_equal(times_of(&notes, UPCR_SAID_NOT_OPEN, UPCR_SAID_MAX), 2);
	assert_int_equal(notes.rest[UPCR_SAID_NOT_OPEN], 3);
	assert_int_equal(notes.rest[UPCR_SAID_RESET], 5);
	upcr_notes_add(&more, UPCR_SAID_RESET, 7, 11);
	upcr_notes_add_all(&more, &notes);
	assert_int_equal(times_of(&more, UPCR_SAID_RESET, 7), 11);
	assert_int_equal(times_of(&more, UPCR_SAID_NOT_OPEN, 1), 1);
	assert_int_equal(more.n, UPCR_SAID_MAX);
	assert_int_equal(more.rest[UPCR_SAID_NOT_OPEN], 5);
	assert_int_equal(more.rest[UPCR_SAID_RESET], 5);
}

TEST(test_words)
{
	unsigned i, k;

	for (i = 0; i < UPCR_SAID_KINDS; i++) {
		assert_non_null(upcr_notes_word((enum upcr_what)i));
		for (k = 0; k < i; k++)
			assert_string_not_equal(upcr_notes_word((enum upcr_what)i),
						upcr_notes_word((enum upcr_what)k));
	}
}

UNIT_TESTS(region_notes, NULL, NULL)
