/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a file that is taken before it is touched: what lies behind the file's end has none.
 */
#include <errno.h>

#include "lib/machine.h"
#include "count/memory.h"
#include "../unit_test.h"

static bool older; /* a kernel before 5.14 */

int __wrap_madvise(void *address, size_t length, int advice);
int __real_madvise(void *address, size_t length, int advice);

int __wrap_madvise(void *address, size_t length, int advice)
{
	if (!older)
		return __real_madvise(address, length, advice);
	errno = EINVAL;
	return -1;
}

static void take(void)
{
	int fd = memfd_create("memory", MFD_CLOEXEC);
	char *p;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2 * UPCS_PAGE), 0);
	p = mmap(NULL, 4 * UPCS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	assert_true(p != MAP_FAILED);
	errno = EXDEV;
	assert_true(upcs_memory_take(p + UPCS_PAGE - 1, 2));
	p[0] = p[UPCS_PAGE] = 1;
	if (older && !machine_reads_itself())
		skip_because("a sandbox forbids how older kernels are asked");
	if (!older && !machine_tells_memory() && !machine_reads_itself())
		skip_because("neither this kernel nor its sandbox tells");
	assert_false(upcs_memory_take(p + 2 * UPCS_PAGE, 1));
	/* Bytes of the second page and one of the third. */
	assert_false(upcs_memory_take(p + 2 * UPCS_PAGE - 1, 2));
	assert_true(upcs_memory_take(p + 2 * UPCS_PAGE - 1, 1));
	assert_int_equal(errno, EXDEV);
	munmap(p, 4 * UPCS_PAGE);
}

TEST(test_take)
{
	older = false;
	take();
}

TEST(test_take_older)
{
	older = true;
	take();
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
