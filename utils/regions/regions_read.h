/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_read.h - reads the files that processes leave (doc/reference/REGIONS.md).
 */
#ifndef REGIONS_READ_H
#define REGIONS_READ_H

#include "regions/regions_data.h"

/* Read a file and add its processes to the next run: one process, or, for a JSON report of upc_regions, one
 * process for each run of the report, in as many runs. Return the number of runs, at least 1; or -1 after a
 * message, which says what the file lacks or why it cannot be read. */
int regions_read_file(struct regions_data *data, const char *path);

/* Read all files of a directory. They belong to one run. Files that processes have not written completely are
 * left out, and *unfinished is their number. A file of another kind is reported, left out, and counted in
 * *bad. Return the number of files read, or -1 after a message. */
int regions_read_directory(struct regions_data *data, const char *path, unsigned *unfinished, unsigned *bad);

#endif
