/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a program: what it is, its functions, and the libraries that it needs.
 * With UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "needed.h"
#include "symbols.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_symbols(const struct upcs_symbols *symbols, size_t size)
{
	for (unsigned i = 0; i < 64 && upcs_symbols_name(symbols, i); i++) {
		const char *name = upcs_symbols_name(symbols, i);
		unsigned after = 0, n = 0;
		uint64_t offset;

		check(name[0] != '\0');
		for (; n < 8 && upcs_symbols_find(symbols, name, &after, &offset); n++)
			check(offset < size && after == n + 1);
		/* Every name that is listed can be found. */
		check(n > 0 || upcs_symbols_are_chosen(symbols, name));
	}
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
	(void)upcs_symbols_needed(path, "/nonexistent", "$ORIGIN:", "no_such_name", &needed);
	close(fd);
	return 0;
}
