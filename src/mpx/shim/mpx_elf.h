/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_elf.h - checks whether a library can be preloaded into a program, and whether it would intercept the
 * program's PAPI calls.
 */
#ifndef UTIL_MPX_ELF_H
#define UTIL_MPX_ELF_H

#include <stdbool.h>
#include <stddef.h>

enum mpx_elf {
	MPX_ELF_OK,
	MPX_ELF_NONE,        /* not an ELF file */
	MPX_ELF_BROKEN,      /* begins like an ELF file, but is invalid */
	MPX_ELF_FOREIGN,     /* for another machine, word size or byte order */
	MPX_ELF_STATIC,      /* has no dynamic linker, so LD_PRELOAD has no effect */
	MPX_ELF_STATIC_PAPI, /* PAPI is linked in, so a preloaded library cannot intercept calls of PAPI */
};

/* Check the contents of a program's file, n bytes, which may be arbitrary data. Context: any. */
enum mpx_elf mpx_elf_check(const unsigned char *file, size_t n);
/* True if the file's symbol tables define a function of this name. Returns false for a stripped static
 * program. */
bool mpx_elf_defines(const unsigned char *file, size_t n, const char *function);

#endif
