/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_records.h - records that processes leave in shared memory (src/region/record.h). The files of
 * killed processes are made from them.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_RECORDS_H
#define REGIONS_RECORDS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Make a prefix for the records of one run. False if there is no shared memory, and so no record. */
bool regions_records_prefix(char *prefix, size_t size);

/*
 * Make a file from each record of an ended process, and remove the record. files: the name, with %p, %r and
 * %h. first, status: PID of the process that was started, and its status, as wait returns it. any: the status
 * also holds for each process that is not the child of another process with a record.
 */
void regions_records_keep(const char *prefix, const char *files, pid_t first, int status, bool any);

/*
 * Make the file of a process that was killed together with its launcher, from the record that its ".part"
 * names, and remove both. path becomes the file's name. False if the record is not on this machine, or if the
 * process still runs.
 */
bool regions_records_finish(const char *part, char path[PATH_MAX]);
/* Remove a ".part" whose file was written later, and the record that it names: the file's writer was killed
 * before it removed both. False if the file does not exist yet. */
bool regions_records_tidy(const char *part);

/* Value of "ended" in the file of a process whose launcher was killed as well. */
#define REGIONS_NO_END "no end record"

#endif
