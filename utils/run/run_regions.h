/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_regions.h - are there functions of the names that are to be counted, and which? Said
 * before the program runs, since a run is long.
 */
#ifndef RUN_REGIONS_H
#define RUN_REGIONS_H

#include "run/run_guest.h"

/* Looks into the program and the libraries that it begins with. 0, or an exit status with
 * the error said. options->fits gets what is of several functions. */
int run_regions_check(const struct run_guest *guest, struct run_options *options,
		      const struct upcs_options *filled);
void run_regions_free(struct run_options *options);

#endif
