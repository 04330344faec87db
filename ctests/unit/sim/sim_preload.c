/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_preload.c - which programs are given the PAPI with presets, and lists of preloaded files.
 */
#include "elf_build.h"
#include "../test_dir.h"
#include "load/preload.h"

static struct upcs_options options;
static const struct upcs_program_info dynamic = {.guest = UPCS_X86_64, .dynamic = true};

static void put(const char *name, uint16_t machine, const char *needed)
{
	struct elf_build b = {.wide = true, .machine = machine, .needed = needed};

	elf_build(&b);
	write_file(name, b.file, b.size);
}

static int set_up(void **state)
{
	if (make_test_dir(state) || chdir(test_dir) || mkdir("papi", 0700) || mkdir("lib", 0700))
		return -1;
	snprintf(options.papi, sizeof(options.papi), "%s/papi", test_dir);
	put("papi/libpapi.so.7.0", EM_X86_64, NULL);
	put("papi/libpapi.so.8", EM_AARCH64, NULL);
	put("papi/libpapi.so", EM_X86_64, NULL);
	put("with", EM_X86_64, "libpapi.so.7.0");
	put("without", EM_X86_64, "libother.so");
	put("older", EM_X86_64, "libpapi.so.6.0");
	put("other", EM_X86_64, "libpapi.so.8");
	put("path", EM_X86_64, "libpapi.so./papi/libpapi.so");
	put("lib/libtool.so", EM_X86_64, "libpapi.so.7.0");
	put("tooled", EM_X86_64, "libtool.so");
	return 0;
}

static char file[PATH_MAX];

static bool choose(const char *program, const char *second, const char *third)
{
	char *envp[] = {(char *)"UPC_SOURCE=sim", (char *)second, second ? (char *)third : NULL, NULL};

	return upcs_preload_choose(&options, &dynamic, program, envp, file);
}

static void assert_chosen(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/papi/%s", test_dir, name);
	assert_string_equal(file, path);
}

TEST(test_choice)
{
	assert_true(choose("with", NULL, NULL));
	assert_chosen("libpapi.so.7.0");
	assert_false(choose("without", NULL, NULL));
	assert_false(choose("older", NULL, NULL)); /* there is none of that name        */
	assert_false(choose("other", NULL, NULL)); /* there is, for another machine     */
	assert_false(choose("path", NULL, NULL));  /* no name, and not to be gone along */
	assert_false(choose("nothing", NULL, NULL));
}

/* By a library of the program, or of a tool that is preloaded. */
TEST(test_libraries)
{
	char path[PATH_MAX], list[PATH_MAX + 64];

	snprintf(path, sizeof(path), "LD_LIBRARY_PATH=%s/lib", test_dir);
	assert_false(choose("tooled", NULL, NULL));
	assert_true(choose("tooled", path, NULL));
	assert_chosen("libpapi.so.7.0");
	snprintf(list, sizeof(list), "LD_PRELOAD=libm.so.6 %s/lib/libtool.so", test_dir);
	assert_true(choose("without", list, NULL));
	assert_chosen("libpapi.so.7.0");
	snprintf(list, sizeof(list), "LD_PRELOAD=%s/lib/nothing.so", test_dir);
	assert_false(choose("without", list, path));
}

TEST(test_not_wanted)
{
	const struct upcs_program_info fixed = {.guest = UPCS_X86_64};
	char *live[] = {(char *)"UPC_SOURCE=live", NULL},
	     *last[] = {(char *)"UPC_SOURCE=sim", (char *)"UPC_SOURCE=live", NULL},
	     *sim[] = {(char *)"UPC_SOURCE=sim", NULL}, *none[] = {NULL};
	struct upcs_options own = options;

	assert_false(upcs_preload_choose(&options, &dynamic, "with", live, file));
	assert_false(upcs_preload_choose(&options, &dynamic, "with", last, file));
	assert_false(upcs_preload_choose(&options, &dynamic, "with", none, file));
	assert_false(upcs_preload_choose(&options, &dynamic, "with", NULL, file));
	assert_false(upcs_preload_choose(&options, &fixed, "with", sim, file));
	own.papi[0] = '\0';
	assert_false(upcs_preload_choose(&own, &dynamic, "with", sim, file));
}

TEST(test_always)
{
	options.papi_always = 1;
	assert_true(choose("without", NULL, NULL));
	assert_chosen("libpapi.so");
	assert_true(choose("with", NULL, NULL));
	assert_chosen("libpapi.so.7.0");
	assert_false(choose("older", NULL, NULL)); /* two versions would be mixed */
	assert_false(choose("other", NULL, NULL));
	options.papi_always = 0;
}

/* ---- lists --------------------------------------------------------------------------------- */

static void assert_revised(const char *variable, const char *given, const char *want)
{
	char *revised = upcs_preload_revise(&options, variable, given);

	assert_non_null(revised);
	assert_string_equal(revised, want);
	free(revised);
}

static void assert_kept(const char *variable)
{
	assert_revised(variable, "", variable);
}

TEST(test_lists)
{
	struct upcs_options fixed = {.papi = "/p"};

	options = fixed;
	assert_kept("LD_PRELOAD=");
	assert_kept("LD_PRELOAD=a  b::");
	assert_kept("LD_PRELOAD=/q/libpapi.so.7.0:libpapi.so.7.0");
	assert_kept("LD_PRELOAD=/p/other.so:/p/libpap");
	assert_kept("LD_PRELOAD=/p/libpapi.so.7/x");
	assert_kept("OTHER=/p/libpapi.so");
	assert_revised("LD_PRELOADED=a", "/p/libpapi.so.7", "LD_PRELOADED=a");
	assert_revised("LD_PRELOAD=/p/libpapi.so", "", "LD_PRELOAD=");
	assert_revised("LD_PRELOAD=: a /p/libpapi.so.7.0:b", "", "LD_PRELOAD=a:b");
	assert_revised("LD_PRELOAD=", "/p/libpapi.so.7", "LD_PRELOAD=/p/libpapi.so.7");
	assert_revised("LD_PRELOAD=a b::c", "/p/libpapi.so.7", "LD_PRELOAD=a:b:c:/p/libpapi.so.7");
	assert_revised("LD_PRELOAD=a:/p/libpapi.so.6:b:/p/libpapi.so.7", "/p/libpapi.so.7",
		       "LD_PRELOAD=a:b:/p/libpapi.so.7");
	assert_revised("LD_PRELOAD=/p/libpapi.so.6:a", "", "LD_PRELOAD=a");
}

TEST(test_paths)
{
	struct upcs_options fixed = {.papi = "/p"}, none = {.papi = "", .papi_always = 1};

	options = fixed;
	assert_revised("LD_LIBRARY_PATH=a", "/p/libpapi.so", "LD_LIBRARY_PATH=a");
	assert_kept("LD_LIBRARY_PATH=/p:a");
	options.papi_always = 1;
	assert_revised("LD_LIBRARY_PATH=", "/p/libpapi.so", "LD_LIBRARY_PATH=/p");
	assert_revised("LD_LIBRARY_PATH=a::b", "/p/libpapi.so", "LD_LIBRARY_PATH=/p:a::b");
	assert_revised("LD_LIBRARY_PATH=/p:a", "/p/libpapi.so", "LD_LIBRARY_PATH=/p:a");
	assert_revised("LD_LIBRARY_PATH=/p:a", "", "LD_LIBRARY_PATH=a");
	assert_revised("LD_LIBRARY_PATH=/p", "", "LD_LIBRARY_PATH=");
	assert_kept("LD_LIBRARY_PATH=/pp:a:/p");
	assert_kept("LD_LIBRARY_PATH=:a");
	options = none;
	assert_kept("LD_LIBRARY_PATH=:a");
}

TEST(test_names)
{
	assert_true(upcs_preload_can_name("/usr/lib/upc/papi"));
	assert_false(upcs_preload_can_name("/usr/my lib"));
	assert_false(upcs_preload_can_name("/usr/a:b"));
	assert_false(upcs_preload_can_name("/usr/a,b"));
	assert_false(upcs_preload_can_name("/usr/$LIB"));
}

UNIT_TESTS(sim_preload, set_up, remove_test_dir)
