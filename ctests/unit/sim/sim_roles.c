/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_roles.c - which functions of a file unwind, switch stacks or are an OpenMP runtime's, by
 * their names: in a shared runtime, in a program that it is part of, and in others.
 */
#include "count/region.h"
#include "load/roles.h"
#include "../unit_test.h"

/* In place of a file's: 16 bytes each. */
struct upcs_symbols {
	const char *name[12];
};

const char *upcs_symbols_name(const struct upcs_symbols *symbols, unsigned i)
{
	return i < 12 ? symbols->name[i] : NULL;
}

uint64_t upcs_symbols_offset(const struct upcs_symbols *symbols, unsigned i)
{
	(void)symbols;
	return 0x1000 + 16 * (uint64_t)i;
}

TEST(test_none)
{
	static const struct upcs_symbols symbols = {
		{"main", "gomp_like", "omp_helper", "_Unwind_GetIP", "setcontextual"}};

	assert_null(upcs_roles_create(&symbols, "/bin/program"));
	assert_null(upcs_roles_create(&symbols, "/usr/lib/libgomp.so.1"));
	upcs_roles_destroy(NULL);
}

TEST(test_stacks)
{
	static const struct upcs_symbols symbols = {
		{"main", "_Unwind_RaiseException@@GCC_3.0", "swapcontext", "GOMP_like"}};
	struct upcs_roles *roles = upcs_roles_create(&symbols, "/lib/libc.so.6");

	assert_non_null(roles);
	assert_int_equal(upcs_roles_at(roles, 0x1000), 0);
	assert_int_equal(upcs_roles_at(roles, 0x1010), UPCS_REGION_UNWINDS);
	assert_int_equal(upcs_roles_at(roles, 0x1011), 0);
	assert_int_equal(upcs_roles_at(roles, 0x1020), UPCS_REGION_SWITCHES);
	assert_false(upcs_roles_is_runtime(roles, 0x1030));
	upcs_roles_destroy(roles);
}

TEST(test_runtime)
{
	static const struct upcs_symbols symbols = {{"GOMP_parallel@@GOMP_4.0", "omp_get_num_threads"}};
	struct upcs_roles *roles = upcs_roles_create(&symbols, "/usr/lib/libgomp.so.1.0.0");

	assert_non_null(roles);
	assert_true(upcs_roles_is_runtime(roles, 0));
	assert_true(upcs_roles_is_runtime(roles, 0x100000));
	upcs_roles_destroy(roles);
}

/* Each function up to the next; what the compiler took out of the program is the program's. */
TEST(test_static)
{
	static const struct upcs_symbols symbols = {{"main", "gomp_team_start", "GOMP_parallel", "memcpy",
						     "omp_fn", "GOMP_x._omp_fn.0", "__kmpc_barrier", "exit"}};
	static const bool runtime[] = {false, true, true, false, true, false, true, false};
	struct upcs_roles *roles = upcs_roles_create(&symbols, "./program");
	unsigned i;

	assert_non_null(roles);
	assert_false(upcs_roles_is_runtime(roles, 0xfff));
	for (i = 0; i < 8; i++) {
		assert_int_equal(upcs_roles_is_runtime(roles, 0x1000 + 16 * i), runtime[i]);
		assert_int_equal(upcs_roles_is_runtime(roles, 0x100f + 16 * i), runtime[i]);
	}
	upcs_roles_destroy(roles);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
