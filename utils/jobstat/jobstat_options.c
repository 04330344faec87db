/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_options.c - the command line of upc_jobstat.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobstat_options.h"
#include "lib/list.h"

static const char *const forms[] = {"text", "json", "csv", "html", NULL};

static int define_option_metric(struct jobstat_options *o, const char *option, const char *name,
				const char *text)
{
	char message[300];

	if (define_add(&o->gather.define, name, text, message) == 0)
		return 0;
	util_error("%s: %s", option, message);
	return UTIL_FAILED;
}

static int define_named(struct jobstat_options *o, const char *text)
{
	const char *equals = strchr(text, '=');
	char *name;
	int error;

	if (equals == NULL)
		return util_wrong_value("--define", "NAME=EXPR", text);
	name = strndup(text, (size_t)(equals - text));
	if (name == NULL)
		return UTIL_FAILED;
	error = define_option_metric(o, "--define", name, equals + 1);
	free(name);
	return error;
}

static int parse_positive(const char *option, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && *end == '\0' && isfinite(*value) && *value > 0)
		return 0;
	return util_wrong_value(option, "a number above 0", text);
}

static int parse_option_time(const char *option, const char *text, int64_t *ns)
{
	if (jobs_time(text, strlen(text), ns) == 0)
		return 0;
	return util_wrong_value(option, "a time as 2026-11-23T12:00:00Z, or seconds since 1970", text);
}

static int parse_nodes(struct jobstat_options *o, const char *text)
{
	const char *expected;
	size_t at;

	if (nodelist_parse(text, strlen(text), &o->nodes, &at, &expected) == 0)
		return 0;
	util_error("--nodes: column %zu: expected %s", at + 1, expected);
	return UTIL_FAILED;
}

static int read_jobs(struct jobstat_options *o, const char *path)
{
	char message[400];

	if (jobs_read(path, &o->jobs, message) != 0)
		util_error("%s", message);
	else if (o->jobs.n == 0)
		util_error("there is no job in '%.200s': give lines id,start,end,nodes, or leave --jobs out",
			   path);
	else
		return 0;
	return UTIL_FAILED;
}

static int add_host(struct jobstat_options *o, const char *host)
{
	if (!util_grow(&o->host, o->hosts, sizeof(*o->host)))
		return UTIL_FAILED;
	o->host[o->hosts++] = host;
	return 0;
}

static int take_jobstat_option(void *own, int option)
{
	struct jobstat_options *o = own;

	switch (option) {
	case UTIL_OPTION_JOBS:
		return read_jobs(o, optarg);
	case UTIL_OPTION_START:
		return parse_option_time("--start", optarg, &o->gather.start_ns);
	case UTIL_OPTION_END:
		return parse_option_time("--end", optarg, &o->gather.end_ns);
	case UTIL_OPTION_NODES:
		return parse_nodes(o, optarg);
	case UTIL_OPTION_HOST:
		return add_host(o, optarg);
	case UTIL_OPTION_LINE:
		return parse_positive("--line", optarg, &o->line);
	case UTIL_OPTION_PEAK:
		return parse_positive("--peak", optarg, &o->gather.peak);
	case UTIL_OPTION_DEFINE:
		return define_named(o, optarg);
	case UTIL_OPTION_INTERVAL:
		if (util_parse_time(optarg, 0, &o->gather.interval_ns) == 0 &&
		    o->gather.interval_ns >= 10000000)
			return 0;
		return util_wrong_value("--interval", "a time from 10ms on, as 60s", optarg);
	}
	return UTIL_FAILED;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_JOBSTAT,
	.head = "usage: upc_jobstat [OPTION]... ARCHIVE...\n"
		"       upc_jobstat [OPTION]... --follow {ARCHIVE | --host=HOST}...\n"
		"\n"
		"Reads archives of Performance Co-Pilot in which the node service has counted,\n"
		"and says what each job's nodes did: which of them stand apart and why, memory\n"
		"bandwidth by NUMA node, rates and their spread over nodes. ARCHIVE is an\n"
		"archive, or a directory of archives.\n",
	.tail = "The exit status is 0; 1: some archive could not be read whole; 125: it failed.\n"
		"\n"
		"Examples:\n"
		"  upc_jobstat /var/log/pcp/pmlogger\n"
		"  sacct -P -o JobID,Start,End,NodeList | upc_jobstat --jobs=- archives\n"
		"  upc_jobstat --bandwidth=numa.l3_misses --line=64 --peak=25600e6 archives\n"
		"  upc_jobstat --define=ipc='cpu.instructions / cpu.cycles' --each-node archives\n",
	.forms = forms,
	.place = {UTIL_FLAG(FOLLOW, struct jobstat_options, gather.follow),
		  UTIL_WORD(BANDWIDTH, struct jobstat_options, bandwidth),
		  UTIL_WORD(FLOPS, struct jobstat_options, flops),
		  UTIL_FLAG(ALL, struct jobstat_options, gather.all),
		  UTIL_FLAG(EACH_NODE, struct jobstat_options, per_node),
		  UTIL_FLAG(PER_CPU, struct jobstat_options, per_cpu),
		  UTIL_FLAG(TIMELINE, struct jobstat_options, timeline),
		  UTIL_WORD(OUTPUT, struct jobstat_options, output)},
	.take = take_jobstat_option,
};

static int complain_of_option(const char *what)
{
	util_error("%s", what);
	return UTIL_FAILED;
}

static int check_jobstat_options(struct jobstat_options *o, int operands)
{
	char *text;
	int error;

	if (operands == 0 && o->hosts == 0)
		return complain_of_option(
			"no archive is given: upc_jobstat [OPTION]... ARCHIVE reads one, or a directory of them");
	if (o->hosts > 0 && !o->gather.follow)
		return complain_of_option("--host goes with --follow");
	if (o->jobs.n > 0 &&
	    (o->nodes.n > 0 || o->gather.start_ns != INT64_MIN || o->gather.end_ns != INT64_MAX))
		return complain_of_option(
			"--jobs has times and nodes: --start, --end and --nodes do not go with it");
	if (o->gather.end_ns <= o->gather.start_ns)
		return complain_of_option("--end is not behind --start");
	if (o->timeline && o->format.format != JOBSTAT_CSV)
		return complain_of_option("--timeline goes with --format=csv");
	if (o->bandwidth == NULL && o->gather.peak > 0)
		return complain_of_option("--peak goes with --bandwidth");
	if (o->bandwidth != NULL) {
		if (asprintf(&text, "(%s) * %.17g", o->bandwidth, o->line) < 0)
			return complain_of_option("out of memory");
		error = define_option_metric(o, "--bandwidth", "memory_bandwidth", text);
		free(text);
		if (error != 0)
			return error;
		o->gather.bandwidth = (int)define_count(o->gather.define) - 1;
		o->gather.line_bytes = o->line;
	}
	if (o->flops != NULL) {
		error = define_option_metric(o, "--flops", "flops", o->flops);
		if (error != 0)
			return error;
		o->gather.flops = (int)define_count(o->gather.define) - 1;
	}
	return 0;
}

int jobstat_options_read(struct jobstat_options *o, int argc, char **argv, int *status)
{
	*o = (struct jobstat_options){
		.gather = {.start_ns = INT64_MIN, .end_ns = INT64_MAX, .bandwidth = -1, .flops = -1},
		.line = 64};
	if (util_options_read(&usage, argc, argv, o, &o->format, status) != 0)
		return -1;
	*status = check_jobstat_options(o, argc - optind);
	if (*status != 0)
		return -1;
	o->gather.jobs = &o->jobs;
	o->gather.nodes = o->nodes.n > 0 ? &o->nodes : NULL;
	return 0;
}

void jobstat_options_free(struct jobstat_options *o)
{
	jobs_free(&o->jobs);
	nodelist_free(&o->nodes);
	define_free(o->gather.define);
	free(o->host);
}
