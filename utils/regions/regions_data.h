/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_data.h - what processes have counted by region, in one run or several: names, call paths, and of
 * each thread its values by path, exclusive. Pure; sums of them are made by regions_sums.h.
 *
 * Ownership: all of it is the data's. Numbers of names, paths and events are places in its tables.
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
	uint32_t parent, name; /* the parent stands before it; REGIONS_NONE both: outside of all regions */
	uint32_t depth;
	uint32_t next; /* of those with its hash */
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
	long number;      /* in its process, from 0; -1 as below */
	long tid;         /* -1: several that are put together */
	unsigned threads; /* so many; 0: what is no thread's    */
	double seconds;
	struct regions_row *row;
	size_t rows;
};

struct regions_note {
	char *what, *name; /* name: NULL where it is of none */
	uint64_t times;
};

struct regions_process {
	char *file, *command, *host, *started, *ended, *clock;
	long pid, parent, rank, ranks; /* -1: not known */
	unsigned run;                  /* from 0 */
	char *turns; /* names the measurement in which runs of two sides took turns; NULL: none */
	long turn;   /* the run's place in it, from 0 */
	double seconds;
	uint64_t slice_ns;
	uint32_t events; /* of the data's, so many from the first have places in its rows */
	struct regions_thread *thread;
	size_t threads;
	struct regions_note *note;
	size_t notes;
	bool covered;             /* counters of the whole run have what it did */
	struct upcr_value *whole; /* of a run's first process, what they have, [events]; else NULL */
};

struct regions_table {
	char **text;
	uint32_t *next, *bucket; /* by hash */
	uint32_t n, room, buckets;
};

struct regions_data {
	struct regions_table names, events;
	struct regions_path *path; /* [0] is outside */
	uint32_t paths, path_room, *path_bucket, path_buckets;
	struct regions_process *process;
	size_t processes;
	unsigned runs; /* that are whole: processes that come are of the next one */
};

/* False: out of memory. All calls below likewise; what is there stays. */
bool regions_begin(struct regions_data *data);
void regions_free(struct regions_data *data);

/* The number of a text, which is copied where it is new; REGIONS_NONE: out of memory. */
uint32_t regions_number(struct regions_table *table, const char *text);
/* The path that ends with name behind parent. */
uint32_t regions_path(struct regions_data *data, uint32_t parent, uint32_t name);

struct regions_process *regions_add_process(struct regions_data *data);
struct regions_thread *regions_add_thread(struct regions_process *process);
/* Its values are uncounted; the pointer is good until the next row of the thread. */
struct regions_row *regions_add_row(const struct regions_process *process, struct regions_thread *thread,
				    uint32_t path);
bool regions_add_note(struct regions_process *process, const char *what, const char *name, uint64_t times);

/* The process that was added last goes again. */
void regions_drop_last(struct regions_data *data);

/* Counts of the event in the whole run, of all processes; uncounted: one of them is not known. */
struct upcr_value regions_whole_of(const struct regions_data *data, uint32_t event);

/* Processes by run, then by rank, then by when they began; threads by number. */
void regions_sort(struct regions_data *data);

#endif
