/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * debug_file.h - where the symbols of a stripped file are kept.
 */
#ifndef UPCS_DEBUG_FILE_H
#define UPCS_DEBUG_FILE_H

#include "load/elf_file.h"

/*
 * Opens the debug file of elf, which is at path: by its build ID, or by the name and checksum
 * in its .gnu_debuglink, where gdb finds them by default. Below a --prefix they are in
 * usr/lib/debug as well. False: there is none.
 */
bool upcs_debug_file_open(struct upcs_elf *debug, const struct upcs_elf *elf, const char *path);

#endif
