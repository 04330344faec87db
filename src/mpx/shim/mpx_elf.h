/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_elf.h - can a library be preloaded into this program, and would it see PAPI's calls?
 */
#ifndef UTIL_MPX_ELF_H
#define UTIL_MPX_ELF_H

#include <stdbool.h>
#include <stddef.h>

enum mpx_elf {
	MPX_ELF_OK,
	MPX_ELF_NONE,        /* no ELF file                                        */
	MPX_ELF_BROKEN,      /* it begins like one                                 */
	MPX_ELF_FOREIGN,     /* of another machine, or another size of its words   */
	MPX_ELF_STATIC,      /* no dynamic linker: LD_PRELOAD has no effect        */
	MPX_ELF_STATIC_PAPI, /* PAPI is linked into it: its calls do not leave it  */
};

/* Looks at n bytes of a file. Context: any; they may be anything. */
enum mpx_elf mpx_elf_check(const unsigned char *file, size_t n);
/* Is a function of this name in it? A program that has been stripped of its symbols looks as if not. */
bool mpx_elf_defines(const unsigned char *file, size_t n, const char *function);

#endif
