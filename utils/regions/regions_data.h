/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_data.h - counts of processes by region, in one run or several: names, call paths, and each thread's
 * values by path, exclusive. Pure. regions_sums.h sums them.
 *
 * Terms:
 * - run: one execution of the program with all its processes; a process's file belongs to one run
 * - side: the runs before a change of the program, or the runs after it (--diff, --against)
 * - turns: runs of two sides take turns if they alternate, so that pairs of runs can be compared
 * - exclusive, own: counts in a region without the regions inside it; inclusive: with these
 * - outside: the counts in no region; whole: the counts of the whole run, in and outside of regions
 * - key, line: the number of a region's name or of a path; the sums for a key (regions_sums.h)
 * - measure: the calls, the seconds, or one event of a line (regions_runs.h)
 * - sheet: a report's tables before they are written as text, JSON, CSV or HTML (sheet/sheet.h)
 * - section, list, aspect, cell, fact: parts of a sheet (sheet/sheet.h)
 * - spread: how values differ between threads, processes or runs
 * - judged: tested for a significant difference (lib/difference.h)
 * - stretch: the time from the start to the stop of a process's counters (region/whole.h)
 * - record: counts in shared memory, from which the file of a killed process is made (region/record.h)
 * - launcher: upc_regions itself, which starts the program
 * - pure: depending on the arguments alone, without I/O and global state
 *
 * Ownership: the data owns everything. Numbers of names, paths and events are indices in its tables.
 */
#ifndef REGIONS_DATA_H
#define REGIONS_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/sum.h"

#define REGIONS_NONE UINT32_MAX
#define REGIONS_RUNS_MAX 10000

struct regions_path {
	uint32_t parent, name; /* the parent comes first; both REGIONS_NONE: outside of all regions */
	uint32_t depth;
	uint32_t next; /* next path with the same hash */
};

/* The counts of a thread in a path, without the paths below it. */
struct regions_row {
	uint32_t path;
	uint64_t calls;
	double seconds;
	struct upcr_value *value; /* [events of the process] */
};

struct regions_thread {
	char *name;
	long number;      /* number of the thread in its process, from 0; -1: see tid */
	long tid;         /* -1: several threads that were merged */
	unsigned threads; /* number of threads that are merged; 0: the counts belong to no thread */
	double seconds;
	struct regions_row *row;
	size_t rows;
};

struct regions_note {
	char *what, *name; /* name: name of a region or an event, or NULL */
	uint64_t times;
};

struct regions_process {
	char *file, *command, *host, *started, *ended, *clock;
	long pid, parent, rank, ranks; /* -1: unknown */
	unsigned run;                  /* number of its run, from 0 */
	char *turns; /* identifies a measurement in which runs of two sides took turns; NULL: none */
	long turn;   /* the run's position in that measurement, from 0 */
	double seconds;
	uint64_t slice_ns;
	uint32_t events; /* number of values in each of its rows; they are for the first events of the data */
	struct regions_thread *thread;
	size_t threads;
	struct regions_note *note;
	size_t notes;
	bool covered;             /* the counters of the whole run include this process */
	struct upcr_value *whole; /* in a run's first process: the whole run, [events]; else NULL */
};

struct regions_table {
	char **text;
	uint32_t *next, *bucket; /* by hash */
	uint32_t n, room, buckets;
};

struct regions_data {
	struct regions_table names, events;
	struct regions_path *path; /* [0] is outside of all regions */
	uint32_t paths, path_room, *path_bucket, path_buckets;
	struct regions_process *process;
	size_t processes;
	unsigned runs; /* number of complete runs; a process that is added belongs to the next run */
};

/* Initialise the data. False if out of memory, as for all calls below; existing data stay unchanged. */
bool regions_begin(struct regions_data *data);
void regions_free(struct regions_data *data);

/* Return the number of a text, which is copied if it is new; REGIONS_NONE: out of memory. */
uint32_t regions_number(struct regions_table *table, const char *text);
/* Return the path that continues parent with name; REGIONS_NONE: out of memory. */
uint32_t regions_path(struct regions_data *data, uint32_t parent, uint32_t name);

struct regions_process *regions_add_process(struct regions_data *data);
struct regions_thread *regions_add_thread(struct regions_process *process);
/* Add a row whose values are uncounted. The pointer is valid until the thread's next row. */
struct regions_row *regions_add_row(const struct regions_process *process, struct regions_thread *thread,
				    uint32_t path);
bool regions_add_note(struct regions_process *process, const char *what, const char *name, uint64_t times);

/* Remove the process that was added last. */
void regions_drop_last(struct regions_data *data);

/* Return the count of the event in the whole run, of all processes; uncounted if the count of a process is
 * unknown. */
struct upcr_value regions_whole_of(const struct regions_data *data, uint32_t event);

/* Sort processes by run, then by rank, then by start time; threads by number. */
void regions_sort(struct regions_data *data);

#endif
