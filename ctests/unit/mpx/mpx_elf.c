/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_elf.c - what mpx_run sees in a program's file, whole, cut and spoilt.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "shim/mpx_elf.h"
#include "../unit_test.h"

static unsigned char *file;
static size_t size;

static int read_own(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat about;

	(void)state;
	assert_true(fd >= 0 && fstat(fd, &about) == 0);
	size = (size_t)about.st_size;
	file = malloc(size);
	assert_non_null(file);
	assert_int_equal(read(fd, file, size), (ssize_t)size);
	close(fd);
	return 0;
}

static int free_own(void **state)
{
	(void)state;
	free(file);
	return 0;
}

/* PAPI_start is a function of this program: what mpx_run looks for. */
int PAPI_start(int set);
int PAPI_start(int set)
{
	return set;
}

TEST(test_own)
{
	assert_int_equal(PAPI_start(0), 0);
	assert_int_equal(mpx_elf_check(file, size), MPX_ELF_STATIC_PAPI);
}

/* The same name in no symbol table. */
TEST(test_stripped)
{
	unsigned char *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, file, size);
	memset(copy + 60, 0, 2); /* e_shnum of a 64-bit file: no sections */
	assert_int_equal(mpx_elf_check(copy, size), sizeof(void *) == 8 ? MPX_ELF_OK : MPX_ELF_STATIC_PAPI);
	free(copy);
}

TEST(test_foreign)
{
	unsigned char header[64];

	memcpy(header, file, sizeof(header));
	header[4] ^= 3; /* the class: 1 or 2 */
	assert_int_equal(mpx_elf_check(header, sizeof(header)), MPX_ELF_FOREIGN);
	memcpy(header, file, sizeof(header));
	header[18] ^= 0xff; /* the machine */
	assert_int_equal(mpx_elf_check(header, sizeof(header)), MPX_ELF_FOREIGN);
}

TEST(test_no_elf)
{
	assert_int_equal(mpx_elf_check((const unsigned char *)"", 0), MPX_ELF_NONE);
	assert_int_equal(mpx_elf_check((const unsigned char *)"#!/bin/sh\n", 10), MPX_ELF_NONE);
	assert_int_equal(mpx_elf_check(file, 4), MPX_ELF_BROKEN);
}

/* A file that ends anywhere: no byte behind its end is looked at (the copy ends where
 * its memory does), and it is never taken for a whole one with PAPI inside unless the
 * symbols are there. */
TEST(test_cut)
{
	size_t n;

	for (n = 0; n < size; n += n < 1024 ? 1 : 4093) {
		unsigned char *copy = malloc(n ? n : 1);

		assert_non_null(copy);
		memcpy(copy, file, n);
		if (n < 64)
			assert_true(mpx_elf_check(copy, n) != MPX_ELF_OK);
		else
			(void)mpx_elf_check(copy, n);
		free(copy);
	}
}

/* Random bytes in the headers: any answer, no reading outside. */
TEST(test_spoilt)
{
	unsigned char *copy = malloc(size);
	unsigned long long random = 1;
	unsigned answers[MPX_ELF_STATIC_PAPI + 1] = {0};
	int i, k;

	assert_non_null(copy);
	for (i = 0; i < 3000; i++) {
		memcpy(copy, file, size);
		for (k = 0; k < 4; k++) {
			size_t place;

			random = random * 6364136223846793005ull + 1442695040888963407ull;
			place = (random >> 33) % 1024;
			if (random >> 63)
				place = size - 1 - place; /* the table of sections is at the end */
			copy[place] = (unsigned char)(random >> 24);
		}
		answers[mpx_elf_check(copy, size)]++;
	}
	/* They were spoilt enough to matter, and not all. */
	assert_true(answers[MPX_ELF_STATIC_PAPI] > 0 && answers[MPX_ELF_STATIC_PAPI] < 3000);
	free(copy);
}

int main(void)
{
	return run_own_tests(read_own, free_own);
}
