/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening perf events: attributes, the reserve of descriptors, and each refusal of the
 * kernel as an error in words.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>

#include "perf/perf_open.h"
#include "../unit_test.h"

static const struct upci_perf_spec faults = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .exclude_kernel = 1,
					     .exclude_hv = 1};

static const struct upci_perf_target here = {0, -1, 0}, cpu = {-1, 0, 0}, nobody = {0x3fffffff, -1, 0};

TEST(test_attributes)
{
	struct upci_perf_spec spec = {
		.type = 9, .config = 1, .config1 = UINT64_MAX, .config2 = 3, .exclude_kernel = true};
	struct perf_event_attr attr = upci_perf_attr(&spec);

	assert_int_equal(attr.size, sizeof(attr));
	assert_int_equal(attr.type, 9);
	assert_int_equal(attr.config, 1);
	assert_int_equal(attr.config1, UINT64_MAX);
	assert_int_equal(attr.config2, 3);
	assert_int_equal(attr.exclude_kernel, 1);
	assert_int_equal(attr.exclude_user + attr.exclude_hv + attr.disabled + attr.inherit + attr.pinned, 0);
	assert_int_equal(attr.sample_period, 0);
}

TEST(test_opens)
{
	needs_perf();
	struct perf_event_attr attr = upci_perf_attr(&faults);
	int leader = upci_perf_open(&attr, &here, -1), member;
	uint64_t before, after;

	assert_true(leader >= 0);
	assert_int_equal(fcntl(leader, F_GETFD), FD_CLOEXEC);
	member = upci_perf_open(&attr, &here, leader);
	assert_true(member >= 0);
	assert_int_equal(read(member, &before, sizeof(before)), sizeof(before));
	touch_fresh_pages(50);
	assert_int_equal(read(member, &after, sizeof(after)), sizeof(after));
	assert_faults(after - before, 50);
	/* A member is no leader. */
	assert_int_equal(upci_perf_open(&attr, &here, member), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(upci_perf_open(&attr, &nobody, -1), -1);
	assert_int_equal(errno, ESRCH);
	close(member);
	close(leader);
}

/* The last descriptors are the program's; a probe, which keeps none, may use them. */
TEST(test_reserve)
{
	needs_perf();
	struct perf_event_attr attr = upci_perf_attr(&faults);
	rlim_t old;
	int fd, probed;

	/* Room for one more, which the reserve takes. */
	fd = dup(0);
	assert_true(fd >= 3);
	close(fd);
	old = limit_descriptors((rlim_t)fd + 1);
	fd = upci_perf_open(&attr, &here, -1);
	errno = fd < 0 ? errno : 0;
	assert_int_equal(errno, EMFILE);
	probed = upci_perf_probe(&faults, "faults");
	limit_descriptors(old);
	assert_int_equal(fd, -1);
	assert_int_equal(probed, 0);
}

TEST(test_refusals_in_words)
{
	static const struct {
		int number;
		const struct upci_perf_target *target;
		bool hardware;
		int error;
		const char *words;
	} cases[] = {
		{EACCES, &here, false, UPC_EPERM, "CAP_PERFMON"},
		{EPERM, &nobody, true, UPC_EPERM, "attach to processes of your own only"},
		{EMFILE, &here, false, UPC_EMFILE, "ulimit -n"},
		{ENFILE, &here, true, UPC_EMFILE, "count fewer events"},
		{ESRCH, &nobody, false, UPC_ENOTASK, "there is no thread 1073741823"},
		{ENOSYS, &here, false, UPC_ENOSUPP, "has no perf events"},
		{ENODEV, &cpu, true, UPC_ENOTASK, "CPU 0 is not online"},
		{ENODEV, &nobody, true, UPC_ENOTASK, "there is no thread 1073741823"},
		{ENODEV, &here, true, UPC_ENOSUPP, "no counter for it on this machine"},
		{ENOENT, &here, false, UPC_ENOSUPP, "no counter for it on this machine"},
		{EOPNOTSUPP, &cpu, true, UPC_ENOSUPP, "no counter for it on this machine"},
		{EINVAL, &here, true, UPC_ECONFLICT, "in a run of its own"},
		{ENOSPC, &cpu, true, UPC_ECONFLICT, "does not fit the PMU's counters"},
		{EBUSY, &here, true, UPC_ECONFLICT, "does not fit the PMU's counters"},
		{EINVAL, &here, false, UPC_ENOSUPP, "in this context (Invalid argument)"},
		{ENOMEM, &here, false, UPC_ENOMEM, "the kernel has no memory"},
		{EIO, &here, true, UPC_ESYSTEM, "perf_event_open: Input/output error"},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		errno = cases[i].number;
		assert_int_equal(upci_perf_fail("the event", cases[i].target, cases[i].hardware),
				 cases[i].error);
		assert_message(cases[i].words);
		assert_int_equal(strncmp(upc_last_message(), "the event: ", 11), 0);
	}
}

TEST(test_probe)
{
	needs_perf();
	static const struct upci_perf_spec nonsense = {
		.type = 0x7fffffff, .exclude_kernel = 1, .exclude_hv = 1};
	int fd = dup(0), again;

	close(fd);
	assert_int_equal(upci_perf_probe(&faults, "faults"), 0);
	assert_int_equal(upci_perf_probe(&nonsense, "nonsense"), UPC_ENOSUPP);
	assert_message("nonsense: ");
	again = dup(0);
	assert_int_equal(again, fd);
	close(again);
}

/* From its end on, whether or not anybody has waited for it. */
TEST(test_has_ended)
{
	needs_perf();
	siginfo_t info;
	int hold[2];
	pid_t child;

	assert_int_equal(pipe(hold), 0);
	child = fork();
	if (child == 0) {
		char byte;

		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	assert_true(child > 0);
	close(hold[0]);
	assert_false(upci_perf_has_ended(gettid()));
	assert_false(upci_perf_has_ended(child));
	close(hold[1]);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(upci_perf_has_ended(child));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(upci_perf_has_ended(child));
	assert_true(upci_perf_has_ended(nobody.tid));
}

TEST(test_domains)
{
	needs_perf();
	struct upci_perf_spec kernel = faults;
	int domains = upci_perf_domains();

	kernel.exclude_kernel = kernel.exclude_hv = false;
	assert_int_equal(domains & UPC_DOMAIN_USER, UPC_DOMAIN_USER);
	assert_int_equal(!!(domains & UPC_DOMAIN_KERNEL), upci_perf_probe(&kernel, "faults") == 0);
	assert_int_not_equal(upci_perf_paranoid(), INT_MAX);
}

UNIT_TESTS(perf_open, NULL, NULL)
