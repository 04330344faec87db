/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pfm_streams.c - the libpfm4 inside libupc prints to this process's stderr
 * when its debugging variables ask for it, and to nowhere else.
 */
#include <perfmon/pfmlib.h>

#include "perf/pfm_streams.h"
#include "../unit_test.h"

TEST(set_before_main)
{
	assert_ptr_equal(upci_pfm_stdout, stdout);
	assert_ptr_equal(upci_pfm_stderr, stderr);
}

/* Returns the number of bytes that libpfm4 writes to standard error while it is initialised. */
static long initialise_and_measure(void)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	long size;

	assert_non_null(file);
	assert_true(saved >= 0);
	fflush(stderr);
	assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
	pfm_initialize();
	fflush(stderr);
	size = lseek(STDERR_FILENO, 0, SEEK_END);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	pfm_terminate();
	close(saved);
	fclose(file);
	return size;
}

TEST(silent_by_default)
{
	unsetenv("LIBPFM_DEBUG");
	unsetenv("LIBPFM_VERBOSE");
	assert_int_equal(initialise_and_measure(), 0);
}

TEST(debugging_goes_to_stderr)
{
	setenv("LIBPFM_DEBUG", "1", 1);
	assert_true(initialise_and_measure() > 0);
	unsetenv("LIBPFM_DEBUG");
}

UNIT_TESTS(pfm_streams, NULL, NULL)
