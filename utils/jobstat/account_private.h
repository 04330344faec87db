/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account_private.h - functions shared by account.c, account_steps.c and account_close.c.
 *
 * Terms: jobstat/jobstat_data.h.
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

/* Return the place's rate per second in the open interval or, if the metric is a level, its mean. NAN: the
 * place did not count. */
static inline double account_rate(const struct series *series, const struct series_place *place)
{
	if (series->level)
		return place->bin.count ? place->bin.level / (double)place->bin.count : NAN;
	return place->bin.running_ns ? (double)place->bin.count * 1e9 / (double)place->bin.running_ns : NAN;
}

/* Return the nanoseconds in which the place counted. The running time of a replay script is in the script's
 * time scale, so its values are taken as counted for the whole span. */
static inline double account_covered(const struct series *series, const struct series_place *place)
{
	const double span = (double)place->bin.span_ns, counted = (double)place->bin.running_ns;

	return series->replay || counted > span ? span : counted;
}

/* Return the totals of a metric on a node, created if necessary; NULL: out of memory. */
struct account *account_at(struct account_node *node, unsigned metric);

/* Return the place with this number, created if necessary; NULL: out of memory. */
struct account_place *account_place(struct account *account, int number, const char *name);

/* Add a node's value in an interval to the node's spread and to the interval's block. NAN is ignored. */
void account_whole(struct account_job *job, struct account *account, unsigned interval, double whole,
		   double weight);

/* True if the node's records of the open interval all lie within the job's time. */
bool account_inside(const struct account_job *job, const struct series_node *node);

/* Make room for an interval in points and lines, by merging steps. account_point and account_line then add
 * values to the interval's step; they return 0, or -1 if out of memory. */
void account_room(struct account_job *job, unsigned interval);
int account_point(struct account_job *job, unsigned metric, unsigned interval,
		  const struct spread *over_nodes, bool part);
int account_line(struct account_job *job, unsigned node, int metric, int number, unsigned interval,
		 double value);

#endif
