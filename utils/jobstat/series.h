/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * series.h - from the records of one node to what was counted in each interval: differences of
 * values, and of the times in which they were counted.
 *
 * A difference is made of two records that follow each other and have both: not over a mark, a
 * restart of counting (upc.control.started), an absence, nor where something went backwards.
 */
#ifndef JOBSTAT_SERIES_H
#define JOBSTAT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "jobstat/archive.h"
#include "jobstat/jobstat_data.h"

#define SERIES_STATES 7 /* of the service: opening, counting, halted, taken, yielded, failed, offline */

/* Names of metrics, of all nodes. Names stay where they are. */
struct series_names {
	struct jobstat_metric *metric;
	unsigned n, room;
	unsigned *hash, slots;
};

/* Its place, put there where it is new; -1: out of memory. */
int series_name(struct series_names *names, const char *name, enum jobstat_scope scope, bool level);
int series_find_name(const struct series_names *names, const char *name);
void series_names_free(struct series_names *names);

/* The values of one place in the open interval. */
struct series_bin {
	uint64_t count, running_ns; /* of a level: count is how many, and level their sum */
	int64_t span_ns;            /* between the records of the differences */
	double level;
};

struct series_place {
	int number;
	uint32_t seen;           /* the tick of the last record */
	uint64_t value, running; /* ... and what it had         */
	struct series_bin bin;
	uint8_t state;
};

/* The fields that each record needs come first. */
struct series {
	const pmValueSet *value_set, *running_set, *state_set; /* private: of the record that is taken in */
	struct series_place *place;
	unsigned places;
	unsigned metric;           /* place in names */
	bool level, replay, clock; /* clock: no running time is told: it is divided by the clock's */
	bool has_running, has_lost;
	unsigned interval; /* of the node that the places' bins are of     */
	uint32_t tick;     /* records that had it                          */
	uint32_t with;     /* the generation's tick of the last such       */
	unsigned breaks;   /* ... and the breaks before it                 */
	int64_t last_ns;   /* ... and its time                             */
	int64_t least_gap;
	char **name;                   /* [places] */
	unsigned backwards;            /* how often it was less than before */
	double lost_ns[SERIES_STATES]; /* in the open interval, by state; mean over places */
};

struct series_node {
	const char *name;
	struct archive *archive;
	struct series_names *names;
	struct series **series;
	unsigned n;
	int *by_metric; /* [names] or shorter: place in series, or -1 */
	unsigned metrics;
	struct series_table *table; /* private: of metrics' numbers */
	struct series **touched;    /* private: of the record that is taken in */
	unsigned serial, breaks, archive_breaks;
	unsigned record;
	unsigned interval;    /* how many there were */
	uint32_t generations; /* records that had the generation */
	unsigned generation_record;
	uint64_t started;
	uint64_t interval_ns;   /* of samples, or 0 */
	int64_t last_ns;        /* of the last record */
	int64_t from_ns, to_ns; /* of the open interval: between records; equal: none */
	char users[160];        /* whom the service saw with counters in the open interval */
	bool all;               /* also metrics that are not the service's */
};

int series_open(struct series_node *node, struct archive *archive, struct series_names *names, bool all);
void series_close(struct series_node *node);

/* Takes a record in: it belongs to the open interval. 0, or -1: out of memory. */
int series_take(struct series_node *node, const pmResult *record, int64_t time_ns);

/* Ends the interval: all that it had is zero again. */
void series_next(struct series_node *node);

/* A metric of the node that has records in the open interval, or NULL. */
static inline const struct series *series_of(const struct series_node *node, unsigned metric)
{
	const struct series *series;

	if (metric >= node->metrics || node->by_metric[metric] < 0)
		return NULL;
	series = node->series[node->by_metric[metric]];
	return series->interval == node->interval ? series : NULL;
}

#endif
