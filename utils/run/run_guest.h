/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_guest.h - the program that upc_run is to run, and the emulator for it: what is there,
 * and what is not, in words.
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
	char file[PATH_MAX];    /* what was found of the name */
	char program[PATH_MAX]; /* the ELF file: of a script its interpreter */
	char linker[PATH_MAX];  /* the dynamic linker that it asks for, "" none */
};

/* Finds the program. 0, or an exit status with the error said. */
int run_guest_find(struct run_guest *guest, const char *name);

/* Finds emulators, libraries and plugin, and fills in the options of a run. 0, or an exit
 * status with the error said. */
int run_guest_options(const struct run_guest *guest, const struct run_options *options,
		      struct upcs_options *filled);

/* The emulator's command line and environment for a results file, to be freed by upcs_exec_free;
 * arguments begin with the program's name. 0, or an exit status with the error said. */
int run_guest_exec(const struct run_guest *guest, const struct upcs_options *filled, const char *results,
		   char *const *arguments, struct upcs_exec *exec);

#endif
