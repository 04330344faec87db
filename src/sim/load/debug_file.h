/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * debug_file.h - finds the debug file of a stripped file.
 */
#ifndef UPCS_DEBUG_FILE_H
#define UPCS_DEBUG_FILE_H

#include "load/elf_file.h"

/*
 * Open the debug file of elf, which is at path, in the directories that gdb searches by default: by the
 * file's build ID, or by the name and checksum in .gnu_debuglink. If the file lies below a --prefix, the
 * prefix's usr/lib/debug is searched as well. Return false if there is no debug file.
 */
bool upcs_debug_file_open(struct upcs_elf *debug, const struct upcs_elf *elf, const char *path);

#endif
