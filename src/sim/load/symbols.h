/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols.h - functions of ELF files of the guests, by name. Files may be anything.
 */
#ifndef UPCS_SYMBOLS_H
#define UPCS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/guest.h"
#include "load/names.h"

struct upcs_symbols;

/* Reads .symtab, that of its debug file, or .dynsym where there is neither. NULL with errno:
 * ENOEXEC where it is not an ELF file of a guest. */
struct upcs_symbols *upcs_symbols_open(const char *path);
void upcs_symbols_close(struct upcs_symbols *symbols);

struct upcs_function {
	const char *symbol;
	uint64_t offset; /* in the file */
	uint64_t size;   /* 0: nobody says */
	/* It is chosen at run time (an IFUNC, as memcpy): what chooses is there, which returns the
	 * address of the one that runs. */
	bool chosen;
	uint8_t rank; /* of several names at one offset the lowest is the best */
};

/*
 * A function that fits a name; *next counts from 0, for the next one. Each place once, but what
 * chooses by each of its names. False: there are no more.
 */
bool upcs_symbols_find(const struct upcs_symbols *symbols, const struct upcs_name *name, unsigned *next,
		       struct upcs_function *function);
/* The one of this index; they come in the order of their offsets. False behind the last. */
bool upcs_symbols_get(const struct upcs_symbols *symbols, unsigned i, struct upcs_function *function);
/* It has all its functions' names: .symtab, or a debug file. */
bool upcs_symbols_are_full(const struct upcs_symbols *symbols);
/* Names in no order, for suggestions: NULL behind the last. */
const char *upcs_symbols_name(const struct upcs_symbols *symbols, unsigned i);
/* In the file, of the function of that name. They come in the order of these. */
uint64_t upcs_symbols_offset(const struct upcs_symbols *symbols, unsigned i);

/* The kind of a file for a kernel that is asked to execute it. */
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
