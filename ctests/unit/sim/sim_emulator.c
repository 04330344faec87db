/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_emulator - what an emulator's file says of it: files that have the names of QEMU's interfaces,
 * made by the compiler's own assembler, and texts.
 */
#include "../unit_test.h"

#include <errno.h>
#include <signal.h>

#include "load/emulator.h"

static char directory[] = "/tmp/upc-emulator-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return chdir("/") || system("rm -rf /tmp/upc-emulator-??????");
}

/* A library that defines such names and has such a text among its constants. */
static const char *library(const char *names, const char *text)
{
	FILE *f = fopen("library.c", "w");

	assert_non_null(f);
	fprintf(f, "%s\nconst char text[] = \"%s\";\n", names, text);
	fclose(f);
	assert_int_equal(system("${CC:-cc} -shared -o library.so library.c"), 0);
	return "library.so";
}

TEST(test_interface)
{
	static const char one[] = "int qemu_plugin_path_to_binary;";
	static const char two[] = "int qemu_plugin_scoreboard_new;";
	static const char three[] =
		"int qemu_plugin_scoreboard_new, qemu_plugin_register_vcpu_tb_exec_cond_cb;";
	static const char four[] =
		"int qemu_plugin_scoreboard_new, qemu_plugin_register_vcpu_tb_exec_cond_cb, "
		"qemu_plugin_read_memory_vaddr;";
	FILE *f = fopen("script", "w");

	assert_int_equal(upcs_emulator_interface(library("", "")), 0);
	assert_int_equal(upcs_emulator_interface(library("int qemu_plugin_scoreboard_newer;", "")), 0);
	assert_int_equal(upcs_emulator_interface(library(one, "")), 1);
	assert_int_equal(upcs_emulator_interface(library(two, "")), 2);
	assert_int_equal(upcs_emulator_interface(library(three, "")), 3);
	assert_int_equal(upcs_emulator_interface(library(four, "")), 4);
	fprintf(f, "#!/bin/sh\n");
	fclose(f);
	assert_int_equal(upcs_emulator_interface("script"), -ENOEXEC);
	assert_int_equal(upcs_emulator_interface("nothing"), -ENOENT);
}

TEST(test_version)
{
	static const struct {
		const char *text;
		int version;
	} said[] = {
		{"qemu-x86_64 version 7.2.22 (Debian 1:7.2)\nCopyright", 702},
		{"qemu-ppc version 10.0.13", 1000},
		{"qemu-ppc version 10.0-rc1", 1000},
		{"qemu-ppc version x", 0},
		{"qemu-ppc\nqemu version 7.2", 0},
		{"qemu-ppc version 99999999999999.1", 0},
		{"QEMU Virtual CPU version 2.5+", 0},
		{"", 0},
	};
	size_t i;

	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		assert_int_equal(upcs_emulator_version_of(said[i].text), said[i].version);
	assert_int_equal(upcs_emulator_version(library("", "x version 1.1\\0qemu-x86_64 version 8.2.1 (y)")),
			 802);
	assert_int_equal(upcs_emulator_version(library("", "QEMU TCG CPU version 2.5+")), 0);
	assert_int_equal(upcs_emulator_version("nothing"), 0);
	assert_int_equal(upcs_emulator_first_signal(702), SIGRTMIN);
	assert_int_equal(upcs_emulator_first_signal(801), SIGRTMIN);
	assert_int_equal(upcs_emulator_first_signal(802), SIGRTMIN + 1);
	assert_int_equal(upcs_emulator_first_signal(902), SIGRTMIN + 1);
	assert_int_equal(upcs_emulator_first_signal(1000), SIGRTMIN + 2);
}

TEST(test_module)
{
	static struct upcs_options options = {.plugin = "/where", .interface = {1, 4, 0}};
	char path[UPCS_MODULE_MAX];

	upcs_emulator_module(&options, UPCS_X86_64, path);
	assert_string_equal(path, "/where/upc_sim_v1.so");
	upcs_emulator_module(&options, UPCS_AARCH64, path);
	assert_string_equal(path, "/where/upc_sim_v4.so");
	upcs_emulator_module(&options, UPCS_PPC, path);
	assert_string_equal(path, "/where");
	assert_true(upcs_emulator_has_module(1) && upcs_emulator_has_module(4));
	assert_false(upcs_emulator_has_module(0) || upcs_emulator_has_module(2) ||
		     upcs_emulator_has_module(3));
}

UNIT_TESTS(sim_emulator, set_up, tear_down)
