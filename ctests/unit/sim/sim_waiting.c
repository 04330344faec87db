/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runtimes of OpenMP, by the names of what is mapped, and what says how they wait.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "../unit_test.h"
#include "plugin/waiting.h"

static char directory[] = "/tmp/waiting-XXXXXX";

static bool with_file(const char *name)
{
	char path[256];
	bool active;
	void *p;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(p != MAP_FAILED);
	active = upcs_waiting_is_active();
	munmap(p, 4096);
	close(fd);
	unlink(path);
	return active;
}

static void test_waiting(void **state)
{
	static const char *const variables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
						"KMP_LIBRARY"};

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		unsetenv(variables[i]);
	assert_non_null(mkdtemp(directory));
	assert_false(upcs_waiting_is_active());
	assert_true(with_file("libgomp.so.1.0.0"));
	assert_true(with_file("libomp.so.5"));
	assert_true(with_file("libiomp5.so"));
	assert_false(with_file("libgompish.so"));
	assert_false(with_file("notlibomp.so"));
	for (unsigned i = 0; i < 4; i++) {
		setenv(variables[i], "passive", 1);
		assert_false(with_file("libgomp.so.1"));
		unsetenv(variables[i]);
	}
	rmdir(directory);
}

UNIT_MAIN(sim_waiting)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
