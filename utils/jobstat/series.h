/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * series.h - converts the records of one node to the counts of each interval, which are differences of
 * values and of the times in which they were counted.
 *
 * A difference needs two consecutive records that both have the metric. No difference is taken if a mark, a
 * restart of counting (upc.control.started) or an absence of the metric lies between them, or if the value
 * decreased.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_SERIES_H
#define JOBSTAT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "jobstat/archive.h"
#include "jobstat/jobstat_data.h"

/* States of the service: opening, counting, halted, taken, yielded, failed, offline. */
#define SERIES_STATES 7

/* The names of all nodes' metrics. The strings do not move when the table grows. */
struct series_names {
	struct jobstat_metric *metric;
	unsigned n, room;
	unsigned *hash, slots;
};

/* Return the index of a metric, which is added if it is new; -1: out of memory. */
int series_name(struct series_names *names, const char *name, enum jobstat_scope scope, bool level);
int series_find_name(const struct series_names *names, const char *name);
void series_names_free(struct series_names *names);

/* The values of one place in the open interval. */
struct series_bin {
	uint64_t count, running_ns; /* for a level: count is the number of values, and level is their sum */
	int64_t span_ns;            /* nanoseconds between the records that were subtracted */
	double level;
};

struct series_place {
	int number;
	uint32_t seen;           /* series.tick at the last record that has the place */
	uint64_t value, running; /* value and running time in the record of seen */
	struct series_bin bin;
	uint8_t state;
};

/* A metric of a node. The fields that each record needs come first. */
struct series {
	const pmValueSet *value_set, *running_set, *state_set; /* private: value sets of the current record */
	struct series_place *place;
	unsigned places;
	unsigned metric;           /* index in names */
	bool level, replay, clock; /* clock: there is no running time, and counts are divided by clock time */
	bool has_running, has_lost;
	unsigned interval; /* the node's interval to which the places' bins belong */
	uint32_t tick;     /* number of records with this metric */
	uint32_t with;     /* series_node.generations at the last record with this metric */
	unsigned breaks;   /* series_node.breaks at the last record with this metric */
	int64_t last_ns;   /* time of the last record with this metric */
	int64_t least_gap;
	char **name;                   /* [places] */
	unsigned backwards;            /* number of values that were less than the previous value */
	double lost_ns[SERIES_STATES]; /* time lost in the open interval, by state; mean over places */
};

struct series_node {
	const char *name;
	struct archive *archive;
	struct series_names *names;
	struct series **series;
	unsigned n;
	int *by_metric; /* [metrics]: index in series, or -1 */
	unsigned metrics;
	struct series_table *table; /* private: metrics by their numbers */
	struct series **touched;    /* private: series in the current record */
	unsigned serial, breaks, archive_breaks;
	unsigned record;
	unsigned interval;    /* number of past intervals */
	uint32_t generations; /* number of records that have upc.control.generation */
	unsigned generation_record;
	uint64_t started;
	uint64_t interval_ns;   /* sampling interval; 0: unknown */
	int64_t last_ns;        /* time of the last record */
	int64_t from_ns, to_ns; /* the open interval, from record to record; equal: empty */
	char users[160];        /* users whose counters the service saw in the open interval */
	bool all;               /* include metrics of other agents */
};

int series_open(struct series_node *node, struct archive *archive, struct series_names *names, bool all);
void series_close(struct series_node *node);

/* Add a record to the open interval. Return 0, or -1 if out of memory. */
int series_take(struct series_node *node, const pmResult *record, int64_t time_ns);

/* End the interval and reset its values to zero. */
void series_next(struct series_node *node);

/* Return a metric of the node that has records in the open interval, or NULL. */
static inline const struct series *series_of(const struct series_node *node, unsigned metric)
{
	const struct series *series;

	if (metric >= node->metrics || node->by_metric[metric] < 0)
		return NULL;
	series = node->series[node->by_metric[metric]];
	return series->interval == node->interval ? series : NULL;
}

#endif
