/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a file that is taken before it is touched: what lies behind the file's end has none.
 */
#include <errno.h>
#include <sys/mman.h>

#include "memory.h"
#include "unit_test.h"

static void test_take(void **state)
{
	int fd = memfd_create("memory", MFD_CLOEXEC);
	char *p;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2 * UPCS_PAGE), 0);
	p = mmap(NULL, 4 * UPCS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	assert_true(p != MAP_FAILED);
	errno = EXDEV;
	assert_true(upcs_memory_take(p + UPCS_PAGE - 1, 2));
	p[0] = p[UPCS_PAGE] = 1;
	if (upcs_memory_take(p + 2 * UPCS_PAGE, 1))
		skip(); /* the kernel cannot tell (before 5.14) */
	/* Bytes of the second page and one of the third. */
	assert_false(upcs_memory_take(p + 2 * UPCS_PAGE - 1, 2));
	assert_true(upcs_memory_take(p + 2 * UPCS_PAGE - 1, 1));
	assert_int_equal(errno, EXDEV);
	munmap(p, 4 * UPCS_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
