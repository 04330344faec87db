/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: the calling thread, others, processes, CPUs, and what is none.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

#include "perf/context.h"
#include "perf/perf.h"
#include "base/fds.h"
#include "perf/pmus.h"
#include "../unit_test.h"

static void test_calling_thread(void **state)
{
	struct upci_perf_target *targets;
	struct upci_context context;

	(void)state;
	assert_int_equal(upci_context_set(&context, NULL), 0);
	assert_int_equal(context.tid, gettid());
	assert_int_equal(context.pid, getpid());
	assert_true(context.own);
	assert_int_equal(context.domain, upci_perf_domains());
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets), 1);
	assert_int_equal(targets[0].tid, gettid());
	free(targets);
}

static void test_process_and_machine(void **state)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_perf_target *targets;
	struct upci_context context;

	(void)state;
	options.context = UPC_CONTEXT_PROCESS;
	options.pid = getppid();
	assert_int_equal(upci_context_set(&context, &options), 0);
	assert_false(context.own);
	assert_true(context.inherit_threads && !context.inherit);
	options.context = UPC_CONTEXT_MACHINE;
	options.pid = 0;
	assert_int_equal(upci_context_set(&context, &options), 0);
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets),
			 sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(targets[0].tid, -1);
	free(targets);
}

static void test_what_is_not_there(void **state)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_context context;

	(void)state;
	options.pid = 0x3fffffff;
	assert_int_equal(upci_context_set(&context, &options), UPC_ENOTASK);
	options.pid = -1;
	assert_int_equal(upci_context_set(&context, &options), UPC_EINVAL);
	options.pid = 0;
	options.context = UPC_CONTEXT_CPU;
	options.cpu = 1 << 19;
	assert_int_equal(upci_context_set(&context, &options), UPC_ENOTASK);
	options.cpu = -1;
	assert_int_equal(upci_context_set(&context, &options), UPC_ENOTASK);
	options.context = (enum upc_context_kind)9;
	assert_int_equal(upci_context_set(&context, &options), UPC_EINVAL);
	options.context = UPC_CONTEXT_THREAD;
	options.domain = 0x80;
	assert_int_equal(upci_context_set(&context, &options), UPC_EINVAL);
	options.domain = 0;
	options.size = 4;
	assert_int_equal(upci_context_set(&context, &options), UPC_EINVAL);
}

/* The program's reserve is not taken for lists, either. */
static void test_no_descriptors(void **state)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_perf_target *targets;
	struct upci_context context;
	int fd[256], n = 0;
	struct rlimit before, low;

	(void)state;
	options.context = UPC_CONTEXT_PROCESS;
	assert_int_equal(upci_context_set(&context, &options), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = sizeof(fd) / sizeof(fd[0]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	while ((fd[n] = upci_fd_keep(open("/dev/null", O_RDONLY | O_CLOEXEC))) >= 0)
		n++;
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets), UPC_EMFILE);
	assert_int_equal(upci_pmus_refresh(), UPC_EMFILE);
	while (n--)
		close(fd[n]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets), 1);
	free(targets);
}

UNIT_MAIN(context)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calling_thread),
		cmocka_unit_test(test_process_and_machine),
		cmocka_unit_test(test_what_is_not_there),
		cmocka_unit_test(test_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
