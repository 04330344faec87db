/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_tests.h - functions that the component's tests share: starting PAPI or skipping the test, and
 * causing a known number of page faults.
 */
#ifndef UPC_TESTS_H
#define UPC_TESTS_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "papi.h"
#include "papi_test.h"

#define FAULTS "upc:::perf::PAGE-FAULTS"
#define SLACK 40 /* additional faults that a test does not cause itself */

#define REQUIRE(condition, what)                                         \
	do {                                                             \
		if (!(condition))                                        \
			test_fail(__FILE__, __LINE__, what, PAPI_EMISC); \
	} while (0)

#define CHECK(call)                                                         \
	do {                                                                \
		int check_result = (call);                                  \
		if (check_result != PAPI_OK)                                \
			test_fail(__FILE__, __LINE__, #call, check_result); \
	} while (0)

/* Return the component's index. Skips the test if the component is not active. */
static inline int upc_begin(int argc, char **argv)
{
	int i;

	tests_quiet(argc, argv);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		test_fail(__FILE__, __LINE__, "PAPI_library_init", PAPI_EMISC);
	for (i = 0; i < PAPI_num_components(); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);
		int code = PAPI_NATIVE_MASK;

		if (strcmp(info->name, "upc") != 0)
			continue;
		/* The first use opens the component. */
		(void)PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i);
		if (info->disabled) {
			if (!TESTS_QUIET)
				printf("upc is disabled: %s\n", info->disabled_reason);
			test_skip(__FILE__, __LINE__, "upc is disabled", info->disabled);
		}
		return i;
	}
	test_skip(__FILE__, __LINE__, "upc is not compiled in", PAPI_ENOCMP);
	return -1;
}

static inline void touch_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area =
		mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (area == MAP_FAILED)
		return;
	madvise((void *)area, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		area[i * page] = 1;
	munmap((void *)area, n * page);
}

static inline int value_is_about(long long value, long long wanted)
{
	return value >= wanted && value <= wanted + SLACK;
}

#endif /* UPC_TESTS_H */
