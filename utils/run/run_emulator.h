/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_emulator.h - the emulator that upc_run uses for a program, and its plugin interface.
 *
 * Terms: run/run_counts.h.
 */
#ifndef UPC_RUN_EMULATOR_H
#define UPC_RUN_EMULATOR_H

#include <limits.h>

struct run_emulator {
	char path[PATH_MAX]; /* valid if error is 0 */
	int interface;       /* plugin interface version (src/sim/load/emulator.h); 0: none */
	int error;           /* errno if there is no emulator; 0: found */
};

/*
 * Choose the emulator: the file given, if that is not NULL; else the emulator of this name in PATH, if it
 * loads plugins; else the emulator that scripts/sim/qemu-build installed with the simulator.
 */
void run_emulator_find(struct run_emulator *emulator, const char *name, const char *given);

#endif
