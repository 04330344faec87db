/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_read.h - reads the files that processes leave (doc/reference/REGIONS.md).
 */
#ifndef REGIONS_READ_H
#define REGIONS_READ_H

#include "regions/regions_data.h"

/* Adds one process, or what a report of upc_regions in JSON has, as one for each of its runs, to the run that
 * comes next, and those behind it. How many runs there are, 1 or more; or -1 with the error said: what the
 * file lacks, or that it cannot be read. */
int regions_read_file(struct regions_data *data, const char *path);

/* All files of a directory, of one run, but those that processes have not written whole, whose number goes to
 * unfinished; one that is none of ours is said, and left out. How many were read, or -1, said. */
int regions_read_directory(struct regions_data *data, const char *path, unsigned *unfinished, unsigned *bad);

#endif
