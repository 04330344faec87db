/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sums.h - sums of what threads have counted: by name of region or by call path, inclusive
 * and exclusive, over threads and processes; and how unlike these are. Pure.
 *
 * A region that is entered in itself counts once in inclusive counts. Counts of no region are
 * "outside": exclusive counts of all regions and of it are the whole.
 */
#ifndef REGIONS_SUMS_H
#define REGIONS_SUMS_H

#include "regions/regions_data.h"

enum regions_by { REGIONS_BY_NAME, REGIONS_BY_PATH };

/* Places in the data's processes, and in the process's threads. */
struct regions_who {
	uint32_t process, thread;
};

/* Values that threads, or processes, have, inclusive, of those that have been in the region. */
struct regions_spread {
	unsigned n;
	unsigned estimates; /* of the n                                            */
	unsigned lacking;   /* further ones, which were not counted, or not wholly */
	double min, max, sum;
	double squares;                 /* of the differences from the mean       */
	struct regions_who least, most; /* the first that has the min, the max */
};

void regions_spread_add(struct regions_spread *spread, double value, struct regions_who who);
double regions_mean(const struct regions_spread *spread);
/* The standard deviation of one; 0 of fewer than two. */
double regions_deviation(const struct regions_spread *spread);
/* How much more than the mean the busiest has: max / mean - 1; 0 of nothing. */
double regions_imbalance(const struct regions_spread *spread);

struct regions_counts {
	double calls;                   /* of several runs the mean */
	double seconds, own_seconds;    /* inclusive, exclusive       */
	struct upcr_value *value, *own; /* [events]                   */
	bool used;
};

struct regions_line {
	uint32_t key; /* a name's number, or a path's; by name, that of names.n is outside */
	struct regions_counts counts;
	unsigned threads, processes;
	/* [0] of seconds, [1 + event], [1 + events + derived] */
	struct regions_spread *of_threads, *of_processes;
};

struct regions_sums {
	enum regions_by by;
	uint32_t events, keys;
	struct regions_line *line; /* [keys]; of one that nobody has used, counts.used is false */
	unsigned threads, processes;
};

/* A value that is computed of counts, as a metric is. */
struct regions_derived {
	double value;
	bool none;    /* there is no value, as of a division by 0   */
	bool lacking; /* a count was not counted, or not wholly     */
	bool exact;
};

/* How to compute them: n of each thread and process. */
struct regions_derive {
	uint32_t n;
	struct regions_derived (*value)(const void *arg, uint32_t which, const struct regions_counts *counts);
	const void *arg;
};

/* Sums of one run. derive: NULL: nothing is derived. False: out of memory. */
bool regions_sum(const struct regions_data *data, unsigned run, enum regions_by by,
		 const struct regions_derive *derive, struct regions_sums *sums);
/* The same without values, for others to fill in: of so many keys, events and derived values. */
bool regions_sums_make(struct regions_sums *sums, enum regions_by by, uint32_t keys, uint32_t events,
		       uint32_t derived);
void regions_sums_free(struct regions_sums *sums);

/* The counts of one thread alone. */
struct regions_part {
	enum regions_by by;
	uint32_t events, keys;
	struct regions_counts *counts; /* [keys] */
	uint32_t *used, n;             /* keys that the thread has */
	uint32_t *seen, stamp;
};

/* Calls put for each thread, as long as it returns true. False: it did not, or out of memory. */
bool regions_each_thread(const struct regions_data *data, enum regions_by by,
			 bool (*put)(void *arg, const struct regions_process *process,
				     const struct regions_thread *thread, const struct regions_part *part),
			 void *arg);

/* The name of a line's region: of a path its last. By name "(outside)" where it is none; the path
 * above all, of which what is exclusive is outside, is "(whole)". */
const char *regions_name_of(const struct regions_data *data, enum regions_by by, uint32_t key);

#endif
