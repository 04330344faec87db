/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runtimes of OpenMP, by the names of what is mapped, and what says how they wait.
 */
#include <fcntl.h>

#include "../test_dir.h"
#include "plugin/waiting.h"

static bool with_file(const char *name)
{
	const char *path = test_path(name);
	bool active;
	void *p;
	int fd;

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

TEST(test_waiting)
{
	static const char *const variables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
						"KMP_LIBRARY"};

	for (unsigned i = 0; i < 4; i++)
		unsetenv(variables[i]);
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
}

UNIT_TESTS(sim_waiting, make_test_dir, remove_test_dir)
