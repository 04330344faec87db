/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols.h - finds functions of the guests' ELF files by name. Files may have any content.
 *
 * Terms (decode/decode.h: guest; count/thread.h: region, team, record):
 *   offset        a position in a file, in bytes
 *   address       an address of the guest; a host address is one of the emulator's process (guest_memory.h)
 *   place         the code at one address or offset
 *   object        a file that a program is loaded with: the program, or a shared library (objects.h)
 *   interpreter   the dynamic linker that an ELF file names (PT_INTERP), or the program that runs a script
 *   prefix        a directory below which the libraries of a guest are looked for first (QEMU's -L)
 *   resolver      of an IFUNC: a function that chooses the function to run, and returns its address
 *   chooser       a resolver, by one of its names; chosen: of a function, found through its resolver
 *   slot          a word of data in which the address of a chosen function is stored (slots.h)
 *   role          a bit for a function that unwinds or switches stacks (enum upcs_region_role)
 *   runtime       code of an OpenMP runtime; marks: code of a library with which programs mark regions
 *   full          of symbols: all functions are known, and not only the exported ones
 *   interface     the version of QEMU's plugin interface that an emulator has (emulator.h)
 *   module        the shared library of our plugin for one interface
 */
#ifndef UPCS_SYMBOLS_H
#define UPCS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/guest.h"
#include "load/names.h"

struct upcs_symbols;

/* Read the functions in .symtab, or else in the .symtab of the debug file, or else in .dynsym. Return NULL
 * with errno; ENOEXEC: not an ELF file of a guest. */
struct upcs_symbols *upcs_symbols_open(const char *path);
void upcs_symbols_close(struct upcs_symbols *symbols);

struct upcs_function {
	const char *symbol;
	uint64_t offset; /* the function's offset in the file */
	uint64_t size;   /* 0: unknown */
	/* True for an IFUNC (memcpy, for example): the function here is the resolver, which returns the
	 * address of the function to run. */
	bool chosen;
	uint8_t rank; /* among several names at one offset, the lowest is the best */
};

/*
 * Find the next function that matches a name. *next is 0 for the first call. A function with several matching
 * names is reported once, but an IFUNC resolver once for each of its names. Return false if no more functions
 * match.
 */
bool upcs_symbols_find(const struct upcs_symbols *symbols, const struct upcs_name *name, unsigned *next,
		       struct upcs_function *function);
/* Get function i, in the order of offsets. Return false after the last. */
bool upcs_symbols_get(const struct upcs_symbols *symbols, unsigned i, struct upcs_function *function);
/* True if all names of functions are known, from .symtab or a debug file. */
bool upcs_symbols_are_full(const struct upcs_symbols *symbols);
/* Return the name of function i, or NULL after the last. The order is that of upcs_symbols_get. */
const char *upcs_symbols_name(const struct upcs_symbols *symbols, unsigned i);
/* Return the offset in the file of function i. */
uint64_t upcs_symbols_offset(const struct upcs_symbols *symbols, unsigned i);

/* The kind of a file, as the kernel would see it in execve. */
enum upcs_program {
	UPCS_PROGRAM_ELF,     /* ELF file of a guest */
	UPCS_PROGRAM_SCRIPT,  /* "#!" script: interpreter and argument are set */
	UPCS_PROGRAM_FOREIGN, /* ELF for no guest: machine names it, as in "64-bit PowerPC" */
	UPCS_PROGRAM_NONE,    /* none of these */
};
struct upcs_program_info {
	enum upcs_guest guest;
	bool dynamic;
	char machine[64];
	char interpreter[256]; /* of a script, or PT_INTERP of an ELF file */
	char argument[256];
};
/* Return the file's enum upcs_program, or -errno if it cannot be read. -ENAMETOOLONG: PT_INTERP is too
 * long. */
int upcs_program_look(const char *path, struct upcs_program_info *info);

#endif
