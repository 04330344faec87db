/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emulator.h - what we have to know of an emulator: which of QEMU's plugin interfaces it has, and how
 * old it is. It is told from the file: to run it would take longer than many a program.
 */
#ifndef UPCS_EMULATOR_H
#define UPCS_EMULATOR_H

#include "count/results.h"

/*
 * The version of the interface that the emulator of this path has, by the names that it has for
 * plugins: 1 (QEMU 6.2 to 8.2), 2 (9.0), 3 (9.1), 4 (9.2 and later, which are told apart no further);
 * 0: it loads none; -ENOEXEC: it is no ELF file (a script, which may start one), -errno: it cannot be
 * read.
 */
int upcs_emulator_interface(const char *path);

/* 100 x major + minor of its version, 702 for QEMU 7.2; 0: it does not say. */
unsigned upcs_emulator_version(const char *path);
/* The same of the text that it would print, "qemu-x86_64 version 7.2.22 (...)". */
unsigned upcs_emulator_version_of(const char *text);

/* The host's number of the guest's first real-time signal, 32; those behind it follow. */
int upcs_emulator_first_signal(unsigned version);

/* Whether there is a module for this interface. */
bool upcs_emulator_has_module(int interface);
#define UPCS_MODULE_MAX (PATH_MAX + 32)
/* The path of the module that a guest's emulator is given. */
void upcs_emulator_module(const struct upcs_options *options, enum upcs_guest guest,
			  char path[UPCS_MODULE_MAX]);

#endif
