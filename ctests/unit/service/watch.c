/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times at which users are looked for, with a made clock, a made count of openings and made passes
 * (this file has the calls of users.c in its place).
 */
#include "service/watch.h"
#include "unit/unit_test.h"

#define MS UINT64_C(1000000)

/* ---- in place of users.c --------------------------------------------------------------- */

static struct service_user there[USERS_MAX];
static unsigned there_count, there_more, there_hidden, passes, stills;
static bool there_still, all_here = true, pass_fails;

int users_create(const struct users_options *options, struct users **users)
{
	(void)options;
	*users = NULL;
	return 0;
}

void users_destroy(struct users *users)
{
	(void)users;
}

int users_look(struct users *users)
{
	(void)users;
	passes++;
	return pass_fails ? UPC_ESYSTEM : 0;
}

bool users_still(struct users *users)
{
	(void)users;
	stills++;
	return there_still;
}

const struct service_user *users_found(const struct users *users, unsigned *count, unsigned *more)
{
	(void)users;
	*count = there_count;
	*more = there_more;
	return there;
}

unsigned users_hidden(const struct users *users)
{
	(void)users;
	return there_hidden;
}

bool users_all_here(void)
{
	return all_here;
}

/* ---- the tests --------------------------------------------------------------------------- */

static uint64_t opens;
static int opens_error;

static int read_opens(void *arg, uint64_t *count)
{
	(void)arg;
	*count = opens;
	return opens_error;
}

static const struct watch_opens told = {.read = read_opens, .name = "a made count"};

static int begin(void **state)
{
	(void)state;
	memset(there, 0, sizeof(there));
	there_count = there_more = there_hidden = passes = stills = 0;
	there_still = pass_fails = false;
	all_here = true;
	opens = 0;
	opens_error = 0;
	return 0;
}

static struct watch *create(const struct watch_opens *from, bool idle)
{
	struct watch_options options = {.opens = from, .idle = idle};
	struct watch *w = NULL;

	assert_int_equal(watch_create(&options, &w), 0);
	return w;
}

static void a_user_comes(pid_t pid)
{
	there[there_count++] =
		(struct service_user){.pid = pid, .uid = 1000, .command = "perf", .descriptors = 1};
	there_still = true;
}

TEST_WITH(a_pass_follows_an_opening, begin, NULL)
{
	struct watch *w = create(&told, false);
	unsigned count, more;

	assert_int_equal(watch_due(w), 0);
	watch_tick(w, 1000 * MS);
	assert_int_equal(passes, 1);
	assert_int_equal(watch_due(w), 1200 * MS);
	assert_false(watch_tick(w, 1200 * MS));
	assert_int_equal(passes, 1);
	opens = 3;
	a_user_comes(12);
	/* The next look is not due yet. */
	assert_false(watch_tick(w, 1399 * MS));
	assert_int_equal(passes, 1);
	assert_true(watch_tick(w, 1400 * MS));
	assert_int_equal(passes, 2);
	assert_int_equal(watch_users(w, &count, &more)->pid, 12);
	assert_int_equal(count, 1);
	/* An event was opened by a user who has closed it already. */
	opens = 4;
	assert_false(watch_tick(w, 1600 * MS));
	assert_int_equal(passes, 3);
	/* No event was opened since the last look. */
	assert_false(watch_tick(w, 1800 * MS));
	assert_int_equal(passes, 3);
	watch_destroy(w);
}

TEST_WITH(a_user_who_is_there_is_looked_at_alone, begin, NULL)
{
	struct watch *w = create(&told, false);
	unsigned count, more;

	a_user_comes(12);
	assert_true(watch_tick(w, 0));
	assert_false(watch_tick(w, 200 * MS));
	assert_false(watch_tick(w, 400 * MS));
	assert_int_equal(passes, 1);
	assert_int_equal(stills, 2);
	/* The user has ended, and another one has counters. */
	there_still = false;
	there[0].pid = 13;
	assert_true(watch_tick(w, 600 * MS));
	assert_int_equal(passes, 2);
	assert_int_equal(watch_users(w, &count, &more)->pid, 13);
	there_count = 0;
	assert_true(watch_tick(w, 800 * MS));
	watch_users(w, &count, &more);
	assert_int_equal(count, 0);
	watch_destroy(w);
}

TEST_WITH(there_is_a_slow_pass, begin, NULL)
{
	struct watch *w = create(&told, false);
	unsigned ms;

	for (ms = 0; ms <= 20000; ms += 200)
		watch_tick(w, ms * MS);
	assert_int_equal(passes, 3);
	watch_destroy(w);
}

TEST_WITH(without_a_count_passes_have_to_do, begin, NULL)
{
	struct watch *w = create(NULL, false);

	watch_tick(w, 0);
	assert_non_null(strstr(watch_how(w), "all processes each 0.5 s"));
	/* Without a count of openings, and without a user, the next look is the next pass. */
	assert_int_equal(watch_due(w), WATCH_PASS_NS);
	for (unsigned ms = 100; ms <= 2100; ms += 100)
		watch_tick(w, ms * MS);
	/* The looks are 200 ms apart, and a pass comes with one that is after its time. */
	assert_in_range(passes, 4, 5);
	watch_destroy(w);
}

TEST_WITH(a_count_that_fails_is_given_up, begin, NULL)
{
	struct watch *w = create(&told, false);

	watch_tick(w, 0);
	assert_non_null(strstr(watch_how(w), "a made count"));
	opens_error = UPC_ESYSTEM;
	watch_tick(w, 200 * MS);
	assert_int_equal(passes, 2);
	assert_non_null(strstr(watch_how(w), "all processes"));
	watch_tick(w, 700 * MS);
	assert_int_equal(passes, 3);
	watch_destroy(w);
}

TEST_WITH(an_idle_service_looks_seldom, begin, NULL)
{
	struct watch *w = create(NULL, true);
	unsigned before;

	for (unsigned ms = 0; ms <= 20000; ms += 200)
		watch_tick(w, ms * MS);
	assert_int_equal(passes, 3);
	/* With its first hardware counter it looks at once. */
	watch_set_idle(w, false);
	before = passes;
	watch_tick(w, 20001 * MS);
	assert_int_equal(passes, before + 1);
	watch_destroy(w);
}

TEST_WITH(what_is_not_seen_has_a_name, begin, NULL)
{
	struct watch *w = create(NULL, false);

	watch_tick(w, 0);
	assert_string_equal(watch_unseen(w), "");
	there_hidden = 7;
	assert_true(watch_tick(w, 500 * MS));
	assert_non_null(strstr(watch_unseen(w), "7 processes of other users"));
	assert_non_null(strstr(watch_unseen(w), "CAP_SYS_PTRACE"));
	all_here = false;
	assert_true(watch_tick(w, 1000 * MS));
	assert_non_null(strstr(watch_unseen(w), "outside of containers"));
	pass_fails = true;
	assert_true(watch_tick(w, 1500 * MS));
	assert_non_null(strstr(watch_unseen(w), "/proc"));
	/* A pass that works again, and sees all, clears the text. */
	pass_fails = false;
	all_here = true;
	there_hidden = 0;
	assert_true(watch_tick(w, 2000 * MS));
	assert_string_equal(watch_unseen(w), "");
	watch_destroy(w);
}

TEST_WITH(more_than_there_is_room_for, begin, NULL)
{
	struct watch *w = create(NULL, false);
	unsigned count, more;

	while (there_count < USERS_MAX)
		a_user_comes((pid_t)(100 + there_count));
	assert_true(watch_tick(w, 0));
	there_more = 5;
	assert_true(watch_tick(w, 500 * MS));
	watch_users(w, &count, &more);
	assert_int_equal(count, USERS_MAX);
	assert_int_equal(more, 5);
	watch_destroy(w);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
