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

#include "results.h"
#include "symbols.h"

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

/* A variable of the environment: whether it is LD_PRELOAD=..., and whether a file is in it that
 * was chosen for another program. */
bool upcs_preload_is_list(const char *variable);
bool upcs_preload_has_chosen(const struct upcs_options *options, const char *variable);
/* The list without those, and with file behind the rest, "" none; "LD_PRELOAD=": nothing is in it.
 * To be freed; NULL: no memory. */
char *upcs_preload_list(const struct upcs_options *options, const char *variable, const char *file);

#endif
