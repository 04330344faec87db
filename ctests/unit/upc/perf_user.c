/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads of counters in user mode, on pages of our own: what is read, what is refused,
 * and what a change in the middle does.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "base/process.h"
#include "perf/context.h"
#include "lib/machine.h"
#include "perf/perf_user.h"
#include "../unit_test.h"

static struct perf_event_mmap_page page;
static uint64_t counter;
static uint32_t asked; /* the index of the last counter that was read */
static unsigned reads;

/* After so many reads of the counter the page stays as it is. */
static unsigned changes;
static uint32_t step;

static bool fake_pmc(uint32_t index, uint64_t *raw)
{
	asked = index;
	reads++;
	*raw = counter;
	if (changes) {
		/* As when the thread was off its CPU: another counter, another offset. */
		changes--;
		page.lock += step;
		page.index++;
		page.offset += 1000;
		counter += 10;
	}
	return true;
}

static bool no_pmc(uint32_t index, uint64_t *raw)
{
	(void)index;
	(void)raw;
	return false;
}

static int set_up(void **state)
{
	(void)state;
	memset(&page, 0, sizeof(page));
	page.lock = 4;
	page.index = 3;
	page.offset = 1000;
	page.cap_user_rdpmc = 1;
	page.pmc_width = 48;
	page.time_enabled = page.time_running = 5;
	counter = 7;
	reads = changes = 0;
	step = 2;
	return 0;
}

static enum upci_user_answer take(uint64_t *value)
{
	*value = 99;
	return upci_user_read_with(&page, fake_pmc, value);
}

TEST(test_sign_of_a_width)
{
	unsigned width;

	assert_int_equal(upci_user_extend(0x7fffffff, 32), 0x7fffffff);
	assert_int_equal(upci_user_extend(0x80000001, 32), 0xffffffff80000001);
	/* Bits that the counter does not have are not looked at. */
	assert_int_equal(upci_user_extend(0xabc00000005, 32), 5);
	assert_int_equal(upci_user_extend(0x123ffffffff, 32), UINT64_MAX);
	for (width = 1; width <= 64; width++) {
		uint64_t top = (uint64_t)1 << (width - 1), all = top | (top - 1);

		assert_int_equal(upci_user_extend(all, width), UINT64_MAX);
		assert_int_equal(upci_user_extend(top - 1, width), top - 1);
		assert_int_equal(upci_user_extend(top, width), 0 - top);
	}
}

TEST_WITH(test_value_is_offset_and_counter, set_up, NULL)
{
	uint64_t value;

	assert_int_equal(take(&value), UPCI_USER_COUNTS);
	assert_int_equal(value, 1007);
	assert_int_equal(asked, 2);
	assert_int_equal(reads, 1);

	/* A counter begins below 0 and passes it: the sum goes on by one. */
	page.pmc_width = 32;
	page.offset = 0x80000001;
	counter = 0x80000001;
	assert_int_equal(take(&value), UPCI_USER_COUNTS);
	assert_int_equal(value, 2);
	counter = 0xffffffff;
	take(&value);
	assert_int_equal(value, 0x80000000);
	counter = 0;
	take(&value);
	assert_int_equal(value, 0x80000001);

	/* And past 32 bits. */
	page.offset = 0x480000001;
	counter = 0x80000007;
	take(&value);
	assert_int_equal(value, 0x400000008);
	page.pmc_width = 64;
	counter = 0x123456789abcdef0;
	take(&value);
	assert_int_equal(value, 0x123456789abcdef0 + 0x480000001);
}

/* No counter is touched where the page has none, or none that may be read. */
TEST_WITH(test_refusals, set_up, NULL)
{
	uint64_t value;

	page.cap_user_rdpmc = 0;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	page.index = 0;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	page.cap_user_rdpmc = 1;
	assert_int_equal(take(&value), UPCI_USER_STOPPED);
	assert_int_equal(value, 1000);
	page.time_running--;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	page.index = 1;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	page.time_running++;
	page.pmc_width = 0;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	page.pmc_width = 65;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	assert_int_equal(reads, 0);
	page.pmc_width = 1;
	assert_int_equal(take(&value), UPCI_USER_COUNTS);
	assert_int_equal(reads, 1);
	assert_int_equal(upci_user_read_with(&page, no_pmc, &value), UPCI_USER_ASK);
}

TEST_WITH(test_reads_again_after_a_change, set_up, NULL)
{
	uint64_t value;

	for (unsigned n = 1; n < UPCI_USER_TRIES; n++) {
		set_up(NULL);
		changes = n;
		assert_int_equal(take(&value), UPCI_USER_COUNTS);
		assert_int_equal(reads, n + 1);
		assert_int_equal(asked, 2 + n);
		assert_int_equal(value, 1000 + 1000 * n + 7 + 10 * n);
	}
	/* A page that changes all the time is left to the kernel's read. */
	set_up(NULL);
	changes = UPCI_USER_TRIES;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	assert_int_equal(reads, UPCI_USER_TRIES);

	/* A page under change is not used until the change is over. */
	set_up(NULL);
	page.lock = 5;
	assert_int_equal(take(&value), UPCI_USER_ASK);
	set_up(NULL);
	page.lock = 5;
	changes = 1;
	step = 1;
	assert_int_equal(take(&value), UPCI_USER_COUNTS);
	assert_int_equal(value, 2017);
}

static void *is_here(void *tid)
{
	return upci_user_here(getpid(), *(pid_t *)tid) ? tid : NULL;
}

/* In a child that no handler of forks has run in, and which believes all that it
 * remembers: 0 where it has no page of its parent's, and its own once it claims them. */
static int in_a_child(pid_t parent, pid_t parents_thread)
{
	if (upci_user_here(parent, parents_thread) || upci_user_here(getpid(), gettid()))
		return 1;
	if (!upci_process_claim())
		return 2;
	return upci_user_here(parent, parents_thread) ? 3 : 0;
}

TEST(test_only_on_the_thread)
{
	pid_t pid = getpid(), self = gettid();
	pthread_t thread;
	void *result;

	assert_false(upci_user_here(pid, self));
	assert_true(upci_process_claim());
	assert_true(upci_user_here(pid, self));
	assert_true(upci_user_here(pid, self));
	assert_false(upci_user_here(pid, self + 1));
	assert_false(upci_user_here(pid + 1, self));
	assert_int_equal(pthread_create(&thread, NULL, is_here, &self), 0);
	pthread_join(thread, &result);
	assert_null(result);
}

TEST(test_not_in_a_child)
{
	pid_t pid = getpid(), self = gettid(), child;
	int how;

	assert_true(upci_process_claim());
	for (how = 0; how < 2; how++) {
		assert_true(upci_user_here(pid, self));
		child = how ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (child == 0)
			_exit(in_a_child(pid, self));
		assert_true(child > 0);
		assert_int_equal(end_of(child), 0);
		assert_true(upci_user_here(pid, self));
	}
}

/* A mapping of another process is not unmapped: a child may have something else at its address. */
TEST(test_unmaps_its_own)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there;

	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_true(upci_process_claim());
	upci_user_unmap((const void *)mapped, getpid() + 1);
	assert_int_equal(mincore(mapped, size, &there), 0);
	upci_user_unmap((const void *)mapped, getpid());
	assert_int_equal(mincore(mapped, size, &there), -1);
	upci_user_unmap(NULL, getpid());
}

TEST(test_contexts)
{
	struct upci_context context = {.kind = UPC_CONTEXT_THREAD, .own = true, .cpu = -1}, other;

	/* The machine decides the mode of this context; the others never map a page. */
	context.pid = getpid();
	context.tid = gettid();
	assert_int_equal(setenv("UPC_USER_READ", "0", 1), 0);
	assert_false(upci_user_mode(&context, PERF_TYPE_RAW).map);
	assert_int_equal(unsetenv("UPC_USER_READ"), 0);
#if defined(__x86_64__)
	assert_true(upci_user_mode(&context, PERF_TYPE_RAW).map);
	assert_int_equal(upci_user_mode(&context, PERF_TYPE_RAW).config1, 0);
#endif
#if defined(__aarch64__)
	/* No PMU has this number. */
	assert_false(upci_user_mode(&context, INT32_MAX).map);
#endif
	other = context;
	other.own = false;
	assert_false(upci_user_mode(&other, PERF_TYPE_RAW).map);
	other = context;
	other.inherit = true;
	assert_false(upci_user_mode(&other, PERF_TYPE_RAW).map);
	other = context;
	other.enable_on_exec = true;
	assert_false(upci_user_mode(&other, PERF_TYPE_RAW).map);
	other = context;
	other.kind = UPC_CONTEXT_PROCESS;
	other.inherit_threads = true;
	assert_false(upci_user_mode(&other, PERF_TYPE_RAW).map);
	other.kind = UPC_CONTEXT_CPU;
	other.inherit_threads = false;
	assert_false(upci_user_mode(&other, PERF_TYPE_RAW).map);
}

/* A software event has a page, and no counter: it is not kept. */
TEST(test_maps_what_can_be_read)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && !machine_counts())
		skip_because("nothing may be counted here: %s", strerror(errno));
	assert_true(fd >= 0);
	assert_null(upci_user_map(fd));
	close(fd);
	assert_null(upci_user_map(-1));
}

UNIT_TESTS(perf_user, NULL, NULL)
