/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_jobstat.c - reads archives of Performance Co-Pilot and reports what the nodes of jobs did.
 */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/archive.h"
#include "jobstat/gather.h"
#include "jobstat/jobstat_html.h"
#include "jobstat/jobstat_options.h"
#include "jobstat/report.h"

static volatile sig_atomic_t stop;

static void take_follow_signal(int signal)
{
	(void)signal;
	stop = 1;
}

/* Make SIGINT (Ctrl-C) and SIGTERM end --follow with a report. A second signal terminates the process at
 * once. */
static void catch_follow_signals(void)
{
	struct sigaction action = {.sa_handler = take_follow_signal, .sa_flags = SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static struct jobstat_report *choose_report(const struct jobstat_options *o, struct util_output *output)
{
	const struct report_options how = {o->per_node, o->per_cpu, util_width(output->file)};

	switch (o->format.format) {
	case JOBSTAT_CSV:
	case JOBSTAT_JSON:
		return report_data(output, o->format.format == JOBSTAT_CSV);
	case JOBSTAT_HTML:
		return jobstat_html_create(output->file);
	default:
		return report_text(output, &how);
	}
}

static void free_report(const struct jobstat_options *o, struct jobstat_report *report)
{
	if (o->format.format == JOBSTAT_HTML)
		jobstat_html_free(report);
	else
		report_free(report);
}

/* Discard a job. With --timeline, the lines of the intervals are the only report. */
static int drop_job(struct jobstat_report *report, struct jobstat_job *job)
{
	(void)report;
	jobstat_job_free(job);
	return 0;
}

static int run_timeline(const struct jobstat_options *o, struct archives *archives, FILE *out)
{
	struct jobstat_report none = {.job = drop_job};
	struct gather_watch watch;

	report_intervals(out, &watch);
	return gather_run(archives, &o->gather, &watch, &none);
}

static int run_jobstat_report(const struct jobstat_options *o, struct archives *archives,
			      struct util_output *output)
{
	struct jobstat_report *report;
	struct gather_watch watch;
	int status;

	if (o->timeline)
		return run_timeline(o, archives, output->file);
	report = choose_report(o, output);
	if (report == NULL) {
		util_error("out of memory");
		return -1;
	}
	if (o->gather.follow)
		report_follow(output->file, o->format.format == JOBSTAT_CSV, &watch);
	status = gather_run(archives, &o->gather,
			    o->gather.follow && o->format.format < JOBSTAT_HTML &&
					    o->format.format != JOBSTAT_JSON
				    ? &watch
				    : NULL,
			    report);
	free_report(o, report);
	return status;
}

static int find_archives(struct jobstat_options *o, char **operand, unsigned n, struct archives *archives)
{
	for (unsigned i = 0; i < o->hosts; i++)
		if (archives_add_host(archives, o->host[i], o->gather.interval_ns) != 0)
			return -1;
	if (n > 0 && archives_find((const char *const *)operand, n, archives) != 0)
		return -1;
	return archives->nodes > 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct jobstat_options o;
	struct archives archives = {0};
	struct util_output out = {.file = NULL};
	int status;

	util_begin("upc_jobstat");
	/* Set libpcp's configuration file, unless the environment names another. */
	if (!getenv("PCP_DIR"))
		setenv("PCP_CONF", UPC_PCP_CONF, 0);
	if (jobstat_options_read(&o, argc, argv, &status) != 0) {
		jobstat_options_free(&o);
		return status;
	}
	o.gather.stop = &stop;
	if (o.gather.follow)
		catch_follow_signals();
	archives_raise_limit();
	status = UTIL_FAILED;
	if (find_archives(&o, argv + optind, (unsigned)(argc - optind), &archives) == 0 &&
	    gather_check(&archives, &o.gather) == 0 && util_output_open(&out, o.output, stdout) == 0) {
		util_output_begin(&out);
		status = run_jobstat_report(&o, &archives, &out) == 0 ? UTIL_OK : UTIL_FAILED;
		if (status == UTIL_OK)
			status = util_output_end(&out);
	}
	/* Report archives that were only partly readable, even if others were read completely. */
	for (unsigned k = 0; status == UTIL_OK && k < archives.nodes; k++)
		if (archives.node[k].damaged) {
			util_error("node %s: %s", archives.node[k].host, archives.node[k].note);
			archives.damaged = true;
		}
	if (status == UTIL_OK && archives.damaged)
		status = UTIL_NO;
	util_output_drop(&out);
	archives_free(&archives);
	jobstat_options_free(&o);
	return status;
}
