/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emulator.c - determines an emulator's plugin interface and version from its file.
 *
 * Terms: load/symbols.h.
 */
#include "load/emulator.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/elf_file.h"

/* ---- its interface ------------------------------------------------------------------- */

/* Symbols introduced by each version of the plugin interface, the latest version first. */
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

/* ---- its version --------------------------------------------------------------------- */

unsigned upcs_emulator_version_of(const char *text)
{
	unsigned major, minor;
	const char *at = strncmp(text, "qemu-", 5) == 0 ? strstr(text, " version ") : NULL;

	if (!at || strcspn(text, "\n") < (size_t)(at - text) ||
	    sscanf(at, " version %u.%u", &major, &minor) != 2 || major > 1000 || minor > 99)
		return 0;
	return 100 * major + minor;
}

/* Find the version text in the emulator's constants. */
static unsigned version_in(const char *bytes, size_t n)
{
	static const char version[] = " version ";
	const char *at = bytes, *end = bytes + n, *begin;
	unsigned found = 0;

	while (!found && (at = memmem(at, (size_t)(end - at), version, sizeof(version) - 1))) {
		for (begin = at; begin > bytes && begin[-1] > ' ' && at - begin < 32; begin--)
			;
		found = upcs_emulator_version_of(begin);
		at++;
	}
	return found;
}

unsigned upcs_emulator_version(const char *path)
{
	struct upcs_elf elf;
	unsigned version = 0;
	uint32_t i;

	if (upcs_elf_open(&elf, path))
		return 0;
	for (i = 0; i < elf.segments && !version; i++) {
		const struct upcs_elf_segment *segment = &elf.segment[i];
		char *bytes = NULL;

		if (segment->type == PT_LOAD && !(segment->flags & (PF_W | PF_X)))
			bytes = upcs_elf_copy(&elf, segment->offset, segment->bytes);
		if (bytes)
			version = version_in(bytes, segment->bytes);
		free(bytes);
	}
	upcs_elf_close(&elf);
	return version;
}

/* Up to QEMU 8.1, the emulator maps the C library's first real-time signal to the guest's first real-time
 * signal. Later versions keep one or two of the host's signals for themselves. */
int upcs_emulator_first_signal(unsigned version)
{
	return SIGRTMIN + (version >= 1000 ? 2 : version >= 802 ? 1 : 0);
}

/* ---- modules ------------------------------------------------------------------------- */

bool upcs_emulator_has_module(int interface)
{
	return interface == 1 || interface == 4;
}

void upcs_emulator_module(const struct upcs_options *options, enum upcs_guest guest,
			  char path[UPCS_MODULE_MAX])
{
	if (options->interface[guest])
		snprintf(path, UPCS_MODULE_MAX, "%s/upc_sim_v%u.so", options->plugin,
			 options->interface[guest]);
	else
		snprintf(path, UPCS_MODULE_MAX, "%s", options->plugin);
}
