/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * debug_file.h - finds the debug file of a stripped file.
 */
#ifndef UPCS_DEBUG_FILE_H
#define UPCS_DEBUG_FILE_H

#include "load/elf_file.h"

/*
 * Open the debug file of elf, which is at path, in the places where gdb looks by default: by its build ID, or
 * by the name and checksum in .gnu_debuglink. Below a --prefix, usr/lib/debug is searched as well. Return
 * false if there is none.
 */
bool upcs_debug_file_open(struct upcs_elf *debug, const struct upcs_elf *elf, const char *path);

#endif
