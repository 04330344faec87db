/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_program.h - finds PAPI and libupc in a program into which they are linked.
 *
 * Terms: ticker/inside.h.
 */
#ifndef MPXI_INSIDE_PROGRAM_H
#define MPXI_INSIDE_PROGRAM_H

#include <stdint.h>

struct mpxi_code {
	uintptr_t begin, end;
};

/*
 * Read the program's symbol table. code[] gets the range from the first to the last function whose name has
 * a prefix of PAPI, and the range for libupc, each also for cold parts of functions. The linker places a
 * library's object files next to each other, so these ranges contain little other code. bias is the
 * program's load offset. own[] gets intervals of the program's own code, or zeros. Return the number of
 * ranges in code, 0 for a program without symbols (stripped).
 */
unsigned mpxi_inside_program(uintptr_t bias, struct mpxi_code code[4], struct mpxi_code own[2]);

#endif
