/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a program: its kind, its functions, and the libraries that it needs. With
 * UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/needed.h"
#include "load/slots.h"
#include "load/symbols.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_symbols(const struct upcs_symbols *symbols, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.@";

	for (unsigned i = 0; i < 64 && upcs_symbols_name(symbols, i); i++) {
		const char *symbol = upcs_symbols_name(symbols, i);
		struct upcs_function function;
		unsigned next = 0, n = 0;
		struct upcs_name name;

		check(symbol[0] != '\0');
		if (!upcs_name_parse(&name, symbol))
			continue;
		for (; n < 8 && upcs_symbols_find(symbols, &name, &next, &function); n++)
			check(function.offset < size);
		/* A symbol that is mangled or of C is found by its own name; with other characters
		 * it may be read as a name of C++, or as a glob. */
		check(n > 0 || symbol[strspn(symbol, plain)]);
	}
}

/* Reads the slots, with each function of the program as a chosen one. */
static void check_slots(const char *path)
{
	struct upcs_symbols *symbols = upcs_symbols_open(path);
	struct upcs_chooser chooser[64];
	struct upcs_function function;
	struct upcs_slots *slots;
	struct upcs_name name;
	unsigned next = 0, n = 0;
	uint64_t bias;

	check(upcs_name_parse(&name, "*"));
	while (symbols && n < 64 && upcs_symbols_find(symbols, &name, &next, &function))
		chooser[n++] = (struct upcs_chooser){function.offset, upcs_name_hash(function.symbol), 1};
	upcs_symbols_close(symbols);
	slots = upcs_slots_read(path, &name, 1, chooser, n);
	for (size_t i = 0; slots && i < slots->n; i++)
		check(slots->slot[i].regions == 1);
	if (slots)
		(void)upcs_slots_bias(slots, 0x100, 0x1000, &bias);
	upcs_slots_free(slots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), kind;
	struct upcs_program_info info;
	struct upcs_symbols *symbols;
	struct upcs_needed needed;
	char path[32];

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	kind = upcs_program_look(path, &info);
	check(kind <= UPCS_PROGRAM_NONE);
	check(memchr(info.interpreter, 0, sizeof(info.interpreter)) &&
	      memchr(info.argument, 0, sizeof(info.argument)));
	if (kind == UPCS_PROGRAM_SCRIPT)
		check(info.interpreter[0] != '\0');
	if (kind == UPCS_PROGRAM_FOREIGN)
		check(info.machine[0] != '\0');
	symbols = upcs_symbols_open(path);
	if (symbols) {
		check_symbols(symbols, size);
		upcs_symbols_close(symbols);
	}
	check_slots(path);
	(void)upcs_symbols_needed(path, "/nonexistent", "$ORIGIN:", "no_such_name", &needed);
	close(fd);
	return 0;
}
