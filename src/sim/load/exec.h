/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.h - the command that runs a program under simulation, for upc_run and for programs
 * that execute others.
 */
#ifndef UPCS_EXEC_H
#define UPCS_EXEC_H

#include "count/results.h"
#include "load/symbols.h"

/* Scripts whose interpreters are scripts: so many does Linux follow. */
#define UPCS_INTERPRETERS_MAX 5

/* The run for which a program is started. */
struct upcs_command {
	const struct upcs_options *options;
	const char *results; /* path of the file */
	int64_t after;       /* index of the process whose place it takes; -1: none */
	bool counted;        /* else only what it executes is looked after */
};

/*
 * argv and envp for execve of the emulator, to be freed by upcs_exec_free. path, argv and
 * envp are those of the program: a script's interpreter is found, as the kernel does. Variables
 * that the emulator itself or its libraries would heed are handed to the program only, and
 * LD_PRELOAD has the PAPI that it is given (preload.h).
 *
 * Returns 0 or a negative errno; ENOEXEC where it is no program for an emulator that is installed,
 * what is in *info.
 */
struct upcs_exec {
	char **argv, **envp;
	struct upcs_program_info info;
};
int upcs_exec_make(const struct upcs_command *command, const char *path, char *const argv[],
		   char *const envp[], struct upcs_exec *exec);
void upcs_exec_free(struct upcs_exec *exec);

/* Takes away what upc_run has put into the environment of a program that runs without simulator.
 * True: there was something. Strings are freed. */
bool upcs_exec_release(const struct upcs_options *options, char *envp[]);

/* Whether executing the file changes who one is, or what one may do: under an emulator it would
 * not. */
bool upcs_exec_is_privileged(const char *path);

#endif
