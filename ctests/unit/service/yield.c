/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the service's counters run: the table of decisions, over a made clock.
 */
#include "service/service.h"
#include "service/yield.h"
#include "unit/unit_test.h"

#define MS UINT64_C(1000000)

/* The facts at a time, and the reason that yield_decide then gives. */
struct row {
	unsigned at_ms, asked, users;
	bool notice;
	enum yield_why why;
};

static void follow(const struct row *row, unsigned rows)
{
	struct yield y = {0};

	for (unsigned i = 0; i < rows; i++) {
		struct yield_facts facts = {
			.asked = row[i].asked, .users = row[i].users, .notice = row[i].notice};
		bool runs = yield_decide(&y, row[i].at_ms * MS, &facts);

		if (y.why != row[i].why || runs != (row[i].why == YIELD_NOT))
			fail_msg("at %u ms it is %d, not %d", row[i].at_ms, (int)y.why, (int)row[i].why);
	}
}

#define FOLLOW(...)                                                     \
	do {                                                            \
		static const struct row rows[] = {__VA_ARGS__};         \
		follow(rows, (unsigned)(sizeof(rows) / sizeof(*rows))); \
	} while (0)

TEST(nobody)
{
	FOLLOW({0, 0, 0, true, YIELD_NOT}, {5000, 0, 0, true, YIELD_NOT}, {5001, 0, 0, false, YIELD_NOT});
}

TEST(a_user_is_made_way_for)
{
	FOLLOW({100, 0, 0, true, YIELD_NOT}, {300, 0, 1, true, YIELD_SEEN}, {500, 0, 2, true, YIELD_SEEN},
	       {700, 0, 0, true, YIELD_QUIET}, {1499, 0, 0, true, YIELD_QUIET}, {1500, 0, 0, true, YIELD_NOT},
	       {1501, 0, 0, true, YIELD_NOT});
}

/* Tools that open and close in turn find the counters free each time. */
TEST(a_user_in_turns)
{
	FOLLOW({0, 0, 1, true, YIELD_SEEN}, {900, 0, 0, true, YIELD_QUIET}, {950, 0, 1, true, YIELD_SEEN},
	       {1900, 0, 0, true, YIELD_QUIET}, {1949, 0, 0, true, YIELD_QUIET},
	       {1950, 0, 0, true, YIELD_NOT});
}

TEST(without_notice_nobody_is_seen)
{
	FOLLOW({0, 0, 7, false, YIELD_NOT}, {500, 1, 7, false, YIELD_ASKED}, {600, 0, 7, false, YIELD_NOT},
	       {700, 0, 7, true, YIELD_SEEN}, {800, 0, 7, false, YIELD_NOT});
}

TEST(who_asks_comes_first)
{
	FOLLOW({0, 1, 0, true, YIELD_ASKED}, {100, 1, 3, true, YIELD_ASKED}, {200, 2, 0, true, YIELD_ASKED},
	       {300, 1, 0, true, YIELD_ASKED}, {400, 0, 0, true, YIELD_NOT});
}

/* After upcctl run the counters go on at once, but not beside a user that is seen. */
TEST(from_asked_to_seen)
{
	FOLLOW({0, 1, 1, true, YIELD_ASKED}, {400, 0, 1, true, YIELD_SEEN}, {600, 0, 0, true, YIELD_QUIET},
	       {1400, 0, 0, true, YIELD_NOT});
}

/* After upcctl run the counters go on at once, also where a user was seen before it who has ended since. */
TEST(from_seen_to_asked)
{
	FOLLOW({0, 0, 1, true, YIELD_SEEN}, {100, 1, 1, true, YIELD_ASKED}, {300, 0, 0, true, YIELD_NOT});
}

TEST(when_it_is_due)
{
	struct yield y = {0};
	struct yield_facts facts = {.users = 1, .notice = true};

	assert_true(yield_due(&y) == UINT64_MAX);
	yield_decide(&y, 5 * MS, &facts);
	assert_true(yield_due(&y) == UINT64_MAX);
	facts.users = 0;
	yield_decide(&y, 6 * MS, &facts);
	assert_int_equal(yield_due(&y), 5 * MS + YIELD_QUIET_NS);
	assert_true(yield_decide(&y, yield_due(&y), &facts));
	assert_true(yield_due(&y) == UINT64_MAX);
}

TEST(it_says_who)
{
	struct service_user user[2] = {{.pid = 12, .uid = 1000, .command = "perf", .descriptors = 3}};
	struct yield y = {.why = YIELD_SEEN};
	char text[120];

	yield_text(&y, user, 1, 0, text, sizeof(text));
	assert_string_equal(text, "stepped aside for perf (pid 12, uid 1000)");
	yield_text(&y, user, 2, 0, text, sizeof(text));
	assert_string_equal(text, "stepped aside for perf (pid 12, uid 1000) and 1 other");
	yield_text(&y, user, 2, 5, text, sizeof(text));
	assert_string_equal(text, "stepped aside for perf (pid 12, uid 1000) and 6 others");
	y.why = YIELD_ASKED;
	yield_text(&y, user, 1, 0, text, sizeof(text));
	assert_non_null(strstr(text, "asked"));
	y.why = YIELD_NOT;
	yield_text(&y, user, 1, 0, text, sizeof(text));
	assert_string_equal(text, "");
	/* The longest name there is fits what the state has for it. */
	memset(user[0].command, 'x', sizeof(user[0].command) - 1);
	y.why = YIELD_SEEN;
	yield_text(&y, user, 1, 0, text, 16);
	assert_int_equal(strlen(text), 15);
}

UNIT_TESTS(yield, NULL, NULL)
