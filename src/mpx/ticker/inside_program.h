/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_program.h - where PAPI and libupc lie in a program that they are linked into.
 */
#ifndef MPXI_INSIDE_PROGRAM_H
#define MPXI_INSIDE_PROGRAM_H

#include <stdint.h>

struct mpxi_code {
	uintptr_t begin, end;
};

/*
 * Reads the program's own symbol table: from the first to the last function whose name
 * begins as PAPI's do, and the same for libupc's. The linker puts a library's objects
 * side by side, so that little else lies in between. bias: what the program is moved by.
 * own: code that is the program's, with 0 where there is none. Returns how many ranges it found, 0 for a
 * program without symbols (stripped).
 */
unsigned mpxi_inside_program(uintptr_t bias, struct mpxi_code code[4], struct mpxi_code own[2]);

#endif
