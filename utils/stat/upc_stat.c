/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_stat.c - runs a program, or watches running processes, CPUs or the machine, and prints the unit's
 * counts.
 *
 * Terms: stat/stat_session.h.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/program.h"
#include "stat/stat_compare.h"
#include "stat/stat_options.h"
#include "stat/topology.h"

/* Execute upc_run, which simulates a unit and prints the report in upc_stat's format. The function returns
 * only if upc_run cannot be executed. */
static int simulate_stat_run(const struct stat_options *o)
{
	static const char *const forms[] = {"stat", "json", "csv"};
	const char *run = getenv("UPC_RUN");
	size_t words = 0, n = 0;
	const char **argv;

	if (run == NULL || run[0] == '\0')
		run = UPC_RUN_PATH;
	while (o->plan.command[words] != NULL)
		words++;
	argv = calloc(2 * o->n_lists + words + 12, sizeof(*argv));
	if (argv == NULL) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	argv[n++] = "upc_run";
	argv[n++] = "--format";
	argv[n++] = forms[o->format.format];
	for (unsigned i = 0; i < o->n_lists; i++) {
		argv[n++] = "--events";
		argv[n++] = o->lists[i];
	}
	if (o->plan.whom.by == STAT_BY_THREAD)
		argv[n++] = "--per-thread";
	if (o->zeros)
		argv[n++] = "--zeros";
	if (o->output != NULL) {
		argv[n++] = "--output";
		argv[n++] = o->output;
	}
	argv[n++] = "--";
	memcpy(&argv[n], o->plan.command, words * sizeof(*argv));
	execv(run, (char *const *)argv);
	util_error("cannot run '%s', which simulates: %s", run, strerror(errno));
	free(argv);
	return UTIL_FAILED;
}

static int choose_events(const struct stat_options *o, struct stat_session *s)
{
	if (o->n_lists == 0)
		return stat_events_choose(&s->events, o->choice) == 0 ? 0 : UTIL_FAILED;
	for (unsigned i = 0; i < o->n_lists; i++)
		if (stat_events_parse(&s->events, o->lists[i]) != 0)
			return UTIL_FAILED;
	return 0;
}

static int open_output(const struct stat_options *o, struct stat_report *report)
{
	int error = util_output_open(&report->output, o->output, o->plan.command != NULL ? stderr : stdout);

	report->out = report->output.file;
	return error;
}

static int compare_stat_reports(const struct stat_options *o)
{
	struct stat_comparison comparison;
	struct stat_report report;
	int status = UTIL_FAILED;

	if (stat_compare_read(&comparison, o->before, o->after) == 0 && open_output(o, &report) == 0) {
		util_output_begin(&report.output);
		status = util_output_made(&report.output,
					  stat_compare_print(report.out, o->format.format, &comparison));
		if (status == UTIL_OK)
			status = util_output_end(&report.output);
	}
	stat_compare_free(&comparison);
	return status;
}

/* Replace a process by its current threads. Threads that these start later belong to their creators. */
static int choose_threads(struct stat_plan *plan)
{
	struct stat_places_plan *whom = &plan->whom;
	char path[64];
	struct dirent **entry;
	int n, status = 0;

	plan->process = whom->list.number[0];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)plan->process);
	n = scandir(path, &entry, NULL, NULL);
	if (n < 0) {
		util_error("no process %d", (int)plan->process);
		return UTIL_FAILED;
	}
	/* Parsing skips the main thread, which the list already has: its ID is the process's. */
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.' &&
		    number_list_parse(&whom->list, entry[i]->d_name, 1, INT_MAX - 1, false) != 0)
			status = UTIL_FAILED;
		free(entry[i]);
	}
	free(entry);
	if (status != 0)
		util_error("out of memory");
	whom->options.context = UPC_CONTEXT_THREAD;
	whom->options.inherit = 1;
	return status;
}

/* Choose the target: one unit for the machine, or one unit per CPU if the report lists CPUs separately.
 * Children of processes are counted as well, as in perf stat. Return 0, or an exit status after printing an
 * error. */
static int choose_whom(struct stat_options *o, struct stat_session *s)
{
	struct stat_places_plan *whom = &o->plan.whom;

	if (!o->plan.other)
		return 0;
	if (whom->by == STAT_BY_THREAD)
		return choose_threads(&o->plan);
	s->events.of_places = whom->options.context != UPC_CONTEXT_PROCESS;
	s->events.of_group = whom->options.context == UPC_CONTEXT_CGROUP;
	if (s->events.of_group)
		whom->options.cgroup = o->whom_text;
	whom->options.inherit = s->events.by_process = whom->options.context == UPC_CONTEXT_PROCESS;
	if (whom->options.context != UPC_CONTEXT_MACHINE || whom->by == STAT_BY_NONE)
		return 0;
	if (topology_online("/sys", &whom->list) != 0) {
		util_error("/sys/devices/system/cpu/online cannot be read");
		return UTIL_FAILED;
	}
	whom->options.context = UPC_CONTEXT_CPU;
	return 0;
}

static void describe_stat_report(const struct stat_options *o, struct stat_report *report, char *title,
				 size_t size)
{
	static const char *const words[] = {"program", "process", "cpu", "machine", "cgroup"};
	const struct stat_places_plan *whom = &o->plan.whom;
	const char *several = whom->list.n > 1 ? "s" : "";

	report->context = o->plan.other ? words[whom->options.context] : words[0];
	report->title = title;
	report->command = o->plan.command;
	report->format = o->format.format;
	report->zeros = o->zeros;
	report->intervals = o->plan.interval > 0;
	report->repeat = o->plan.repeat;
	report->delay = (double)o->plan.delay / 1e9;
	report->by = whom->by;
	report->top = (unsigned)o->top;
	if (!o->plan.other) {
		size_t n = (size_t)snprintf(title, size, "%s", o->plan.command[0]);

		for (char *const *word = o->plan.command + 1; *word != NULL && n < size; word++)
			n += (size_t)snprintf(title + n, size - n, " %s", *word);
	} else if (whom->options.context == UPC_CONTEXT_PROCESS) {
		snprintf(title, size, "process%s %s", several[0] != '\0' ? "es" : "", o->whom_text);
	} else if (whom->options.context == UPC_CONTEXT_CPU) {
		snprintf(title, size, "everything on CPU%s %s", several, o->whom_text);
	} else if (whom->options.context == UPC_CONTEXT_CGROUP) {
		snprintf(title, size, "control group %s", o->whom_text);
	} else {
		snprintf(title, size, "everything on this machine");
	}
}

int main(int argc, char **argv)
{
	struct stat_options options;
	struct stat_session session = {.plan = &options.plan};
	char title[400];
	int status;

	util_begin("upc_stat");
	if (stat_options_parse(&options, argc, argv, &status) != 0)
		return status;
	if (options.before != NULL)
		return compare_stat_reports(&options);
	if (options.sim)
		return simulate_stat_run(&options);
	if (options.plan.command != NULL)
		status = util_program_check(options.plan.command[0]);
	if (status != 0)
		return status;
	describe_stat_report(&options, &session.report, title, sizeof(title));
	session.events.catalogue = util_catalogue_open(options.wiring);
	if (session.events.catalogue == NULL)
		return UTIL_FAILED;
	status = choose_whom(&options, &session);
	if (status == 0)
		status = choose_events(&options, &session);
	if (status == 0)
		status = open_output(&options, &session.report);
	if (status == 0)
		status = stat_session_run(&session);
	stat_session_free(&session);
	upc_catalogue_close(session.events.catalogue);
	number_list_free(&options.plan.whom.list);
	return status;
}
