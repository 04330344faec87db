/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_guest.h - the program that upc_run is to run, and the emulator for it: what is there,
 * and the command line that follows.
 */
#ifndef RUN_GUEST_H
#define RUN_GUEST_H

#include <limits.h>
#include <stdbool.h>

#include "run_options.h"
#include "symbols.h"

enum { RUN_SCRIPTS_MAX = 4 }; /* interpreters that are scripts: the kernel's limit */

struct run_guest {
	enum upcs_guest guest;
	bool dynamic;
	char program[PATH_MAX]; /* the ELF file: of a script its interpreter */

	/* What the kernel puts before the arguments for a script: interpreter, argument,
	 * path, the innermost first. */
	char *words[2 * RUN_SCRIPTS_MAX + 4];
	unsigned n_words;
};

/* "x86-64": for people. */
const char *run_guest_name(enum upcs_guest guest);

/* Finds the program. 0, or an exit status with the error said. */
int run_guest_find(struct run_guest *guest, const char *name);
void run_guest_free(struct run_guest *guest);

/* Finds emulators, libraries and plugin, and fills in the options of a run. 0, or an exit
 * status with the error said. */
int run_guest_options(const struct run_guest *guest, const struct run_options *options,
		      struct upcs_options *filled);

/* The emulator's command line, with the plugin for a results file; arguments are those behind
 * the program's name. NULL: no memory, which has been said. */
char **run_guest_command(const struct run_guest *guest, const struct upcs_options *filled,
			 const char *results, char *const *arguments);
void run_guest_free_command(char **command);

#endif
