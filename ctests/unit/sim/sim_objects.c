/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_objects.c - the list of files that a program is loaded with; where they are found is
 * sim_needed.c's.
 */
#include "elf_build.h"
#include "../test_dir.h"
#include "load/objects.h"

static void put(const char *name, const char *needed)
{
	struct elf_build b = {.wide = true, .machine = EM_AARCH64, .needed = needed};

	elf_build(&b);
	write_file(name, b.file, b.size);
}

static void put_other(const char *name, uint16_t machine, const char *needed)
{
	struct elf_build b = {
		.wide = machine == EM_X86_64, .big = machine == EM_PPC, .machine = machine, .needed = needed};

	elf_build(&b);
	write_file(name, b.file, b.size);
}

static int set_up(void **state)
{
	if (make_test_dir(state) || chdir(test_dir))
		return -1;
	put("program", "libupca.so.1");
	put("libupca.so.1", "libupcb.so.2");
	return 0;
}

TEST(test_once)
{
	struct upcs_objects objects = {.guest = UPCS_AARCH64};

	assert_int_equal(upcs_objects_add(&objects, "a"), 0);
	assert_int_equal(upcs_objects_add(&objects, "b"), 0);
	assert_int_equal(upcs_objects_add(&objects, "a"), 0);
	assert_int_equal(objects.n, 2);
	/* No such file needs nothing. */
	assert_int_equal(upcs_objects_follow(&objects, 0), 0);
	assert_int_equal(objects.n, 2);
	upcs_objects_free(&objects);
	assert_int_equal(objects.n, 0);
}

TEST(test_full)
{
	struct upcs_objects objects = {.guest = UPCS_AARCH64};
	char name[16];

	for (unsigned i = 0; i < UPCS_OBJECTS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_int_equal(upcs_objects_add(&objects, name), 0);
	}
	assert_int_equal(objects.n, UPCS_OBJECTS_MAX);
	upcs_objects_free(&objects);
}

/* A library is known by what is asked for, whether it is there or not. */
TEST(test_named)
{
	struct upcs_objects objects = {.guest = UPCS_AARCH64, .search_path = test_dir, .stem = "libupcb."};

	assert_int_equal(upcs_objects_add(&objects, "program"), 0);
	assert_int_equal(upcs_objects_follow(&objects, 0), 0);
	assert_int_equal(objects.n, 2);
	assert_string_equal(objects.named, "");
	assert_string_equal(objects.missing, "");
	assert_int_equal(upcs_objects_follow(&objects, 1), 0);
	assert_int_equal(objects.n, 2);
	assert_string_equal(objects.named, "libupcb.so.2");
	assert_string_equal(objects.missing, "libupcb.so.2");
	upcs_objects_free(&objects);
}

TEST(test_find)
{
	struct upcs_objects objects = {.guest = UPCS_AARCH64, .prefix = test_dir};
	char path[PATH_MAX];

	assert_true(upcs_objects_find(&objects, path, "/program"));
	assert_memory_equal(path, test_dir, strlen(test_dir));
	assert_false(upcs_objects_find(&objects, path, "/nothing"));
	objects.guest = UPCS_X86_64; /* not for that one */
	assert_false(upcs_objects_find(&objects, path, "/program"));
}

static void assert_found(enum upcs_guest guest, const char *program, const char *library)
{
	struct upcs_objects objects = {.guest = guest, .search_path = "$LIB"};

	assert_int_equal(upcs_objects_add(&objects, program), 0);
	assert_int_equal(upcs_objects_follow(&objects, 0), 0);
	assert_int_equal(objects.n, 2);
	assert_string_equal(objects.path[1], library);
	upcs_objects_free(&objects);
}

/* What $LIB is: the machine's own programs have directories for each kind of machine. */
TEST(test_lib)
{
	assert_int_equal(mkdir("lib", 0700), 0);
	put_other("power", EM_PPC, "libupcd.so");
	put_other("lib/libupcd.so", EM_PPC, NULL);
	assert_found(UPCS_PPC, "power", "lib/libupcd.so");
#ifdef __x86_64__
	assert_int_equal(mkdir("lib/x86_64-linux-gnu", 0700), 0);
	put_other("intel", EM_X86_64, "libupcd.so");
	put_other("lib/x86_64-linux-gnu/libupcd.so", EM_X86_64, NULL);
	assert_found(UPCS_X86_64, "intel", "lib/x86_64-linux-gnu/libupcd.so");
#endif
}

UNIT_TESTS(sim_objects, set_up, remove_test_dir)
