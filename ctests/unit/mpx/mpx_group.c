/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups that are made, used, put and found again.
 */
#include "core/group.h"

#include "mpx_fake.h"

static struct mpxi_groups groups;

static int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	groups = (struct mpxi_groups){.ops = &fake_ops, .backend = &fake};
	return 0;
}

static struct mpxi_group *get(uint32_t first, unsigned n)
{
	uint32_t code[8] = {0};
	struct mpxi_group *group = NULL;
	unsigned i;

	for (i = 0; i < n; i++)
		code[i] = first + i;
	assert_int_equal(
		mpxi_groups_get(&groups, (struct mpxi_codes){code, n}, (struct mpxi_codes){0}, &group), 0);
	assert_int_equal(group->n, n);
	for (i = 0; i < n; i++)
		assert_int_equal(group->code[i], first + i);
	return group;
}

TEST_WITH(found_again, setup, NULL)
{
	struct mpxi_group *a, *b, *c, *d, *idle, *with, *without;
	const uint32_t always = 9;

	a = get(1, 3);
	b = get(1, 3);
	assert_ptr_not_equal(a, b); /* a is in use */
	mpxi_groups_put(&groups, a);
	c = get(1, 2);
	assert_ptr_not_equal(c, a);
	d = get(2, 3);
	assert_ptr_not_equal(d, a);
	assert_ptr_equal(get(1, 3), a);
	/* With an event more, which is in every group, it is another one. */
	assert_int_equal(mpxi_groups_get(&groups, (struct mpxi_codes){a->code, 3},
					 (struct mpxi_codes){&always, 1}, &with),
			 0);
	mpxi_groups_put(&groups, with);
	without = get(1, 3);
	assert_ptr_not_equal(without, with);
	mpxi_groups_put(&groups, without);
	mpxi_groups_put(&groups, b);
	idle = get(0, 0);
	mpxi_groups_put(&groups, idle);
	assert_ptr_equal(get(0, 0), idle);
	assert_int_equal(fake.opened, 7);
	mpxi_groups_put(&groups, a);
	mpxi_groups_put(&groups, c);
	mpxi_groups_put(&groups, d);
	mpxi_groups_put(&groups, idle);
	mpxi_groups_clear(&groups);
	assert_int_equal(fake.open, 0);
}

/* The group that was put longest ago is closed first, however long it was used. */
TEST_WITH(longest_ago_goes, setup, NULL)
{
	struct mpxi_group *old = get(1000, 1), *group[40];
	unsigned i, open;
	size_t memory;

	for (i = 0; i < 40; i++)
		group[i] = get(i, 1);
	assert_int_equal(groups.count, 41);
	memory = groups.memory;
	for (i = 0; i < 40; i++)
		mpxi_groups_put(&groups, group[i]);
	assert_int_equal(groups.unused, groups.count - 1);
	assert_in_range(groups.unused, 8, 39);
	assert_true(groups.memory < memory);
	mpxi_groups_put(&groups, old);
	open = fake.opened;
	assert_ptr_equal(get(1000, 1), old);
	assert_ptr_equal(get(39, 1), group[39]);
	/* It alone has gone, and those that were put before. */
	for (i = 38; i > 9; i--)
		assert_ptr_equal(get(i, 1), group[i]);
	for (i++; i < 39; i++)
		mpxi_groups_put(&groups, group[i]);
	assert_int_equal(fake.opened, open);
	group[0] = get(0, 1);
	assert_int_equal(fake.opened, open + 1);
	mpxi_groups_put(&groups, old);
	mpxi_groups_clear(&groups);
	assert_int_equal(groups.unused, 0);
	assert_int_equal(groups.count, 2);
	assert_int_equal(fake.open, 2);
	mpxi_groups_put(&groups, group[0]);
	mpxi_groups_put(&groups, group[39]);
	mpxi_groups_clear(&groups);
	assert_int_equal(fake.open, 0);
}

TEST_WITH(failures, setup, NULL)
{
	struct mpxi_group *group = NULL;
	uint32_t code = 7;

	fake_fail(FAKE_OPEN, 1, 1);
	assert_int_equal(
		mpxi_groups_get(&groups, (struct mpxi_codes){&code, 1}, (struct mpxi_codes){0}, &group),
		MPXI_ESYS);
	fake_fail(FAKE_MEMORY, 1, 1);
	assert_int_equal(
		mpxi_groups_get(&groups, (struct mpxi_codes){&code, 1}, (struct mpxi_codes){0}, &group),
		MPXI_ENOMEM);
	assert_null(group);
	assert_int_equal(groups.count, 0);
	assert_int_equal(groups.memory, 0);
	mpxi_groups_put(&groups, get(7, 1));
	mpxi_groups_clear(&groups);
	assert_int_equal(fake.open, 0);
	assert_int_equal(groups.memory, 0);
}

/* In a forked child the backend is not told. */
TEST_WITH(quietly, setup, NULL)
{
	mpxi_groups_put(&groups, get(1, 2));
	groups.quiet = true;
	mpxi_groups_clear(&groups);
	assert_int_equal(groups.count, 0);
	assert_int_equal(fake.open, 1);
	fake_free(fake.groups);
}

UNIT_TESTS(mpx_group, NULL, NULL)
