/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_guest.h - finds the program that upc_run runs, its emulator and libraries.
 *
 * Terms: load/symbols.h.
 */
#ifndef RUN_GUEST_H
#define RUN_GUEST_H

#include <limits.h>
#include <stdbool.h>

#include "load/exec.h"
#include "run/run_options.h"

struct run_guest {
	enum upcs_guest guest;
	bool dynamic;
	char file[PATH_MAX];    /* path of the file that was found for the name */
	char program[PATH_MAX]; /* path of the ELF file: for a script, of its interpreter */
	char linker[PATH_MAX];  /* the dynamic linker that the program needs; "": none */
};

/* Find the program. Return 0, or an exit status after printing the error. */
int run_guest_find(struct run_guest *guest, const char *name);

/* Find the emulators, the directories of their guests' libraries, and the emulators' plugin. Fill in the
 * options of a run. Return 0, or an exit status after printing the error. */
int run_guest_options(const struct run_guest *guest, const struct run_options *options,
		      struct upcs_options *filled);

/* Make the emulator's command line and environment for a run with this results file. The caller frees *exec
 * with upcs_exec_free. arguments begin with the program's name. Return 0, or an exit status after printing
 * the error. */
int run_guest_exec(const struct run_guest *guest, const struct upcs_options *filled, const char *results,
		   char *const *arguments, struct upcs_exec *exec);

#endif
