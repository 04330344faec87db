/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_emulator.h - the emulator that upc_run runs a program with: which one, and what of QEMU's
 * plugin interface it has.
 */
#ifndef UPC_RUN_EMULATOR_H
#define UPC_RUN_EMULATOR_H

#include <limits.h>

struct run_emulator {
	char path[PATH_MAX]; /* where error is 0 */
	int interface;       /* of plugins (src/sim/load/emulator.h); 0: it loads none */
	int error;           /* an errno: there is none */
};

/*
 * given, if that is not NULL; else the one of this name in PATH, if it loads plugins; else the one
 * that scripts/sim/qemu-build has put beside the simulator, if there is one.
 */
void run_emulator_find(struct run_emulator *emulator, const char *name, const char *given);

#endif
