/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_whole.h - counters of a whole run (region/whole.h): opened before the program is started, read when
 * it has ended, and written into a file beside those of the processes. And what such files say in a report.
 */
#ifndef REGIONS_WHOLE_H
#define REGIONS_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "regions/regions_data.h"

#define REGIONS_WHOLE_END ".whole"

struct upc_catalogue;
struct upcr_whole;

struct regions_whole_event {
	char *name, *why; /* why: there is no counter; or NULL */
	int counter;      /* -1: none */
};

struct regions_whole {
	struct upcr_whole *memory; /* NULL: nothing is counted */
	int fd;
	struct regions_whole_event *event;
	unsigned events;
};

/* Opens counters of these events, which this process's child inherits and its exec starts, and says so in the
 * environment. For an event without one the file says why. catalogue: has the events; or NULL. */
void regions_whole_begin(struct regions_whole *whole, const char *events, struct upc_catalogue *catalogue);
/* The program has ended: reads them, and writes the file, where files of processes are (settings.h). */
void regions_whole_end(struct regions_whole *whole, const char *files);
void regions_whole_free(struct regions_whole *whole);

/* Reads the files of a directory, whose processes are those of the data from first on. Rows of what ran
 * before and behind all counters of a run go to its first process. False: out of memory. */
bool regions_whole_gather(struct regions_data *data, size_t first, const char *directory);

#endif
