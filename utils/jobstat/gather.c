/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.c - reads the archives of all nodes in parallel, interval by interval.
 *
 * Interval i lasts from i to i + 1 interval lengths since 1970. A record belongs to the interval at whose
 * end it was taken. A node that does not sample near multiples of the length has an offset, by which its
 * intervals are shifted.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "catalogue/nearest.h"
#include "jobstat/account.h"
#include "jobstat/finish.h"
#include "jobstat/gather.h"
#include "jobstat/series.h"
#include "lib/clock.h"
#include "lib/common.h"

#define NS 1000000000LL

/* Records closer together than this belong to one sample. */
#define INTERVAL_MIN (NS / 1000)

#define BLOCK_MAX 32u
#define BLOCK_MEMORY (16u << 20)

struct node {
	pmResult *record; /* next record, or NULL */
	int64_t time_ns, interval;
	int64_t offset_ns;
	bool ended;
};

struct gather {
	struct archives *archives;
	const struct gather_options *options;
	const struct gather_watch *watch;
	struct jobstat_report *report;
	struct series_names names;
	struct series_node *series;
	struct node *node;
	unsigned nodes, block;
	int64_t interval_ns;
	struct jobs_job all;         /* without a list of jobs: the one job */
	const struct jobs_job **job; /* sorted by start */
	unsigned jobs, begun;
	struct account_job **open;
	unsigned n_open;
	int *defined; /* [definitions]: the definition's index as a metric, or -1 */
	bool resolved;
};

static int fail_gather_memory(void)
{
	util_error("out of memory");
	return -1;
}

/* ---- preparation ----------------------------------------------------------------------------- */

static int by_interval_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Set the interval length to the option's or else to the median of the nodes' lengths, and find each node's
 * offset from multiples of the length. Return 0, or -1 if out of memory. */
static int find_common_interval(struct gather *g)
{
	uint64_t *interval = calloc(g->nodes, sizeof(*interval));
	int64_t *first = calloc(g->nodes, sizeof(*first));
	unsigned n = 0;

	if (interval == NULL || first == NULL) {
		free(interval);
		free(first);
		return fail_gather_memory();
	}
	for (unsigned k = 0; k < g->nodes; k++) {
		uint64_t own;

		archive_probe(&g->archives->node[k], &first[k], &own);
		if (own >= (uint64_t)INTERVAL_MIN && own < INT64_MAX / 4)
			interval[n++] = own;
	}
	qsort(interval, n, sizeof(*interval), by_interval_number);
	g->interval_ns = (int64_t)g->options->interval_ns;
	if (g->interval_ns == 0)
		g->interval_ns = n > 0 ? (int64_t)interval[n / 2] : 60 * NS;
	/* Round a measured interval to whole seconds (from 10 s on) or to whole milliseconds. */
	if (g->options->interval_ns == 0) {
		const int64_t unit = g->interval_ns >= 10 * NS ? NS : NS / 1000;

		g->interval_ns = (g->interval_ns + unit / 2) / unit * unit;
	}
	for (unsigned k = 0; k < g->nodes; k++) {
		int64_t offset = first[k] % g->interval_ns;

		if (offset > g->interval_ns / 2)
			offset -= g->interval_ns;
		g->node[k].offset_ns = llabs(offset) > g->interval_ns / 4 ? offset : 0;
	}
	free(interval);
	free(first);
	return 0;
}

struct nearest {
	const char *wanted;
	char name[200];
	unsigned far;
};

static void near_name(const char *name, void *arg)
{
	struct nearest *nearest = arg;
	const char *own = strncmp(name, "upc.", 4) == 0 ? name + 4 : name;
	const unsigned far = upci_name_distance(nearest->wanted, own);

	if (far < nearest->far && strlen(own) < sizeof(nearest->name)) {
		nearest->far = far;
		strcpy(nearest->name, own);
	}
}

static bool some_node_has(struct archives *archives, const char *name)
{
	static const char *const before[] = {"upc.", "", "upc.numa.", "upc.cpu.", "upc.node.", "upc.cgroup."};
	char full[400];

	for (unsigned k = 0; k < archives->nodes; k++)
		for (size_t i = 0; i < sizeof(before) / sizeof(before[0]) && strlen(name) < 300; i++) {
			strcpy(full, before[i]);
			strcat(full, name);
			if (archive_has(&archives->node[k], full))
				return true;
		}
	return false;
}

int gather_check(struct archives *archives, const struct gather_options *options)
{
	for (unsigned i = 0; i < define_inputs(options->define); i++) {
		struct nearest nearest = {.wanted = define_input(options->define, i), .far = UPCI_FAR};

		if (some_node_has(archives, nearest.wanted))
			continue;
		for (unsigned k = 0; k < archives->nodes; k++)
			archive_names(&archives->node[k], near_name, &nearest);
		util_error("no archive has a metric '%s'%s%s%s", nearest.wanted,
			   nearest.name[0] != '\0' ? "; did you mean " : "", nearest.name,
			   nearest.name[0] != '\0' ? "?" : "");
		if (!options->follow)
			return -1;
	}
	return 0;
}

/* Turn the definitions into metrics once all their inputs are known. Return 0, also if an input is still
 * unknown, or -1 with an error message. */
static int resolve_definitions(struct gather *g)
{
	struct define *define = g->options->define;
	char message[300];

	for (unsigned i = 0; i < define_inputs(define); i++) {
		const int metric = account_resolve(&g->names, define_input(define, i));

		if (metric < 0)
			return 0;
		if (define_set_input(define, i, g->names.metric[metric].scope, g->names.metric[metric].level,
				     message) != 0) {
			util_error("%s", message);
			return -1;
		}
	}
	for (unsigned d = 0; d < define_count(define); d++) {
		struct jobstat_metric *metric;

		if (series_find_name(&g->names, define_name(define, d)) >= 0) {
			util_error("'%s' is a metric already", define_name(define, d));
			return -1;
		}
		g->defined[d] =
			series_name(&g->names, define_name(define, d), define_scope(define, d), false);
		if (g->defined[d] < 0)
			return fail_gather_memory();
		metric = &g->names.metric[g->defined[d]];
		metric->define = define_text(define, d);
		metric->sums = define_sums(define, d);
		metric->unit = "";
		if ((int)d == g->options->bandwidth) {
			metric->role = JOBSTAT_BANDWIDTH;
			metric->unit = "B/s";
		} else if ((int)d == g->options->flops) {
			metric->role = JOBSTAT_FLOPS;
			metric->unit = "FLOP/s";
		}
	}
	g->resolved = true;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct jobs_job *x = *(const struct jobs_job *const *)a,
			      *y = *(const struct jobs_job *const *)b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int list_jobs(struct gather *g)
{
	const struct gather_options *o = g->options;
	const unsigned n = o->jobs != NULL && o->jobs->n > 0 ? o->jobs->n : 1;
	int64_t from_ns;

	g->job = calloc(n, sizeof(struct jobs_job *));
	g->open = calloc(n, sizeof(struct account_job *));
	if (g->job == NULL || g->open == NULL)
		return fail_gather_memory();
	g->jobs = n;
	g->all = (struct jobs_job){.id = (char *)"", .start_ns = o->start_ns, .end_ns = o->end_ns};
	if (o->nodes != NULL)
		g->all.nodes = *o->nodes;
	for (unsigned i = 0; i < n; i++)
		g->job[i] = o->jobs != NULL && o->jobs->n > 0 ? &o->jobs->job[i] : &g->all;
	qsort(g->job, n, sizeof(struct jobs_job *), by_start);
	from_ns = g->job[0]->start_ns;
	for (unsigned k = 0; from_ns > INT64_MIN / 2 && k < g->nodes; k++)
		archive_seek(&g->archives->node[k], from_ns - 2 * g->interval_ns);
	return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static int begin_job(struct gather *g, int64_t interval)
{
	const struct jobs_job *from = g->job[g->begun++];
	int64_t first = from->start_ns > INT64_MIN / 2 ? from->start_ns / g->interval_ns : interval;
	struct account_job *job;

	/* The job may begin long before all archives. Skip the empty intervals. */
	if (first < interval && g->n_open == 0 && interval - first > 1000000)
		first = interval;
	job = account_begin(from, g->series, g->nodes, (uint64_t)g->interval_ns, first * g->interval_ns,
			    g->block, g->options->define);
	if (job == NULL)
		return fail_gather_memory();
	/* The host of an unreadable archive is unknown, so the archive may belong to this job. */
	if (from->nodes.n == 0 || job->missing_nodes > 0)
		job->unread = g->archives->unread;
	g->open[g->n_open++] = job;
	return 0;
}

static int end_job(struct gather *g, unsigned at)
{
	struct account_job *account = g->open[at];
	const bool has_time = account->end_ns > account->start_ns || g->all.start_ns > INT64_MIN / 2;
	struct jobstat_job *job;

	/* A rate needs two samples. Until then, the job of all archives has no duration. */
	if (account->job == &g->all && !has_time) {
		util_error("no node has two samples yet: ask again when two intervals of %g s are over",
			   (double)g->interval_ns / 1e9);
		return -1;
	}
	job = finish_job(account, g->series, &g->names, g->options, g->archives);
	account_end(account);
	memmove(&g->open[at], &g->open[at + 1], (--g->n_open - at) * sizeof(struct account_job *));
	return job != NULL ? g->report->job(g->report, job) : fail_gather_memory();
}

/* Begin the jobs that start before the end of interval last. A job without a given start begins at
 * interval. */
static int begin_jobs(struct gather *g, int64_t interval, int64_t last)
{
	while (g->begun < g->jobs && (g->job[g->begun]->start_ns <= INT64_MIN / 2 ||
				      g->job[g->begun]->start_ns < (last + 1) * g->interval_ns))
		if (begin_job(g, interval) != 0)
			return -1;
	return 0;
}

static int end_jobs(struct gather *g, int64_t interval)
{
	for (unsigned i = 0; i < g->n_open;) {
		/* A node's offset is at most half an interval, so wait for one more interval. */
		if (g->open[i]->job->end_ns / g->interval_ns + 1 >= interval) {
			i++;
			continue;
		}
		if (end_job(g, i) != 0)
			return -1;
	}
	return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static void refill_node_record(struct gather *g, unsigned k)
{
	struct node *node = &g->node[k];
	struct archive *archive = &g->archives->node[k];

	if (node->record != NULL)
		return;
	if (node->ended && (!g->options->follow || !archive_grown(archive)))
		return;
	node->ended = archive_next(archive, &node->record, &node->time_ns) == 0;
	if (node->ended) {
		node->record = NULL;
		return;
	}
	node->interval = (node->time_ns - node->offset_ns + g->interval_ns / 2) / g->interval_ns - 1;
}

static int take_node_records(struct gather *g, unsigned k, int64_t interval)
{
	struct node *node = &g->node[k];
	int error = 0;

	while (error == 0 && node->record != NULL && node->interval <= interval) {
		error = series_take(&g->series[k], node->record, node->time_ns);
		pmFreeResult(node->record);
		node->record = NULL;
		refill_node_record(g, k);
	}
	return error == 0 ? 0 : fail_gather_memory();
}

static void nap_until_records(const struct gather *g)
{
	int64_t ns = g->interval_ns / 20;
	struct timespec time;

	ns = ns < NS / 50 ? NS / 50 : ns > NS ? NS : ns;
	time = (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
	nanosleep(&time, NULL);
}

static bool gather_is_stopped(const struct gather *g)
{
	return g->options->stop != NULL && *g->options->stop;
}

/* Find the first interval in which any node has a record. With follow, wait for records. Return false if
 * there are no more records or the user stopped the run. */
static bool next_interval(struct gather *g, int64_t *interval)
{
	bool any = false;

	while (!gather_is_stopped(g)) {
		for (unsigned k = 0; k < g->nodes; k++) {
			refill_node_record(g, k);
			if (g->node[k].record != NULL && (!any || g->node[k].interval < *interval)) {
				*interval = g->node[k].interval;
				any = true;
			}
		}
		if (any || !g->options->follow)
			break;
		nap_until_records(g);
	}
	return any;
}

/* Add a node's interval to each job that includes the node and the interval. */
static int add_node_interval(struct gather *g, unsigned k, int64_t interval)
{
	for (unsigned i = 0; i < g->n_open; i++) {
		struct account_job *job = g->open[i];
		const int64_t at = interval - job->first_ns / g->interval_ns;

		if (at < 0 || at >= UINT32_MAX || job->place[k] < 0)
			continue;
		if (account_take(job, (unsigned)job->place[k], &g->series[k], &g->names, (unsigned)at,
				 NULL) != 0)
			return fail_gather_memory();
	}
	return 0;
}

static int close_jobs(struct gather *g, int64_t interval)
{
	for (unsigned i = 0; i < g->n_open; i++) {
		struct account_job *job = g->open[i];
		const int64_t at = interval - job->first_ns / g->interval_ns;

		if (at >= 0 && at < UINT32_MAX &&
		    account_close(job, g->series, &g->names, g->options, g->defined, (unsigned)at,
				  g->watch) != 0)
			return fail_gather_memory();
	}
	return 0;
}

/* Gather block intervals, all of one node before the next node's, so that a node's data stays in the
 * processor's caches. Return 0 or -1. */
static int run_block(struct gather *g, int64_t interval)
{
	const int64_t end = interval + g->block;

	if (begin_jobs(g, interval, end - 1) != 0)
		return -1;
	for (unsigned k = 0; k < g->nodes; k++) {
		for (int64_t i = interval; i < end; i++) {
			refill_node_record(g, k);
			if (g->node[k].record == NULL)
				break;
			if (g->node[k].interval > i)
				continue;
			if (take_node_records(g, k, i) != 0 || add_node_interval(g, k, i) != 0)
				return -1;
			series_next(&g->series[k]);
		}
	}
	for (int64_t i = interval; i < end; i++)
		if (close_jobs(g, i) != 0)
			return -1;
	return end_jobs(g, end - 1);
}

/* Take all nodes' records of the interval. With follow, wait for late records until 1.5 intervals after
 * the end of the interval. */
static int take_all(struct gather *g, int64_t interval)
{
	bool waits;

	do {
		waits = false;
		for (unsigned k = 0; k < g->nodes; k++) {
			refill_node_record(g, k);
			if (take_node_records(g, k, interval) != 0)
				return -1;
			waits = waits || g->node[k].record == NULL;
		}
		waits = waits && g->options->follow && !gather_is_stopped(g) &&
			(int64_t)util_clock_ns(CLOCK_REALTIME) <
				(interval + 1) * g->interval_ns + g->interval_ns * 3 / 2;
		if (waits)
			nap_until_records(g);
	} while (waits);
	return 0;
}

/* Gather one interval, job by job, for the watch functions and the definitions. Return 0 or -1. */
static int run_interval(struct gather *g, int64_t interval)
{
	if (take_all(g, interval) != 0 || begin_jobs(g, interval, interval) != 0 ||
	    (!g->resolved && resolve_definitions(g) != 0))
		return -1;
	for (unsigned i = 0; i < g->n_open; i++) {
		struct account_job *job = g->open[i];
		const int64_t at = interval - job->first_ns / g->interval_ns;

		if (at < 0 || at >= UINT32_MAX)
			continue;
		if (g->watch != NULL && g->watch->interval != NULL)
			g->watch->interval(g->watch->arg, job->job, interval * g->interval_ns,
					   (uint64_t)g->interval_ns);
		for (unsigned k = 0; k < job->nodes; k++)
			if (account_take(job, k, &g->series[job->node[k].node], &g->names, (unsigned)at,
					 g->watch) != 0)
				return fail_gather_memory();
		if (account_close(job, g->series, &g->names, g->options, g->defined, (unsigned)at,
				  g->watch) != 0)
			return fail_gather_memory();
	}
	for (unsigned k = 0; k < g->nodes; k++)
		series_next(&g->series[k]);
	return end_jobs(g, interval);
}

static int run_gather_jobs(struct gather *g)
{
	int64_t interval = 0;

	while ((g->n_open > 0 || g->begun < g->jobs) && next_interval(g, &interval))
		if ((g->block > 1 ? run_block(g, interval) : run_interval(g, interval)) != 0)
			return -1;
	/* Report jobs for whose time there is no archive, too. */
	while (g->n_open > 0 || g->begun < g->jobs) {
		if (g->n_open == 0 && begin_job(g, interval) != 0)
			return -1;
		if (end_job(g, 0) != 0)
			return -1;
	}
	return 0;
}

/* Return the number of intervals to gather at a time. The values of all metrics and nodes in these
 * intervals are kept until all nodes have passed them. */
static unsigned choose_block(const struct gather *g)
{
	const unsigned most = BLOCK_MEMORY / (256 * (unsigned)sizeof(double)) / (g->nodes ? g->nodes : 1);

	if (g->watch != NULL || g->options->follow || define_count(g->options->define) > 0 || most < 2)
		return 1;
	return most < BLOCK_MAX ? most : BLOCK_MAX;
}

int gather_run(struct archives *archives, const struct gather_options *options,
	       const struct gather_watch *watch, struct jobstat_report *report)
{
	const unsigned n = archives->nodes, defines = define_count(options->define);
	struct gather g = {.archives = archives,
			   .options = options,
			   .watch = watch,
			   .report = report,
			   .series = calloc(n, sizeof(*g.series)),
			   .node = calloc(n, sizeof(*g.node)),
			   .nodes = n,
			   .defined = calloc(defines + 1, sizeof(*g.defined))};
	int status = 0;

	g.block = choose_block(&g);
	if (g.series == NULL || g.node == NULL || g.defined == NULL)
		status = fail_gather_memory();
	for (unsigned d = 0; status == 0 && d < defines; d++)
		g.defined[d] = -1;
	for (unsigned k = 0; status == 0 && k < n; k++)
		if (series_open(&g.series[k], &archives->node[k], &g.names, options->all) != 0)
			status = fail_gather_memory();
	if (status == 0 && (find_common_interval(&g) != 0 || list_jobs(&g) != 0))
		status = -1;
	if (status == 0 && report->begin != NULL)
		status = report->begin(report);
	if (status == 0)
		status = run_gather_jobs(&g);
	if (status == 0 && report->end != NULL)
		status = report->end(report);
	for (unsigned i = 0; i < g.n_open; i++)
		account_end(g.open[i]);
	for (unsigned k = 0; g.node != NULL && g.series != NULL && k < n; k++) {
		if (g.node[k].record != NULL)
			pmFreeResult(g.node[k].record);
		series_close(&g.series[k]);
	}
	series_names_free(&g.names);
	free(g.series);
	free(g.node);
	free(g.job);
	free(g.open);
	free(g.defined);
	return status;
}
