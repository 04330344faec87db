/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols.h - functions of ELF files of the three guests, by name. Files may be anything.
 */
#ifndef UPCS_SYMBOLS_H
#define UPCS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode.h"

struct upcs_symbols;

/* Reads .symtab, or .dynsym where there is none. NULL with errno: ENOEXEC where it is not an
 * ELF file of a guest. */
struct upcs_symbols *upcs_symbols_open(const char *path);
void upcs_symbols_close(struct upcs_symbols *symbols);

/*
 * The offset in the file of function name. False: it has no such function, or no other.
 * *after counts from 0, for the next of the same name (static functions of several
 * sources, copies that the compiler made). C++ names as they are in the file.
 */
bool upcs_symbols_find(const struct upcs_symbols *symbols, const char *name, unsigned *after,
		       uint64_t *file_offset);
/* A function of that name is chosen at run time (an IFUNC, as memcpy): what runs has
 * another name, and find does not find it by this one. */
bool upcs_symbols_are_chosen(const struct upcs_symbols *symbols, const char *name);
/* The file has debug or full symbols (.symtab). */
bool upcs_symbols_are_full(const struct upcs_symbols *symbols);
/* Names in no order, for suggestions: NULL behind the last. */
const char *upcs_symbols_name(const struct upcs_symbols *symbols, unsigned i);

/* What a file is to a kernel that is asked to execute it. */
enum upcs_program {
	UPCS_PROGRAM_ELF,     /* of a guest */
	UPCS_PROGRAM_SCRIPT,  /* #!: interpreter and its one argument are set */
	UPCS_PROGRAM_FOREIGN, /* ELF, of no guest: machine names it, as "64-bit PowerPC" */
	UPCS_PROGRAM_NONE,    /* neither */
};
struct upcs_program_info {
	enum upcs_guest guest;
	bool dynamic;
	char machine[64];
	char interpreter[256]; /* of a script, or the ELF file's PT_INTERP */
	char argument[256];
};
/* One of them, or -errno where it cannot be read; -ENAMETOOLONG: PT_INTERP is too long. */
int upcs_program_look(const char *path, struct upcs_program_info *info);

#endif
