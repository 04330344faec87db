/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of what a fork cleans.
 */
#include "base/process.h"
#include "../unit_test.h"

static int forked_calls;

static void forked(struct upci_fork_entry *entry)
{
	(void)entry;
	forked_calls++;
}

static int calls_in_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(forked_calls);
	assert_int_equal(forked_calls, 0);
	return end_of(pid);
}

TEST(test_fork_list)
{
	struct upci_fork_entry a = {.forked = forked}, b = {.forked = forked}, c = {.forked = forked};

	upci_fork_register(&a);
	upci_fork_register(&b);
	upci_fork_register(&c);
	assert_int_equal(calls_in_child(), 3);
	upci_fork_unregister(&b);
	assert_int_equal(calls_in_child(), 2);
	upci_fork_unregister(&c);
	upci_fork_unregister(&a);
	assert_int_equal(calls_in_child(), 0);
}

UNIT_TESTS(process, NULL, NULL)
