/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account_private.h - what the parts of a job's account share.
 */
#ifndef JOBSTAT_ACCOUNT_PRIVATE_H
#define JOBSTAT_ACCOUNT_PRIVATE_H

#include <math.h>

#include "jobstat/account.h"

static inline void account_add_place(struct account_place *place, double x, double weight)
{
	if (place->n++ == 0) {
		place->min = place->max = x;
	} else {
		place->min = x < place->min ? x : place->min;
		place->max = x > place->max ? x : place->max;
	}
	place->sum += x * weight;
	place->weight += weight;
}

/* How fast it counted, or its level; NAN: it did not count. */
static inline double account_rate(const struct series *series, const struct series_place *place)
{
	if (series->level)
		return place->bin.count ? place->bin.level / (double)place->bin.count : NAN;
	return place->bin.running_ns ? (double)place->bin.count * 1e9 / (double)place->bin.running_ns : NAN;
}

/* For how long it counted. A script's time is its own: what it counted, it counted all of the time. */
static inline double account_covered(const struct series *series, const struct series_place *place)
{
	const double span = (double)place->bin.span_ns, counted = (double)place->bin.running_ns;

	return series->replay || counted > span ? span : counted;
}

/* A metric of a node, made where there was none; NULL: out of memory. */
struct account *account_at(struct account_node *node, unsigned metric);

/* A place that is not where it is looked for, made where there was none. */
struct account_place *account_place(struct account *account, int number, const char *name);

/* A node's number in an interval. */
void account_whole(struct account_job *job, struct account *account, unsigned interval, double whole,
		   double weight);

/* Whether a node's records of the interval are all in the job's time. */
bool account_inside(const struct account_job *job, const struct series_node *node);

/* Room for an interval in points and lines, which then take it. 0, or -1: out of memory. */
void account_room(struct account_job *job, unsigned interval);
int account_point(struct account_job *job, unsigned metric, unsigned interval,
		  const struct spread *over_nodes, bool part);
int account_line(struct account_job *job, unsigned node, int metric, int number, unsigned interval,
		 double value);

#endif
