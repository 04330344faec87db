/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of what a fork cleans.
 */
#include <sys/wait.h>

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
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(forked_calls);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(forked_calls, 0);
	return WEXITSTATUS(status);
}

static void test_fork_list(void **state)
{
	struct upci_fork_entry a = {.forked = forked}, b = {.forked = forked}, c = {.forked = forked};

	(void)state;
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

UNIT_MAIN(process)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
