/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_test.h - the headers that cmocka needs, and small helpers of the unit tests.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "upc.h"

#include "../lib/machine.h"
#include "run.h"

/* ---- the tests of a file ------------------------------------------------------------ */

struct unit_test {
	const char *file;
	int line;
	struct CMUnitTest test;
};

/* TEST(name) { ... } defines a test. TEST_WITH also names a set-up and a tear-down function, or NULL. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                     \
	static void name(void **state);                        \
	UNIT_CASE(name, #name, name, set_up, tear_down, NULL); \
	static void name(void **state __attribute__((unused)))
/* Register a test: a function and a value for its state argument. */
#define UNIT_CASE(id, label, function, set_up, tear_down, value)                                           \
	static const struct unit_test unit_test_##id = {                                                   \
		__BASE_FILE__, __LINE__, {label, function, set_up, tear_down, value}};                     \
	static const struct unit_test *const unit_case_##id __attribute__((used, section("unit_tests"))) = \
		&unit_test_##id

/* The beginning and end of the section with the tests of all files. The linker defines these symbols. */
extern const struct unit_test *const __start_unit_tests[], *const __stop_unit_tests[];

static inline int by_place(const void *one, const void *other)
{
	const struct unit_test *a = *(const struct unit_test *const *)one;
	const struct unit_test *b = *(const struct unit_test *const *)other;

	return a->line != b->line ? a->line - b->line : strcmp(a->test.name, b->test.name);
}

/* Run a file's tests in the order of the file, which the linker may have changed. */
static inline int run_tests_of(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	const size_t all = (size_t)(__stop_unit_tests - __start_unit_tests);
	const struct unit_test **own = calloc(all, sizeof(*own));
	struct CMUnitTest *tests = calloc(all, sizeof(*tests));
	size_t n = 0, i;
	int failed;

	for (i = 0; i < all; i++)
		if (!strcmp(__start_unit_tests[i]->file, file))
			own[n++] = __start_unit_tests[i];
	qsort(own, n, sizeof(*own), by_place);
	for (i = 0; i < n; i++)
		tests[i] = own[i]->test;
	failed = n ? _cmocka_run_group_tests("tests", tests, n, set_up, tear_down) : 1;
	free(tests);
	free(own);
	return failed;
}
#define run_own_tests(set_up, tear_down) run_tests_of(__BASE_FILE__, set_up, tear_down)

/* Define a main function that only runs the file's tests. */
#define UNIT_TESTS(file, set_up, tear_down)              \
	UNIT_MAIN(file)                                  \
	{                                                \
		return run_own_tests(set_up, tear_down); \
	}

/* ---- skips and assertions ----------------------------------------------------------- */

/* Skip a test that this machine cannot run, and print the reason. */
#define skip_because(...)            \
	do {                         \
		fputs("# ", stdout); \
		printf(__VA_ARGS__); \
		puts("");            \
		fflush(stdout);      \
		skip();              \
	} while (0)

/* Skip the test if perf events cannot be counted. */
#define needs_perf()                                         \
	do {                                                 \
		if (!machine_counts())                       \
			skip_because("%s", MACHINE_REFUSES); \
	} while (0)

/* Check that the message of the last failed call contains part. */
#define assert_message(part)                                                                \
	do {                                                                                \
		if (!strstr(upc_last_message(), part))                                      \
			fail_msg("message \"%s\" has no \"%s\"", upc_last_message(), part); \
	} while (0)

/* Return the code of an event, which must exist. */
static inline uint32_t event_code(struct upc_catalogue *c, const char *name)
{
	uint32_t code = UINT32_MAX;

	if (upc_catalogue_find(c, name, &code))
		fail_msg("%s", upc_last_message());
	return code;
}

/* Return the value of an event of the unit. */
static inline uint64_t event_value(struct upc_unit *u, uint32_t code)
{
	uint64_t value = 0;

	if (upc_unit_read_events(u, &code, 1, &value))
		fail_msg("%s", upc_last_message());
	return value;
}

/* Touch n fresh pages, which causes n page faults and a small constant. Huge pages are disabled, since one of
 * them would save hundreds of faults. */
static inline void touch_fresh_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal((void *)p, MAP_FAILED);
	(void)madvise((void *)p, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		p[i * page] = 1;
	munmap((void *)p, n * page);
}

/*
 * Return the number of additional page faults to allow. Sanitizers cause page faults themselves, and so does
 * valgrind, for which UPC_TEST_INEXACT is set.
 */
static inline uint64_t fault_slack(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return 5000;
#else
	return getenv("UPC_TEST_INEXACT") ? 5000 : 90;
#endif
}
#define FAULT_SLACK fault_slack()

/* Check that value is n page faults plus a small constant at most. */
#define assert_faults(value, n) assert_in_range(value, n, (uint64_t)(n) + FAULT_SLACK)

/* Return the number of entries in /proc/self/fd. They are slightly more than the descriptors, so use the
 * number for comparisons only. */
static inline unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Wait for a child. Return its exit status, or minus the signal that killed it. */
static inline int end_of(pid_t child)
{
	int status;

	if (child <= 0 || waitpid(child, &status, 0) != child)
		fail_msg("there is no child");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

/* Set the soft limit of descriptors. Return the previous limit. */
static inline rlim_t limit_descriptors(rlim_t most)
{
	struct rlimit limit;
	rlim_t before;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = most;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return before;
}

/* Return how often a text contains part. */
static inline unsigned times_in(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Touch 64 KiB of stack, since valgrind cannot extend the stack for a signal frame. */
static void __attribute__((noinline, unused)) grow_stack(void)
{
	volatile char room[65536];
	size_t i;

	for (i = 0; i < sizeof(room); i += 1024)
		room[i] = 0;
}

/* Fetch the six arguments of a wrapped syscall(). */
static inline void take_arguments(long argument[6], va_list from)
{
	int i;

	for (i = 0; i < 6; i++)
		argument[i] = va_arg(from, long);
}

/* Return 64 random bits from a private generator, so that a failure can be repeated. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Return a random number greater than 0 and less than 1. */
static inline double random_uniform(uint64_t *state)
{
	return ((double)(random_next(state) >> 11) + .5) / 9007199254740992.;
}

/* Return a normally distributed random number with mean 0 and standard deviation 1. */
static inline double random_normal(uint64_t *state)
{
	const double a = random_uniform(state), b = random_uniform(state);

	return sqrt(-2 * log(a)) * cos(2 * acos(-1) * b);
}

/* Return a random value near a carry, a threshold or a wrap. */
static inline uint64_t random_near_carry(uint64_t *s)
{
	uint64_t x = random_next(s), words = x % 4 << 12;

	switch (x >> 8 & 3) {
	case 0:
		return words + 4096 - (x >> 16) % 64;
	case 1:
		return 0 - (x >> 16) % 9000;
	case 2:
		return words + (x >> 16) % 4096;
	default:
		return words;
	}
}

#endif
