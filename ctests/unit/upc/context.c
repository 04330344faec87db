/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: the calling thread, others, processes, CPUs, and what is none.
 */
#include <fcntl.h>
#include <linux/perf_event.h>

#include "perf/context.h"
#include "perf/perf.h"
#include "base/fds.h"
#include "perf/pmus.h"
#include "../unit_test.h"

TEST(test_calling_thread)
{
	struct upci_perf_target *targets;
	struct upci_context context;

	assert_int_equal(upci_context_set(&context, NULL), 0);
	assert_int_equal(context.tid, gettid());
	assert_int_equal(context.pid, getpid());
	assert_true(context.own);
	assert_int_equal(context.domain, upci_perf_domains());
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets), 1);
	assert_int_equal(targets[0].tid, gettid());
	free(targets);
}

TEST(test_process_and_machine)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_perf_target *targets;
	struct upci_context context;

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

TEST(test_what_is_not_there)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_context context;

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
TEST(test_no_descriptors)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_perf_target *targets;
	struct upci_context context;
	int fd[256], n = 0;
	rlim_t before;

	options.context = UPC_CONTEXT_PROCESS;
	assert_int_equal(upci_context_set(&context, &options), 0);
	before = limit_descriptors(sizeof(fd) / sizeof(fd[0]));
	while ((fd[n] = upci_fd_keep(open("/dev/null", O_RDONLY | O_CLOEXEC))) >= 0)
		n++;
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets), UPC_EMFILE);
	assert_int_equal(upci_pmus_refresh(), UPC_EMFILE);
	while (n--)
		close(fd[n]);
	limit_descriptors(before);
	assert_int_equal(upci_context_targets(&context, PERF_TYPE_SOFTWARE, &targets), 1);
	free(targets);
}

UNIT_TESTS(context, NULL, NULL)
