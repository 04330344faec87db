/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of a guest's memory, bad pointers and all: the guest here is the test.
 */
#include <errno.h>
#include <sys/uio.h>

#include "count/guest_memory.h"
#include "../unit_test.h"

static char *pages; /* two, and behind them nothing */
#define SIZE 8192

static int set_up(void **state)
{
	(void)state;
	pages = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(munmap(pages + SIZE, 4096), 0);
	upcs_guest_set_base(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	munmap(pages, SIZE);
	return 0;
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

/* Out and in, with the calls that the kernel has for it and where a filter forbids those. */
static bool forbidden;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long n,
				const struct iovec *remote, unsigned long m, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long n,
				const struct iovec *remote, unsigned long m, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long n,
				 const struct iovec *remote, unsigned long m, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long n,
				 const struct iovec *remote, unsigned long m, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long n,
				const struct iovec *remote, unsigned long m, unsigned long flags)
{
	errno = EPERM;
	return forbidden ? -1 : __real_process_vm_readv(pid, local, n, remote, m, flags);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long n,
				 const struct iovec *remote, unsigned long m, unsigned long flags)
{
	errno = EPERM;
	return forbidden ? -1 : __real_process_vm_writev(pid, local, n, remote, m, flags);
}

TEST_WITH(test_copies, set_up, tear_down)
{
	char word[8];
	int i;

	for (i = 0; i < 2; i++, forbidden = true) {
		pages[4096 - 4] = 0;
		assert_int_equal(upcs_guest_write(address(pages + 4096 - 4), "a word", 7), 0);
		assert_string_equal(pages + 4096 - 4, "a word");
		assert_int_equal(upcs_guest_read(address(pages + 4096 - 4), word, 7), 0);
		assert_string_equal(word, "a word");
		assert_int_equal(upcs_guest_write(address(pages + SIZE - 4), "a word", 7), -EFAULT);
		assert_int_equal(upcs_guest_read(address(pages + SIZE - 4), word, 7), -EFAULT);
		assert_int_equal(upcs_guest_write(8, "a word", 7), -EFAULT);
		assert_int_equal(upcs_guest_read(UINT64_MAX - 2, word, 7), -EFAULT);
	}
	forbidden = false;
}

TEST_WITH(test_strings, set_up, tear_down)
{
	char *text;

	/* Over a page's end, and up to the end of what there is. */
	memset(pages, 'a', SIZE - 1);
	text = upcs_guest_string(address(pages + 4090), 10000);
	assert_non_null(text);
	assert_int_equal(strlen(text), SIZE - 1 - 4090);
	free(text);
	/* With its end it has 4102 bytes. */
	text = upcs_guest_string(address(pages + 4090), 4102);
	assert_non_null(text);
	free(text);
	errno = 0;
	assert_null(upcs_guest_string(address(pages + 4090), 4101));
	assert_int_equal(errno, E2BIG);
	pages[SIZE - 1] = 'a';
	assert_null(upcs_guest_string(address(pages + 4090), 100000));
	assert_int_equal(errno, EFAULT);
	assert_null(upcs_guest_string(0, 100));
	assert_int_equal(errno, EFAULT);
	assert_null(upcs_guest_string(UINT64_MAX - 1, 100));
	assert_int_equal(errno, EFAULT);
}

TEST_WITH(test_base, set_up, tear_down)
{
	char *text;

	strcpy(pages + 16, "word");
	upcs_guest_set_base(address(pages));
	text = upcs_guest_string(16, 100);
	assert_string_equal(text, "word");
	free(text);
}

TEST_WITH(test_lists, set_up, tear_down)
{
	uint64_t *list = (uint64_t *)(void *)pages;
	uint32_t *short_list = (uint32_t *)(void *)pages;
	char **strings;
	unsigned i;

	strcpy(pages + 4096, "one");
	for (i = 0; i < 100; i++)
		list[i] = address(pages + 4096);
	strings = upcs_guest_strings(UPCS_X86_64, address(list), 10000);
	assert_non_null(strings);
	assert_string_equal(strings[99], "one");
	assert_null(strings[100]);
	upcs_guest_free(strings);
	/* Each takes its characters and a pointer: 12 bytes. */
	assert_null(upcs_guest_strings(UPCS_X86_64, address(list), 1200 - 8 - 1));
	assert_int_equal(errno, E2BIG);
	list[7] = 8; /* not mapped */
	assert_null(upcs_guest_strings(UPCS_AARCH64, address(list), 10000));
	assert_int_equal(errno, EFAULT);
	/* No list is an empty one. */
	strings = upcs_guest_strings(UPCS_X86_64, 0, 10);
	assert_non_null(strings);
	assert_null(strings[0]);
	upcs_guest_free(strings);
	/* A list without an end. */
	memset(pages, 0x41, SIZE);
	list = (uint64_t *)(void *)(pages + SIZE - 8);
	*list = address(pages + 100);
	pages[101] = 0;
	assert_null(upcs_guest_strings(UPCS_X86_64, address(list), 10000));
	assert_int_equal(errno, EFAULT);
	/* 32 bits, big endian. */
	upcs_guest_set_base(address(pages));
	strcpy(pages + 256, "two");
	short_list[0] = __builtin_bswap32(256);
	short_list[1] = 0;
	strings = upcs_guest_strings(UPCS_PPC, 0 + 4096, 100);
	assert_null(strings); /* 0x41414141 */
	memcpy(pages + 4096, short_list, 8);
	strings = upcs_guest_strings(UPCS_PPC, 4096, 100);
	assert_non_null(strings);
	assert_string_equal(strings[0], "two");
	assert_null(strings[1]);
	upcs_guest_free(strings);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
