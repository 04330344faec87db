/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sums.h - sums of threads' counts, by region name or by call path, inclusive and exclusive, over
 * threads and processes, and the differences between threads and between processes. Pure.
 *
 * A region that is entered in itself counts once in inclusive counts. Counts of no region are "outside". The
 * exclusive counts of all regions and of outside add up to the whole.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_SUMS_H
#define REGIONS_SUMS_H

#include "regions/regions_data.h"

enum regions_by { REGIONS_BY_NAME, REGIONS_BY_PATH };

/* Indices of a process in the data and of a thread in the process. */
struct regions_who {
	uint32_t process, thread;
};

/* Statistics of a region's inclusive values over the threads, or processes, that have been in the region. */
struct regions_spread {
	unsigned n;
	unsigned estimates; /* number of estimates among the n values */
	unsigned lacking;   /* number of further values that were not, or only partly, counted */
	double min, max, sum;
	double squares;                 /* sum of squared differences from the mean */
	struct regions_who least, most; /* first thread or process with the min, with the max */
};

void regions_spread_add(struct regions_spread *spread, double value, struct regions_who who);
double regions_mean(const struct regions_spread *spread);
/* Return the standard deviation of a single value; 0 for fewer than two values. */
double regions_deviation(const struct regions_spread *spread);
/* Return the imbalance, max / mean - 1; 0 if the mean is 0. */
double regions_imbalance(const struct regions_spread *spread);

struct regions_counts {
	double calls;                   /* mean over the runs */
	double seconds, own_seconds;    /* inclusive, exclusive */
	struct upcr_value *value, *own; /* [events] */
	bool used;
};

struct regions_line {
	uint32_t key; /* number of a name or path; by name, names.n means outside */
	struct regions_counts counts;
	unsigned threads, processes;
	/* [0] seconds, [1 + event], [1 + events + derived] */
	struct regions_spread *of_threads, *of_processes;
};

struct regions_sums {
	enum regions_by by;
	uint32_t events, keys;
	struct regions_line *line; /* [keys]; counts.used is false in lines without counts */
	unsigned threads, processes;
};

/* A value that is computed from counts, as a metric is. */
struct regions_derived {
	double value;
	bool none;    /* no value, as after a division by 0 */
	bool lacking; /* a count was not or only partly counted */
	bool exact;
};

/* Function that computes the derived values. Each thread and process has n of them. */
struct regions_derive {
	uint32_t n;
	struct regions_derived (*value)(const void *arg, uint32_t which, const struct regions_counts *counts);
	const void *arg;
};

/* Sum one run. derive: NULL means no derived values. False: out of memory. */
bool regions_sum(const struct regions_data *data, unsigned run, enum regions_by by,
		 const struct regions_derive *derive, struct regions_sums *sums);
/* Make sums for these numbers of keys, events and derived values. The caller fills in the values. */
bool regions_sums_make(struct regions_sums *sums, enum regions_by by, uint32_t keys, uint32_t events,
		       uint32_t derived);
void regions_sums_free(struct regions_sums *sums);

/* The counts of one thread. */
struct regions_part {
	enum regions_by by;
	uint32_t events, keys;
	struct regions_counts *counts; /* [keys] */
	uint32_t *used, n;             /* keys that the thread has counts for */
	uint32_t *seen, stamp;
};

/* Call put() for each thread as long as put() returns true. False if put() returned false, or if out of
 * memory. */
bool regions_each_thread(const struct regions_data *data, enum regions_by by,
			 bool (*put)(void *arg, const struct regions_process *process,
				     const struct regions_thread *thread, const struct regions_part *part),
			 void *arg);

/* Return the name of a line's region; for a path its last name. By name, the line outside of all regions is
 * "(outside)". The root path is "(whole)"; its exclusive counts are outside. */
const char *regions_name_of(const struct regions_data *data, enum regions_by by, uint32_t key);

#endif
