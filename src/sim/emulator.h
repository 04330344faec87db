/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emulator.h - which of QEMU's plugin interfaces an emulator has, and the module for it.
 */
#ifndef UPCS_EMULATOR_H
#define UPCS_EMULATOR_H

#include <limits.h>

/*
 * The version of the interface that the emulator of this path has, by the names that it has for
 * plugins: 1 (QEMU 6.2 to 8.2), 2 (9.0), 3 (9.1), 4 (9.2 and later, which are told apart no further);
 * 0: it loads none; -ENOEXEC: it is no ELF file (a script, which may start one), -errno: it cannot be
 * read.
 */
int upcs_emulator_interface(const char *path);

/*
 * The module's path: `where` itself, or, where that is a directory, the module for the interface in
 * it. 0; -ENOTSUP: there is none for this interface; -errno: it cannot be read.
 */
int upcs_emulator_module(const char *where, int interface, char path[PATH_MAX]);

#endif
