/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.h - builds the command that runs a program under simulation, for upc_run and for programs that execute
 * others.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_EXEC_H
#define UPCS_EXEC_H

#include "count/results.h"
#include "load/symbols.h"

/* Linux follows this many scripts whose interpreters are scripts. */
#define UPCS_INTERPRETERS_MAX 5

/* The run that a program is started for. */
struct upcs_command {
	const struct upcs_options *options;
	const char *results; /* path of the results file */
	int64_t after;       /* index of the process's record that the program continues; -1: none */
	bool counted;        /* false: only its descendants may be counted */
};

/*
 * argv and envp for the emulator's execve, freed by upcs_exec_free. upcs_exec_make takes path, argv and envp
 * of the program, and finds the interpreter of a script as the kernel does. Variables that the emulator or
 * its libraries would read are passed only to the program, and LD_PRELOAD includes the PAPI for the program
 * (preload.h).
 *
 * Return 0 or a negative errno. ENOEXEC: the file is not a program for an installed emulator; exec->info
 * describes the file.
 */
struct upcs_exec {
	char **argv, **envp;
	struct upcs_program_info info;
};
int upcs_exec_make(const struct upcs_command *command, const char *path, char *const argv[],
		   char *const envp[], struct upcs_exec *exec);
void upcs_exec_free(struct upcs_exec *exec);

/* Remove upc_run's additions from envp, for a program that runs without a simulator. Removed strings are
 * freed. Return true if envp changed. */
bool upcs_exec_release(const struct upcs_options *options, char *envp[]);

/* True if executing the file changes the user, the group or the capabilities, which an execution under an
 * emulator would not. */
bool upcs_exec_is_privileged(const char *path);

#endif
