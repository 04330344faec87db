/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.h - replaces the PAPI of simulated programs.
 *
 * PAPI has presets only for its first component, which is not upc in the PAPI that a program is linked with.
 * Therefore another PAPI, whose first component is upc and whose file has the same name, is preloaded. The
 * dynamic linker then uses the preloaded file as the library that the program needs, whatever the RPATHs and
 * search paths.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_PRELOAD_H
#define UPCS_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

#include "count/results.h"
#include "load/symbols.h"

/*
 * Choose the file to preload for program: if the program, one of its libraries, or a library in LD_PRELOAD
 * needs a libpapi.so, choose the file of the same name. Return false if there is no such file, and also if
 * UPC_SOURCE is not sim, since the program then counts with another source.
 */
bool upcs_preload_choose(const struct upcs_options *options, const struct upcs_program_info *info,
			 const char *program, char *const envp[], char file[PATH_MAX]);

/* False if the path contains a character at which the dynamic linker splits LD_PRELOAD, or the emulator its
 * options. */
bool upcs_preload_can_name(const char *path);

/*
 * Return an allocated copy of an environment variable, revised for a program for which file is preloaded ("":
 * none), or NULL if memory is short. In LD_PRELOAD, file replaces an entry chosen for another program, and is
 * last. If programs may load PAPI later (papi_always), the directory of file is first in LD_LIBRARY_PATH,
 * where they find the same file by its names.
 */
char *upcs_preload_revise(const struct upcs_options *options, const char *variable, const char *file);

/* The variables that upcs_preload_revise changes, each with an empty value; NULL after the last. */
extern const char *const upcs_preload_variables[];

#endif
