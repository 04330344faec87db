/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_test.h - what cmocka wants included, and small helpers of the unit tests.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "upc.h"

#include "run.h"

/* What this machine cannot check, with the reason. */
#define skip_because(...)            \
	do {                         \
		fputs("# ", stdout); \
		printf(__VA_ARGS__); \
		puts("");            \
		fflush(stdout);      \
		skip();              \
	} while (0)

/* The message of the last failing call has this in it. */
#define assert_message(part)                                                                \
	do {                                                                                \
		if (!strstr(upc_last_message(), part))                                      \
			fail_msg("message \"%s\" has no \"%s\"", upc_last_message(), part); \
	} while (0)

/* The code of an event that must be there. */
static inline uint32_t event_code(struct upc_catalogue *c, const char *name)
{
	uint32_t code = UINT32_MAX;

	if (upc_catalogue_find(c, name, &code))
		fail_msg("%s", upc_last_message());
	return code;
}

/* The value of an event that the unit has. */
static inline uint64_t event_value(struct upc_unit *u, uint32_t code)
{
	uint64_t value = 0;

	if (upc_unit_read_events(u, &code, 1, &value))
		fail_msg("%s", upc_last_message());
	return value;
}

/* Touches n fresh pages: n page faults and a small constant. Huge pages are
 * declined, since one of them would swallow hundreds. */
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
 * How many page faults of the test's own machinery to allow. Sanitizers, and what
 * sets UPC_TEST_INEXACT (valgrind), fault pages in on their own account.
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

/* At least n faults, and a small constant. */
#define assert_faults(value, n) assert_in_range(value, n, (uint64_t)(n) + FAULT_SLACK)

/* How many entries /proc has of them; to be compared. */
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

/* Of a stand-in for syscall, which has six arguments at most. */
static inline void take_arguments(long argument[6], va_list from)
{
	int i;

	for (i = 0; i < 6; i++)
		argument[i] = va_arg(from, long);
}

/* A small random generator of our own, so that a failure can be repeated. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Values near the places where something happens: carries, thresholds, wraps. */
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
