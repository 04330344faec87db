/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_regions.h - checks that the functions of regions exist, before the program runs, since a run takes
 * long.
 */
#ifndef RUN_REGIONS_H
#define RUN_REGIONS_H

#include "run/run_guest.h"

/* Search the program and the libraries that it is loaded with. Return 0, or an exit status after printing the
 * error. options->fits lists the functions of regions with several. */
int run_regions_check(const struct run_guest *guest, struct run_options *options,
		      const struct upcs_options *filled);
void run_regions_free(struct run_options *options);

#endif
