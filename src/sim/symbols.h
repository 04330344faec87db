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

/* Function name's offset in the file's load (its address less that of the first PT_LOAD's
 * page), and in the file. False: it has no such function. The next of the same name (static
 * functions of several sources): *after counts from 0. C++ names as they are in the file, or
 * demangled as c++filt does where that is cheap to have. */
bool upcs_symbols_find(const struct upcs_symbols *symbols, const char *name, unsigned *after,
		       uint64_t *file_offset);
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
/* -errno where it cannot be read. */
int upcs_program_look(const char *path, struct upcs_program_info *info);

#endif
