/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_whole.h - counters of a whole run (region/whole.h). They are opened before the program starts, read
 * when it has ended, and written to a file next to the processes' files. regions_whole_gather adds these
 * files to a report.
 * Terms: regions/regions_data.h.
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
	char *name, *why; /* why: reason for having no counter, or NULL */
	int counter;      /* -1: none */
};

struct regions_whole {
	struct upcr_whole *memory; /* NULL: nothing is counted */
	int fd;
	struct regions_whole_event *event;
	unsigned events;
};

/* Open counters of these events, which this process's child inherits and starts at its exec, and put their
 * descriptor into the environment. For an event without a counter, the file contains the reason. catalogue:
 * the catalogue of the events; or NULL. */
void regions_whole_begin(struct regions_whole *whole, const char *events, struct upc_catalogue *catalogue);
/* Read the counters after the program has ended, and write the file next to the processes' files
 * (settings.h). */
void regions_whole_end(struct regions_whole *whole, const char *files);
void regions_whole_free(struct regions_whole *whole);

/* Read the files of the whole run's counters in a directory. They belong to the processes of the data from
 * first on. Counts from before and after all counters of a run become rows of its first process. False: out
 * of memory. */
bool regions_whole_gather(struct regions_data *data, size_t first, const char *directory);

#endif
