/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.h - the PAPI that simulated programs are given in place of theirs.
 *
 * PAPI has presets for its first component only, and that is not upc in the PAPI that a program
 * is linked with. One in which it is has the same name and is preloaded, so that the dynamic
 * linker takes it for what the program needs, wherever RPATHs and search paths point.
 */
#ifndef UPCS_PRELOAD_H
#define UPCS_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

#include "count/results.h"
#include "load/symbols.h"

/*
 * The file that program is to be given, by its options: where it, one of its libraries, or of
 * those that it is run with (LD_PRELOAD) needs a libpapi.so of the same name. False: none, as
 * where UPC_SOURCE is not sim, for it counts something else then.
 */
bool upcs_preload_choose(const struct upcs_options *options, const struct upcs_program_info *info,
			 const char *program, char *const envp[], char file[PATH_MAX]);

/* False: with a character at which the dynamic linker takes LD_PRELOAD apart, or the emulator its
 * options. */
bool upcs_preload_can_name(const char *path);

/*
 * A variable of the environment as a program is to have it that is given file, "" none: in place
 * of what was chosen for another program LD_PRELOAD has file behind all else; and where programs
 * may load PAPI later, LD_LIBRARY_PATH has the directory in front, in which they find the same file
 * by its names. To be freed; NULL: no memory.
 */
char *upcs_preload_revise(const struct upcs_options *options, const char *variable, const char *file);

/* The variables that revise changes, each with nothing in it; NULL behind them. */
extern const char *const upcs_preload_variables[];

#endif
