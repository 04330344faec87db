/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_needed.c - a program's libraries are found where its dynamic linker finds them, and
 * names near to a wrong one.
 */
#include <errno.h>

#include "load/demangle.h"
#include "elf_build.h"
#include "load/needed.h"
#include "../test_dir.h"

static char program[128];
static struct upcs_needed needed;

#define FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
static const struct elf_symbol of_program[] = {
	{"solve_system", FUNC, 1, 0x100},
	{"setup", FUNC, 1, 0x110},
	{NULL, 0, 0, 0},
};
static const struct elf_symbol of_library[] = {
	{"library_work", FUNC, 1, 0x100},
	{"copy", ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 1, 0x110},
	{NULL, 0, 0, 0},
};

static int make_directories(void **state)
{
	static const char *const names[] = {"bin/", "lib/", "path/", "usr/lib/"};

	if (make_test_dir(state))
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		test_put(names[i], NULL);
	snprintf(program, sizeof(program), "%s/bin/program", test_dir);
	return 0;
}

static void put(const char *name, struct elf_build b)
{
	elf_build(&b);
	write_file(test_path(name), b.file, b.size);
}

static void put_program(const char *library, const char *runpath, const char *rpath)
{
	put("bin/program", (struct elf_build){.big = true,
					      .machine = EM_PPC,
					      .table = SHT_SYMTAB,
					      .symbols = of_program,
					      .needed = library,
					      .runpath = runpath,
					      .rpath = rpath});
}

static void put_library(const char *name, uint16_t machine, const char *library)
{
	put(name, (struct elf_build){.big = true,
				     .machine = machine,
				     .table = SHT_DYNSYM,
				     .symbols = of_library,
				     .needed = library});
}

static int look(const char *prefix, const char *search_path, const char *name)
{
	return upcs_symbols_needed(program, prefix, search_path, name, &needed);
}

static void assert_file(const char *name)
{
	size_t length = strlen(needed.file), n = strlen(name);

	if (length < n || strcmp(needed.file + length - n, name) != 0)
		fail_msg("it is in \"%s\", not in \"%s\"", needed.file, name);
}

TEST(test_program)
{
	put_program("libupcnone.so", NULL, NULL);
	assert_int_equal(look(NULL, NULL, "setup"), 0);
	assert_file("bin/program");
	assert_true(needed.full);
	assert_int_equal(look(NULL, NULL, "solve_sistem"), -ENOENT);
	assert_string_equal(needed.missing, "libupcnone.so");
	assert_string_equal(needed.nearest[0], "solve_system");
	assert_string_equal(needed.nearest[1], "");
	assert_string_equal(needed.file, "");
	assert_int_equal(upcs_symbols_needed("/nonexistent", NULL, NULL, "a", &needed), -ENOENT);
	assert_int_equal(upcs_symbols_needed("/", NULL, NULL, "a", &needed), -EISDIR);
}

TEST(test_paths)
{
	char list[256];

	put_library("lib/libupca.so", EM_PPC, NULL);
	put_library("path/libupca.so", EM_PPC64, NULL); /* passed over */
	put_program("libupca.so", "$ORIGIN/../path:${ORIGIN}/../lib", NULL);
	assert_int_equal(look(NULL, NULL, "library_work"), 0);
	assert_file("bin/../lib/libupca.so");
	put_program("libupca.so", NULL, "$ORIGIN/../lib");
	assert_int_equal(look(NULL, NULL, "library_work"), 0);
	put_program("libupca.so", NULL, NULL);
	assert_int_equal(look(NULL, NULL, "library_work"), -ENOENT);
	assert_string_equal(needed.missing, "libupca.so");
	snprintf(list, sizeof(list), "/nonexistent:%s/lib", test_dir);
	assert_int_equal(look(NULL, list, "library_work"), 0);
	assert_file("/lib/libupca.so");
	put_library("usr/lib/libupcb.so", EM_PPC, NULL);
	put_program("libupcb.so", NULL, NULL);
	assert_int_equal(look(NULL, list, "library_work"), -ENOENT);
	assert_int_equal(look(test_dir, list, "library_work"), 0); /* below the prefix */
	assert_file("/usr/lib/libupcb.so");
}

/* A library's library; each needs the other. */
TEST(test_further)
{
	put("usr/lib/libupcc.so", (struct elf_build){.big = true, .machine = EM_PPC, .needed = "libupcd.so"});
	put_library("usr/lib/libupcd.so", EM_PPC, "libupcc.so");
	put_program("libupcc.so", NULL, NULL);
	assert_int_equal(look(test_dir, NULL, "library_work"), 0);
	assert_file("/usr/lib/libupcd.so");
	assert_int_equal(look(test_dir, NULL, "library_wrok"), -ENOENT);
	assert_string_equal(needed.nearest[0], "library_work");
	assert_string_equal(needed.missing, "");
	assert_int_equal(needed.functions, 0);
	assert_int_equal(needed.stripped, 2);
	assert_string_equal(needed.stripped_name, "libupcc.so");
	assert_int_equal(look(test_dir, NULL, "copy"), 0); /* chosen at run time */
	assert_file("/usr/lib/libupcd.so");
}

static void assert_names(char names[UPCS_NEAREST][UPCS_NEAREST_NAME], const char *a, const char *b,
			 const char *c)
{
	assert_string_equal(names[0], a);
	assert_string_equal(names[1], b);
	assert_string_equal(names[2], c);
}

/* In all files; each name is listed once. */
TEST(test_several)
{
	put_library("usr/lib/libupca.so", EM_PPC, NULL);
	put_program("libupca.so", NULL, NULL);
	assert_int_equal(look(test_dir, NULL, "*"), 0);
	assert_int_equal(needed.functions, 4);
	assert_names(needed.fits, "solve_system", "setup", "library_work");
	assert_int_equal(look(test_dir, NULL, "*work"), 0);
	assert_int_equal(needed.functions, 1);
	assert_names(needed.fits, "library_work", "", "");
	assert_int_equal(look(test_dir, NULL, "work*"), -ENOENT);
}

TEST(test_cxx)
{
	static const struct elf_symbol symbols[] = {
		{"_ZN6Solver5solveEi", FUNC, 1, 0x100},
		{"_ZN6Solver5solveEd", FUNC, 1, 0x110},
		{"_ZN6Solver7prepareEv", FUNC, 1, 0x120},
		{"_Z5clearIiEvT_", FUNC, 1, 0x130},
		{"set_up", FUNC, 1, 0x140},
		{NULL, 0, 0, 0},
	};

	if (!upcs_demangle_is_there())
		skip_because("this was built without libiberty, which reads C++ names");
	put("bin/program",
	    (struct elf_build){.big = true, .machine = EM_PPC, .table = SHT_SYMTAB, .symbols = symbols});
	assert_int_equal(look(NULL, NULL, "Solver::solve"), 0);
	assert_int_equal(needed.functions, 2);
	assert_names(needed.fits, "Solver::solve(int)", "Solver::solve(double)", "");
	assert_int_equal(look(NULL, NULL, "Solver::slove"), -ENOENT);
	assert_names(needed.nearest, "Solver::solve", "", "");
	assert_int_equal(look(NULL, NULL, "solve"), -ENOENT);
	assert_names(needed.nearest, "Solver::solve", "Solver::prepare", "");
	/* The name is right, and what it takes is not: however far that is. */
	assert_int_equal(look(NULL, NULL, "Solver::solve(std::vector<int>*)"), -ENOENT);
	assert_names(needed.nearest, "Solver::solve(int)", "Solver::solve(double)", "");
	assert_int_equal(look(NULL, NULL, "clera"), -ENOENT);
	assert_names(needed.nearest, "clear", "", "");
	/* Mangled names are compared with their like. */
	assert_int_equal(look(NULL, NULL, "_ZN6Solver5sloveEi"), -ENOENT);
	assert_string_equal(needed.nearest[0], "_ZN6Solver5solveEi");
	assert_int_equal(look(NULL, NULL, ""), -EINVAL);
}

UNIT_TESTS(sim_needed, make_directories, remove_test_dir)
