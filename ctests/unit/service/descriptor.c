/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a descriptor of a process takes a hardware counter: with the events that this machine gives,
 * and with descriptors that are no perf events.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "service/descriptor.h"
#include "unit/unit_test.h"

static struct descriptor_pmus pmus;

static int open_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {.type = type,
				       .size = sizeof(attr),
				       .config = config,
				       .exclude_kernel = type != 5,
				       .disabled = 1};

	if (type == PERF_TYPE_BREAKPOINT) {
		static long watched;

		attr.bp_type = 2; /* writes */
		attr.bp_addr = (uint64_t)(uintptr_t)&watched;
		attr.bp_len = 4;
		attr.exclude_kernel = 1;
	}
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int begin(void **state)
{
	(void)state;
	descriptor_pmus_read(&pmus);
	return 0;
}

TEST(software_takes_nothing)
{
	int self = descriptor_process(getpid()), fd;

	if (self < 0)
		skip_because("this kernel has no pidfd_open");
	fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	if (fd < 0)
		skip_because("this kernel lets nobody count here");
	assert_false(descriptor_is_hardware(&pmus, self, fd));
	close(fd);
	/* A descriptor that was closed meanwhile takes no counter. */
	assert_false(descriptor_is_hardware(&pmus, self, fd));
	for (uint64_t config = PERF_COUNT_SW_CPU_CLOCK; config < PERF_COUNT_SW_MAX; config++) {
		fd = open_event(PERF_TYPE_SOFTWARE, config);
		if (fd < 0)
			continue;
		if (descriptor_is_hardware(&pmus, self, fd))
			fail_msg("software event %d takes a counter", (int)config);
		close(fd);
	}
	close(self);
}

/* A breakpoint takes no counter. The type of breakpoints is never asked for, since that would change one. */
TEST(a_breakpoint_stays_as_it_is)
{
	int self = descriptor_process(getpid()), fd = open_event(PERF_TYPE_BREAKPOINT, 0);

	if (self < 0 || fd < 0)
		skip_because("this kernel gives no breakpoint");
	assert_false(descriptor_is_hardware(&pmus, self, fd));
	close(fd);
	close(self);
}

TEST(hardware_takes_a_counter)
{
	int self = descriptor_process(getpid()),
	    fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	if (fd < 0)
		skip_because("this machine has no PMU, or it is kept from this user");
	assert_true(descriptor_is_hardware(&pmus, self, fd));
	close(fd);
	close(self);
}

/* Another file may have got the number of a perf event meanwhile: it is not asked, and takes no counter. */
TEST(other_files_are_not_asked)
{
	int self = descriptor_process(getpid()), fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (self < 0)
		skip_because("this kernel has no pidfd_open");
	assert_false(descriptor_is_hardware(&pmus, self, fd));
	close(fd);
	close(self);
}

/* A descriptor of a process that cannot be asked is taken for a hardware counter. */
TEST(what_is_not_told_is_hardware)
{
	assert_true(descriptor_is_hardware(&pmus, -1, 3));
	assert_int_equal(descriptor_process(1 << 30), -1);
}

TEST(pmus_by_name)
{
	assert_true(descriptor_pmu_is_hardware("cpu"));
	assert_true(descriptor_pmu_is_hardware("armv8_pmuv3_0"));
	assert_true(descriptor_pmu_is_hardware("cpu_core"));
	assert_true(descriptor_pmu_is_hardware("uncore_imc_0"));
	assert_true(descriptor_pmu_is_hardware("powerful"));
	assert_false(descriptor_pmu_is_hardware("software"));
	assert_false(descriptor_pmu_is_hardware("kprobe"));
	assert_false(descriptor_pmu_is_hardware("power"));
	assert_false(descriptor_pmu_is_hardware("cstate_core"));
}

UNIT_TESTS(descriptor, begin, NULL)
