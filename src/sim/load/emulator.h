/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * emulator.h - the plugin interface and the version of an emulator, determined from its file. Running the
 * emulator would take longer than many programs do.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_EMULATOR_H
#define UPCS_EMULATOR_H

#include "count/results.h"

/*
 * Return the emulator's plugin interface version, derived from its plugin symbols: 1 (QEMU 6.2 to 8.2), 2
 * (9.0), 3 (9.1), 4 (9.2 and later, not distinguished further), 0: it loads no plugins. Return -ENOEXEC if
 * path is not an ELF file (a script, for example, which may start an emulator), or another -errno if it
 * cannot be read.
 */
int upcs_emulator_interface(const char *path);

/* Return 100 x major + minor of the emulator's version, 702 for QEMU 7.2, or 0 if it is unknown. */
unsigned upcs_emulator_version(const char *path);
/* Return the same number from the text that the emulator prints, "qemu-x86_64 version 7.2.22 (...)". */
unsigned upcs_emulator_version_of(const char *text);

/* Return the host's signal number for the guest's first real-time signal, 32. The following ones are
 * consecutive. */
int upcs_emulator_first_signal(unsigned version);

/* True if there is a module for this interface. */
bool upcs_emulator_has_module(int interface);
#define UPCS_MODULE_MAX (PATH_MAX + 32)
/* Write the path of the module for a guest's emulator. */
void upcs_emulator_module(const struct upcs_options *options, enum upcs_guest guest,
			  char path[UPCS_MODULE_MAX]);

#endif
