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

static const char *const forms[] = {"text", "json", "csv", "html", NULL};

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
};

/* What --bandwidth and --flops become: definitions, behind those of --define. */
struct said {
	const char *bandwidth, *flops;
	double line;
};

static int define(struct jobstat_options *o, const char *option, const char *name, const char *text)
{
	char message[300];

	if (define_add(&o->gather.define, name, text, message) == 0)
		return 0;
	util_error("%s: %s", option, message);
	return -1;
}

static int define_named(struct jobstat_options *o, const char *text)
{
	const char *equals = strchr(text, '=');
	char *name;
	int error;

	if (equals == NULL) {
		util_wrong_value("--define", "NAME=EXPR", text);
		return -1;
	}
	name = strndup(text, (size_t)(equals - text));
	if (name == NULL)
		return -1;
	error = define(o, "--define", name, equals + 1);
	free(name);
	return error;
}

static int parse_positive(const char *option, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && *end == '\0' && isfinite(*value) && *value > 0)
		return 0;
	util_wrong_value(option, "a number above 0", text);
	return -1;
}

static int parse_time(const char *option, const char *text, int64_t *ns)
{
	if (jobs_time(text, strlen(text), ns) == 0)
		return 0;
	util_wrong_value(option, "a time as 2026-11-23T12:00:00Z, or seconds since 1970", text);
	return -1;
}

static int parse_nodes(struct jobstat_options *o, const char *text)
{
	const char *expected;
	size_t at;

	if (nodelist_parse(text, strlen(text), &o->nodes, &at, &expected) == 0)
		return 0;
	util_error("--nodes: column %zu: expected %s", at + 1, expected);
	util_try_help();
	return -1;
}

static int read_jobs(struct jobstat_options *o, const char *path)
{
	char message[400];

	if (jobs_read(path, &o->jobs, message) == 0)
		return 0;
	util_error("%s", message);
	return -1;
}

static int add_host(struct jobstat_options *o, const char *host)
{
	const char **more = realloc(o->host, (o->hosts + 1) * sizeof(*more));

	if (more == NULL)
		return -1;
	o->host = more;
	o->host[o->hosts++] = host;
	return 0;
}

static int take(struct jobstat_options *o, struct said *said, int option)
{
	switch (option) {
	case UTIL_OPTION_JOBS:
		return read_jobs(o, optarg);
	case UTIL_OPTION_START:
		return parse_time("--start", optarg, &o->gather.start_ns);
	case UTIL_OPTION_END:
		return parse_time("--end", optarg, &o->gather.end_ns);
	case UTIL_OPTION_NODES:
		return parse_nodes(o, optarg);
	case UTIL_OPTION_HOST:
		return add_host(o, optarg);
	case UTIL_OPTION_FOLLOW:
		o->gather.follow = true;
		return 0;
	case UTIL_OPTION_BANDWIDTH:
		said->bandwidth = optarg;
		return 0;
	case UTIL_OPTION_LINE:
		return parse_positive("--line", optarg, &said->line);
	case UTIL_OPTION_PEAK:
		return parse_positive("--peak", optarg, &o->gather.peak);
	case UTIL_OPTION_FLOPS:
		said->flops = optarg;
		return 0;
	case UTIL_OPTION_DEFINE:
		return define_named(o, optarg);
	case UTIL_OPTION_ALL:
		o->gather.all = true;
		return 0;
	case UTIL_OPTION_INTERVAL:
		if (util_parse_time(optarg, 0, &o->gather.interval_ns) == 0 &&
		    o->gather.interval_ns >= 10000000)
			return 0;
		util_wrong_value("--interval", "a time from 10ms on, as 60s", optarg);
		return -1;
	case UTIL_OPTION_EACH_NODE:
		o->per_node = true;
		return 0;
	case UTIL_OPTION_PER_CPU:
		o->per_cpu = true;
		return 0;
	case UTIL_OPTION_WIDE:
		o->wide = true;
		return 0;
	case UTIL_OPTION_OUTPUT:
		o->output = optarg;
		return 0;
	default:
		return -1;
	}
}

static int complain(const char *what)
{
	util_error("%s", what);
	util_try_help();
	return -1;
}

static int check(struct jobstat_options *o, const struct said *said, int operands)
{
	char *text;
	int error;

	if (operands == 0 && o->hosts == 0)
		return complain("which archives?");
	if (o->hosts > 0 && !o->gather.follow)
		return complain("--host goes with --follow");
	if (o->jobs.n > 0 &&
	    (o->nodes.n > 0 || o->gather.start_ns != INT64_MIN || o->gather.end_ns != INT64_MAX))
		return complain("--jobs has times and nodes: --start, --end and --nodes do not go with it");
	if (o->gather.end_ns <= o->gather.start_ns)
		return complain("--end is not behind --start");
	if (o->wide && o->format.format != JOBSTAT_CSV)
		return complain("--wide goes with --format=csv");
	if (said->bandwidth == NULL && o->gather.peak > 0)
		return complain("--peak goes with --bandwidth");
	if (said->bandwidth != NULL) {
		if (asprintf(&text, "(%s) * %.17g", said->bandwidth, said->line) < 0)
			return complain("out of memory");
		error = define(o, "--bandwidth", "memory_bandwidth", text);
		free(text);
		if (error != 0)
			return -1;
		o->gather.bandwidth = (int)define_count(o->gather.define) - 1;
		o->gather.line_bytes = said->line;
	}
	if (said->flops != NULL) {
		if (define(o, "--flops", "flops", said->flops) != 0)
			return -1;
		o->gather.flops = (int)define_count(o->gather.define) - 1;
	}
	return 0;
}

int jobstat_options_read(struct jobstat_options *o, int argc, char **argv, int *status)
{
	struct said said = {.line = 64};
	int option;

	*o = (struct jobstat_options){
		.gather = {.start_ns = INT64_MIN, .end_ns = INT64_MAX, .bandwidth = -1, .flops = -1}};
	while ((option = util_options_next(&usage, argc, argv, &o->format, status)) >= 0)
		if (take(o, &said, option) != 0) {
			*status = UTIL_FAILED;
			return -1;
		}
	if (option == UTIL_OPTION_DONE)
		return -1;
	*status = UTIL_FAILED;
	if (check(o, &said, argc - optind) != 0)
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
