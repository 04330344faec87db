/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_records.h - records that processes leave in shared memory (src/region/record.h): makes the files
 * of processes that were killed.
 */
#ifndef REGIONS_RECORDS_H
#define REGIONS_RECORDS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A prefix for the records of one run. False: there is no shared memory, and no record. */
bool regions_records_prefix(char *prefix, size_t size);

/*
 * Makes a file of each record of an ended process, and removes the record. files: the name with %p, %r,
 * %h; first: the process that was started, and status how it ended; any: the status is that of each process
 * which is no other's child.
 */
void regions_records_keep(const char *prefix, const char *files, pid_t first, int status, bool any);

/*
 * Makes the file of a process that was killed together with its launcher, from the record that its ".part"
 * names, and removes both; path: of the file. False: there is no record here, or the process still runs.
 */
bool regions_records_finish(const char *part, char path[PATH_MAX]);
/* Removes a ".part" whose file was written after it, and the record that it names: whoever wrote the file was
 * killed before. False: the file is not there yet. */
bool regions_records_tidy(const char *part);

/* "ended" of a process whose launcher was killed, too. */
#define REGIONS_NO_END "no end record"

#endif
