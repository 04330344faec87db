/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_user_read - reads of hardware counters in user mode, on the PMU of scripts/pmu/pmu-rig: they
 * give the counts of group reads, and where they are not possible group reads take their place.
 * Counts of this machine are exact.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tap.h"
#include "upc.h"

#define INSTRUCTIONS "arm_ac57::INST_RETIRED"
#define CYCLES "arm_ac57::CPU_CYCLES"

/* More than a read's own instructions in user mode. */
#define READ 1000

static struct upc_catalogue *catalogue;
static bool permitted;
static uint64_t group_read; /* the time of one; the machine's clock counts instructions */

#if defined(__aarch64__)
/* 2 n instructions. */
static inline __attribute__((always_inline)) void loop(uint64_t n)
{
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
}
#else
static void loop(uint64_t n)
{
	(void)n;
}
#endif

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Starts a unit of the first n of the caller's user-mode instructions and cycles. */
static struct upc_unit *count_calling_thread(unsigned n)
{
	static const char *const names[] = {INSTRUCTIONS, CYCLES};
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *unit = NULL;
	unsigned i;

	options.domain = UPC_DOMAIN_USER;
	if (upc_unit_create(catalogue, &options, &unit))
		goto failed;
	for (i = 0; i < n; i++) {
		uint32_t code;

		if (upc_catalogue_find(catalogue, names[i], &code) || upc_unit_add(unit, code))
			goto failed;
	}
	if (upc_unit_start(unit))
		goto failed;
	return unit;
failed:
	printf("Bail out! %s\n", upc_last_message());
	exit(1);
}

/* The same, with group reads. */
static struct upc_unit *count_by_group_reads(unsigned n)
{
	struct upc_unit *unit;

	setenv("UPC_USER_READ", "0", 1);
	unit = count_calling_thread(n);
	unsetenv("UPC_USER_READ");
	return unit;
}

/* Returns the time of a read, in ns. */
static uint64_t cost(struct upc_unit *unit, unsigned n)
{
	uint64_t value[2], start = now(), between = now() - start;
	unsigned i;

	upc_unit_read_added(unit, value, n);
	start = now();
	for (i = 0; i < 50; i++)
		upc_unit_read_added(unit, value, n);
	return (now() - start - between) / 50;
}

/* Returns whether reads of a unit make no system calls, by their time. */
static bool is_quick(struct upc_unit *unit, unsigned n)
{
	uint64_t took = cost(unit, n);

	note("a read takes %llu ns of the machine, a group read %llu", (unsigned long long)took,
	     (unsigned long long)group_read);
	return took < group_read / 2;
}

/* Returns the instructions of a loop and the two reads around it, less 2 n. */
static int64_t beside(struct upc_unit *unit, uint64_t n)
{
	uint64_t before[2], after[2];

	if (upc_unit_read_added(unit, before, 2))
		return INT64_MIN;
	loop(n);
	if (upc_unit_read_added(unit, after, 2))
		return INT64_MIN;
	return (int64_t)(after[0] - before[0] - 2 * n);
}

static void test_exact(void)
{
	struct upc_unit *user = count_calling_thread(2), *group;
	int64_t by_user[3], by_group[3];
	uint64_t n = 1000;
	unsigned i;

	beside(user, 1);
	for (i = 0; i < 3; i++, n *= 100)
		by_user[i] = beside(user, n);
	ok(is_quick(user, 2) == permitted, "reads are %s", permitted ? "in user mode" : "of the group");
	upc_unit_destroy(user);
	group = count_by_group_reads(2);
	beside(group, 1);
	ok(!is_quick(group, 2), "UPC_USER_READ=0: reads are of the group");
	for (i = 0, n = 1000; i < 3; i++, n *= 100)
		by_group[i] = beside(group, n);
	upc_unit_destroy(group);
	ok(by_user[0] == by_user[1] && by_user[1] == by_user[2] && by_user[0] >= 0 && by_user[0] < READ,
	   "2 n + %lld, whatever n is", (long long)by_user[0]);
	ok(by_group[0] == by_group[1] && by_group[1] == by_group[2] && by_group[0] >= 0 && by_group[0] < READ,
	   "by group reads 2 n + %lld", (long long)by_group[0]);
}

/*
 * Both kinds of read of the same counters, one after the other: the group reads are made by the
 * unit's stop, and by another thread. The library's own instructions lie between two reads.
 */
static void *read_elsewhere(void *arg)
{
	static uint64_t value[2];

	return upc_unit_read_added(arg, value, 2) ? NULL : value;
}

static bool follows(const uint64_t *before, const uint64_t *after, uint64_t most)
{
	return after[0] >= before[0] && after[0] - before[0] < most && after[1] >= before[1] &&
	       after[1] - before[1] < most << 3;
}

static void test_same_counters(void)
{
	struct upc_unit *unit = count_calling_thread(2);
	uint64_t value[4][2] = {{0}}, *elsewhere;
	pthread_t thread;
	int error;

	loop(1000000);
	error = upc_unit_read_added(unit, value[0], 2);
	pthread_create(&thread, NULL, read_elsewhere, unit);
	pthread_join(thread, (void **)&elsewhere);
	ok(!error && elsewhere && value[0][0] >= 2000000 && follows(value[0], elsewhere, 20000),
	   "a read from another thread goes on from ours");
	loop(1000000);
	error = upc_unit_read_added(unit, value[1], 2);
	ok(!error && elsewhere && value[1][0] - elsewhere[0] >= 2000000 &&
		   value[1][0] - elsewhere[0] < 2020000,
	   "and ours from there");
	upc_unit_stop(unit);
	error = upc_unit_read_added(unit, value[2], 2);
	ok(!error && follows(value[1], value[2], 10000), "the stop's group read gives %llu more",
	   (unsigned long long)(value[2][0] - value[1][0]));
	loop(1000);
	upc_unit_read_added(unit, value[3], 2);
	ok(value[3][0] == value[2][0] && value[3][1] == value[2][1], "nothing counts while stopped");
	upc_unit_start(unit);
	error = upc_unit_read_added(unit, value[3], 2);
	ok(!error && follows(value[2], value[3], 10000), "and it goes on where it was after a start");
	upc_unit_destroy(unit);
}

static void test_halted_member(void)
{
	struct upc_unit *unit = count_calling_thread(2);
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	uint64_t value[3][2];
	uint32_t code;
	int counter;

	upc_catalogue_find(catalogue, INSTRUCTIONS, &code);
	for (counter = 0; counter < UPC_COUNTERS; counter++)
		if (!upc_counter_state(unit, counter, &info) && info.flags & UPC_COUNTER_BOUND &&
		    info.code == code)
			break;
	upc_unit_read_added(unit, value[0], 2);
	if (!ok(counter < UPC_COUNTERS && !upc_counter_halt(unit, counter), "one event halts"))
		return;
	upc_unit_read_added(unit, value[0], 2);
	loop(100000);
	upc_unit_read_added(unit, value[1], 2);
	ok(value[1][0] == value[0][0] && value[1][1] - value[0][1] >= 200000,
	   "it keeps its count while the other counts");
	ok(is_quick(unit, 2) == permitted, "reads of both are as before");
	upc_counter_continue(unit, counter);
	loop(100000);
	upc_unit_read_added(unit, value[2], 2);
	ok(value[2][0] - value[1][0] >= 200000 && value[2][0] - value[1][0] < 200000 + READ, "and goes on");
	upc_unit_destroy(unit);
}

/* Counters have 32 bits, and both are past them soon. */
static void test_past_32_bits(void)
{
	const uint64_t n = 2200000000u;
	struct upc_unit *unit = count_calling_thread(2);
	uint64_t before[2], after[2];
	int i;

	upc_unit_read_added(unit, before, 2);
	for (i = 0; i < 2; i++)
		loop(n / 2);
	ok(!upc_unit_read_added(unit, after, 2) && after[0] - before[0] >= 2 * n &&
		   after[0] - before[0] < 2 * n + READ && after[0] > UINT32_MAX,
	   "instructions past 32 bits: 2 n + %lld", (long long)(after[0] - before[0] - 2 * n));
	ok(after[1] - before[1] >= 2 * n && (after[1] - before[1]) % (2 * n) < 8 * READ,
	   "cycles past 32 bits: %llu", (unsigned long long)(after[1] - before[1]));
	ok(is_quick(unit, 2) == permitted, "reads are as before");
	upc_unit_destroy(unit);
}

static void test_added_while_running(void)
{
	struct upc_unit *unit = count_calling_thread(1);
	uint64_t before[2], after[2];
	uint32_t code;
	int error;

	upc_unit_read_added(unit, before, 1);
	loop(1000);
	upc_unit_read_added(unit, before, 1);
	error = upc_catalogue_find(catalogue, CYCLES, &code) || upc_unit_add(unit, code) ||
		upc_unit_read_added(unit, before, 2);
	loop(1000000);
	error = error || upc_unit_read_added(unit, after, 2);
	ok(!error && before[1] < 100000 && after[1] - before[1] >= 2000000 &&
		   after[1] - before[1] < 16100000 && after[0] - before[0] >= 2000000 &&
		   after[0] - before[0] < 2000000 + READ,
	   "an event is added while another runs: %llu cycles at first", (unsigned long long)before[1]);
	ok(is_quick(unit, 2) == permitted, "reads are as before");
	upc_unit_destroy(unit);
}

static int report(bool good)
{
	return good ? 0 : 1;
}

/* A child has no page of its parent's, and gets its own. */
static void test_fork(void)
{
	struct upc_unit *unit = count_calling_thread(2);
	uint64_t before[2], after[2];
	int status = -1;
	pid_t child;

	upc_unit_read_added(unit, before, 2);
	child = fork();
	if (child == 0) {
		bool good = !upc_unit_read_added(unit, after, 2) && after[0] == 0;
		uint64_t first;

		good = good && !upc_unit_start(unit) && !upc_unit_read_added(unit, after, 2);
		first = after[0];
		loop(1000000);
		good = good && !upc_unit_read_added(unit, after, 2) && after[0] - first >= 2000000 &&
		       after[0] - first < 2000000 + READ && is_quick(unit, 2) == permitted;
		upc_unit_destroy(unit);
		_exit(report(good));
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "a forked child counts itself (status %d)", status);
	loop(1000000);
	ok(!upc_unit_read_added(unit, after, 2) && after[0] - before[0] >= 2000000 &&
		   after[0] - before[0] < 2020000,
	   "and its parent has nothing of that");
	upc_unit_destroy(unit);
}

/* A child of a bare clone runs no handlers of forks: it has its parent's descriptors, but none of
 * its pages, and libupc takes it for its parent. */
static void test_bare_clone(void)
{
	struct upc_unit *unit = count_calling_thread(2);
	uint64_t before[2], after[2];
	int status = -1;
	pid_t child;

	upc_unit_read_added(unit, before, 2);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		struct upc_unit *own;
		bool good = !upc_unit_read_added(unit, after, 2) && after[0] >= before[0];

		/* The child has pages of its own now, but still none of its parent's. */
		own = count_calling_thread(1);
		good = good && !upc_unit_read_added(unit, after, 2) && after[0] >= before[0];
		upc_unit_destroy(unit);
		good = good && !upc_unit_read_added(own, after, 1) && is_quick(own, 1) == permitted;
		upc_unit_destroy(own);
		_exit(report(good));
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
	   "a child of a bare clone reads its parent's by the kernel (status 0x%x)", status);
	upc_unit_read_added(unit, before, 2);
	loop(1000000);
	ok(!upc_unit_read_added(unit, after, 2) && after[0] - before[0] >= 2000000 &&
		   is_quick(unit, 2) == permitted,
	   "and its parent reads as before");
	upc_unit_destroy(unit);
}

/* A handler reads a unit of its own while the program is in reads of another. */
static struct upc_unit *in_handler;
static uint64_t handler_last;
static volatile sig_atomic_t handled, handler_wrong;

static void on_timer(int number)
{
	uint64_t value;

	(void)number;
	handled++;
	if (upc_unit_read_added(in_handler, &value, 1) || value < handler_last)
		handler_wrong++;
	handler_last = value;
}

static void test_signals(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct upc_unit *unit = count_calling_thread(2);
	uint64_t last[2] = {0}, value[2];
	unsigned wrong = 0, i;

	in_handler = count_calling_thread(1);
	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; handled < 200 && i < 20000000; i++) {
		if (upc_unit_read_added(unit, value, 2) || value[0] <= last[0] || value[1] <= last[1] ||
		    value[0] - last[0] > 100000)
			wrong++;
		last[0] = value[0];
		last[1] = value[1];
	}
	setitimer(ITIMER_REAL, &never, NULL);
	ok(handled >= 200 && !wrong && !handler_wrong,
	   "%u reads with %d signals, whose handler reads as well: %u and %d wrong", i, (int)handled, wrong,
	   (int)handler_wrong);
	upc_unit_destroy(unit);
	upc_unit_destroy(in_handler);
}

/* Threads on one CPU: each one's counters come and go. */
static void *count_in_thread(void *arg)
{
	struct upc_unit *unit = count_calling_thread(2);
	intptr_t bad = 0, i;

	(void)arg;
	for (i = 0; i < 50; i++) {
		int64_t more = beside(unit, 1000000);

		bad += more < 0 || more >= READ;
	}
	upc_unit_destroy(unit);
	return (void *)bad;
}

static void test_threads(void)
{
	pthread_t thread[4];
	intptr_t bad = 0;
	unsigned i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, count_in_thread, NULL);
	for (i = 0; i < 4; i++) {
		void *one;

		pthread_join(thread[i], &one);
		bad += (intptr_t)one;
	}
	ok(!bad, "four threads in turn: %d of 200 loops miscounted", (int)bad);
}

/* A second pinned group finds no counters: it must not read those of the first. */
static void test_no_room(void)
{
	static const char *const names[] = {
		"arm_ac57::INST_RETIRED",     "arm_ac57::L1I_CACHE_REFILL", "arm_ac57::L1D_CACHE_REFILL",
		"arm_ac57::L1D_CACHE_ACCESS", "arm_ac57::BRANCH_MISPRED",
	};
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *unit[2];
	uint64_t value[5];
	unsigned u, i;
	int error = 0, second;

	options.domain = UPC_DOMAIN_USER;
	for (u = 0; u < 2; u++) {
		error |= upc_unit_create(catalogue, &options, &unit[u]);
		for (i = 0; i < 5; i++) {
			uint32_t code;

			error |=
				upc_catalogue_find(catalogue, names[i], &code) || upc_unit_add(unit[u], code);
		}
	}
	error |= upc_unit_start(unit[0]);
	second = upc_unit_start(unit[1]);
	loop(100000);
	ok(!error && !upc_unit_read_added(unit[0], value, 5) && value[0] >= 200000,
	   "a unit has its counters whoever else asks");
	if (second)
		ok(second == UPC_ECONFLICT, "another for which there is no room does not start");
	else
		ok(upc_unit_read_added(unit[1], value, 5) == UPC_EPARTIAL,
		   "another for which there is no room says so");
	upc_unit_destroy(unit[1]);
	upc_unit_destroy(unit[0]);
}

int main(void)
{
	struct upc_unit *unit;
	uint32_t code;
	FILE *file;
	int access = 0;

	if (upc_catalogue_open(NULL, &catalogue))
		bail_out("%s", upc_last_message());
	if (upc_catalogue_find(catalogue, INSTRUCTIONS, &code))
		skip_all("this machine has not the PMU of scripts/pmu/pmu-rig");
	file = fopen("/proc/sys/kernel/perf_user_access", "r");
	if (file && fscanf(file, "%d", &access) != 1)
		access = 0;
	if (file)
		fclose(file);
	permitted = access != 0;
	note("perf_user_access is %d", access);
	unit = count_by_group_reads(2);
	group_read = cost(unit, 2);
	upc_unit_destroy(unit);
	test_exact();
	test_same_counters();
	test_halted_member();
	test_added_while_running();
	test_fork();
	test_bare_clone();
	test_signals();
	test_threads();
	test_no_room();
	test_past_32_bits();
	upc_catalogue_close(catalogue);
	return done();
}
