/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emulator.c - an emulator's plugin interface, told without running it.
 *
 * The plugin says which version it was made for, and the emulator refuses others with a message of
 * its own. To know before that costs a look at the names that it has for plugins: each version has
 * brought some.
 */
#include "emulator.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_file.h"

/* The youngest first. */
static const struct {
	const char *name;
	int interface;
} brought[] = {
	{"qemu_plugin_read_memory_vaddr", 4},
	{"qemu_plugin_register_vcpu_tb_exec_cond_cb", 3},
	{"qemu_plugin_scoreboard_new", 2},
	{"qemu_plugin_path_to_binary", 1}, /* QEMU 6.2 */
};

static int by_names(const char *names, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(brought) / sizeof(brought[0]); i++)
		if (memmem(names, n, brought[i].name, strlen(brought[i].name) + 1))
			return brought[i].interface;
	return 0;
}

int upcs_emulator_interface(const char *path)
{
	struct upcs_elf_section symbols, strings;
	struct upcs_elf elf;
	int interface = upcs_elf_open(&elf, path);
	uint32_t i;

	if (interface)
		return interface;
	for (i = 0; i < elf.sections && !interface; i++) {
		char *names = NULL;

		if (!upcs_elf_section(&elf, i, &symbols) || symbols.type != SHT_DYNSYM ||
		    !upcs_elf_section(&elf, symbols.link, &strings))
			continue;
		names = upcs_elf_copy(&elf, strings.offset, strings.bytes);
		if (names)
			interface = by_names(names, strings.bytes);
		free(names);
	}
	upcs_elf_close(&elf);
	return interface;
}

int upcs_emulator_module(const char *where, int interface, char path[PATH_MAX])
{
	char name[PATH_MAX];
	struct stat about;

	if (stat(where, &about))
		return -errno;
	if (!S_ISDIR(about.st_mode))
		snprintf(name, sizeof(name), "%s", where);
	else if (interface != 1 && interface != 4)
		return -ENOTSUP;
	else if (snprintf(name, sizeof(name), "%s/upc_sim_v%d.so", where, interface) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	/* Children change their directory. */
	return realpath(name, path) && access(path, R_OK) == 0 ? 0 : -errno;
}
