/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_regions.c - runs a program that has annotations, and says what was counted in each of its regions.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/options.h"
#include "lib/output.h"
#include "lib/papi_check.h"
#include "lib/program.h"
#include "lib/stat_run.h"
#include "region/settings.h"
#include "regions/regions_diff.h"
#include "regions/regions_metrics.h"
#include "regions/regions_read.h"
#include "regions/regions_report.h"
#include "regions/regions_run.h"
#include "regions/regions_sim.h"

enum { HATCHET = UTIL_CSV + 1, HTML };

static const char *const forms[] = {"text", "json", "csv", "hatchet", "html", NULL};

struct settings {
	struct regions_plan plan;
	struct util_format_choice format;
	struct util_output out;
	const char *output, *merge, *before, *set; /* of metrics */
	struct metrics *metrics;
	bool paths, per_thread, list;
};

/* ---- options ------------------------------------------------------------------------------- */

static int add_events(struct settings *settings, const char *list)
{
	char *before = settings->plan.events, *all;

	if (!list[strspn(list, ", ")])
		return util_wrong_value("--events", "names of events", list);
	all = malloc(strlen(list) + (before ? strlen(before) : 0) + 2);
	if (!all) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	sprintf(all, "%s%s%s", before ? before : "", before ? "," : "", list);
	free(before);
	settings->plan.events = all;
	return 0;
}

static int take(void *own, int option)
{
	struct settings *settings = own;

	switch (option) {
	case UTIL_OPTION_EVENTS:
		return add_events(settings, optarg);
	case UTIL_OPTION_SLICE:
		if (util_parse_time(optarg, 0, &settings->plan.slice_ns) != 0 ||
		    settings->plan.slice_ns < 100000 || settings->plan.slice_ns > 10000000000)
			return util_wrong_value("--slice", "a time from 100us to 10s, such as 250us or 2.5ms",
						optarg);
		return 0;
	case UTIL_OPTION_MAX_REGIONS:
		if (util_parse_number(optarg, 1, 1 << 24, &settings->plan.max_regions) != 0)
			return util_wrong_value("--max-regions", "a number from 1 to 16777216", optarg);
		return 0;
	}
	return UTIL_FAILED;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_REGIONS,
	.runs = true,
	.forms = forms,
	.head = "usage: upc_regions [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		"       upc_regions --merge DIRECTORY [OPTION]...\n"
		"       upc_regions --diff BEFORE [OPTION]... AFTER\n"
		"       upc_regions --list-metrics [--metrics SET]\n"
		"\n"
		"Runs PROGRAM, unchanged, and says what was counted in each of its regions: the\n"
		"parts that it marks by calls of LIKWID's marker API, PAPI's high-level API,\n"
		"NVTX, Intel's ITT API, Caliper, Kokkos, or IBM's HPM Toolkit. Regions nest,\n"
		"overlap and recur, in any number of threads and processes.\n",
	.tail = "Events are PAPI's names; more than there are counters take turns, and each count\n"
		"is exact or has its 95 % interval. Without -e there are calls and times.\n"
		"\n"
		"The exit status is PROGRAM's; 125: upc_regions failed, or no process was in a\n"
		"region; 126: PROGRAM cannot be run; 127: it is not there.\n"
		"\n"
		"Examples:\n"
		"  upc_regions -e PAPI_TOT_CYC,PAPI_TOT_INS -- ./solver\n"
		"                            a table by region\n"
		"  upc_regions -e upc:::perf::PAGE-FAULTS --paths -- ./solver\n"
		"                            by call path; -f hatchet has a tree for Hatchet\n"
		"  upc_regions --metrics auto -f html -o page.html -- ./solver\n"
		"                            and metrics, as this machine has them: as a page\n"
		"  upc_regions --sim -e FP_OPS,DATA_LOADS -- ./solver\n"
		"                            exact counts, on a simulated Blue Gene/P node\n"
		"  mpirun -n 16 upc_regions -o 'out/%r.%p' -- ./solver; upc_regions --merge out\n"
		"                            a file for each rank, and the table of all\n",
	.place = {UTIL_FLAG(SIM, struct settings, plan.simulate), UTIL_WORD(MERGE, struct settings, merge),
		  UTIL_WORD(METRICS, struct settings, set), UTIL_FLAG(LIST_METRICS, struct settings, list),
		  UTIL_WORD(DIFF, struct settings, before), UTIL_FLAG(PATHS, struct settings, paths),
		  UTIL_FLAG(THREADS, struct settings, per_thread),
		  UTIL_WORD(OUTPUT, struct settings, output)},
	.take = take,
};

/* "%p" and its like: a file of each process's, and no report. */
static bool has_places(const char *path)
{
	for (; (path = strchr(path, '%')); path++)
		if (path[1] && strchr("prh", path[1]))
			return true;
	return false;
}

static int check(struct settings *settings, int operands)
{
	const bool places = settings->output && has_places(settings->output);
	const bool run_alone = settings->plan.events || settings->plan.slice_ns ||
			       settings->plan.max_regions || settings->plan.simulate;

	if (settings->list && (operands || settings->merge || settings->plan.events || settings->output))
		util_error("--list-metrics goes with --metrics alone");
	else if (settings->list)
		return 0;
	else if (settings->before && (settings->merge || run_alone || settings->per_thread || settings->set ||
				      settings->format.format >= HATCHET || places))
		util_error("--diff goes with --paths, -o, and -f text, json or csv alone");
	else if (settings->before && operands != 1)
		util_error("--diff takes two runs, and options come before the second");
	else if (settings->merge && operands)
		util_error("--merge takes a directory, and no program");
	else if (settings->merge && run_alone)
		util_error("--merge goes with --paths, -t, -f and -o alone");
	else if (!settings->merge && !operands)
		util_error("no program is given: upc_regions [OPTION]... PROGRAM runs one");
	else if (settings->plan.simulate && settings->plan.slice_ns)
		util_error("--sim counts everything all the time, and goes without --slice");
	else if (settings->merge && places)
		util_error("the report of --merge is one file: '%s' is a name for each process",
			   settings->output);
	else if (places && (settings->format.given || settings->paths || settings->per_thread))
		util_error(
			"-o '%s' has a file for each process: --paths, -t and -f are for the table, of --merge",
			settings->output);
	else
		return 0;
	return UTIL_FAILED;
}

/* ---- the report ---------------------------------------------------------------------------- */

/* Two runs, of which there is no more than their difference. */
struct two_runs {
	struct regions_data data[2];
	struct regions_sums sums[2];
	struct regions_diff diff;
	const char *name[2];
};

static bool print_two(FILE *out, const struct settings *settings, const struct two_runs *runs)
{
	if (settings->format.format == UTIL_JSON)
		return regions_diff_json(out, &runs->diff, runs->name[0], runs->name[1]);
	if (settings->format.format == UTIL_CSV)
		return regions_diff_csv(out, &runs->diff);
	return regions_diff_text(out, &runs->diff, runs->name[0], runs->name[1]);
}

static int print(struct settings *settings, const struct regions_report *report, const struct two_runs *runs)
{
	static bool (*const print[])(FILE *, const struct regions_report *) = {
		[UTIL_TEXT] = regions_print_text, [UTIL_JSON] = regions_print_json,
		[UTIL_CSV] = regions_print_csv,   [HATCHET] = regions_print_hatchet,
		[HTML] = regions_print_html,
	};
	FILE *out = settings->out.file;
	int error;

	util_output_begin(&settings->out);
	errno = 0;
	error = util_output_made(&settings->out, runs ? print_two(out, settings, runs)
						      : print[settings->format.format](out, report));
	return util_output_end(&settings->out) || error ? UTIL_FAILED : 0;
}

static int report(struct settings *settings, struct regions_data *data, const char *title,
		  unsigned unfinished)
{
	struct regions_sums by_name = {0}, by_path = {0};
	struct metrics_columns *columns =
		settings->metrics ? metrics_bind(settings->metrics, (const char *const *)data->events.text,
						 data->events.n)
				  : NULL;
	const struct regions_report all = {
		.metrics = settings->metrics,
		.columns = columns,
		.data = data,
		.by_name = &by_name,
		.by_path = &by_path,
		.title = title,
		.paths = settings->paths,
		.per_thread = settings->per_thread,
		.unfinished = unfinished,
	};
	int error = UTIL_FAILED;

	regions_sort(data);
	if ((columns || !settings->metrics) && regions_sum(data, REGIONS_BY_NAME, &by_name) &&
	    regions_sum(data, REGIONS_BY_PATH, &by_path))
		error = print(settings, &all, NULL);
	else
		util_error("out of memory for the sums");
	regions_sums_free(&by_name);
	regions_sums_free(&by_path);
	metrics_unbind(columns);
	return error;
}

static bool add_rest(struct regions_data *data, const char *directory)
{
	char *path = regions_whole_path(directory);
	bool done = path && regions_sim_rest(data, path);

	if (!path)
		util_error("out of memory");
	free(path);
	return done;
}

static void regions_advise_simulated(const char *directory)
{
	char *path = regions_whole_path(directory);

	if (path)
		regions_sim_advise(path);
	free(path);
}

/* What a directory has. */
static int report_directory(struct settings *settings, const char *directory, const char *title)
{
	struct regions_data data;
	unsigned unfinished, bad;
	int n, error;

	if (!regions_begin(&data)) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	n = regions_read_directory(&data, directory, &unfinished, &bad);
	if (n > 0 && settings->plan.simulate && !add_rest(&data, directory))
		error = UTIL_FAILED;
	else if (n > 0)
		error = report(settings, &data, title ? title : data.process[0].command, unfinished);
	else
		error = UTIL_FAILED;
	/* Files that could not be read show in the status, although others could. */
	if (!error && bad)
		error = UTIL_NO;
	if (!n && settings->merge)
		util_error("there is no file of a process in '%s'%s", directory,
			   bad          ? " that could be read"
			   : unfinished ? ", only of such as were killed or still run"
					: "");
	else if (!n && unfinished)
		util_error("a process was in regions, and has left no file: it was killed, or ended without "
			   "exit");
	else if (!n)
		util_error("no region was entered: does the program have annotations, from a shared library, "
			   "and does it end by exit? upc_regions --help says which ones there are");
	regions_free(&data);
	return error;
}

/* ---- two runs ------------------------------------------------------------------------------ */

static bool read_run(struct regions_data *data, const char *path)
{
	struct stat about;
	unsigned unfinished, bad;
	int n;

	if (stat(path, &about)) {
		util_error("cannot read '%s': %s", path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(about.st_mode))
		return regions_read_file(data, path) == 0;
	n = regions_read_directory(data, path, &unfinished, &bad);
	if (n > 0 && unfinished)
		util_error("in '%s' there are files that were not written whole: %u", path, unfinished);
	if (!n)
		util_error("there is no file of a process in '%s'", path);
	return n > 0 && !bad;
}

static int compare(struct settings *settings, const char *after)
{
	struct two_runs runs = {.name = {settings->before, after}};
	enum regions_by by = settings->paths ? REGIONS_BY_PATH : REGIONS_BY_NAME;
	int error = UTIL_FAILED, i;
	bool done = true;

	for (i = 0; done && i < 2; i++) {
		done = regions_begin(&runs.data[i]);
		if (!done)
			util_error("out of memory");
		done = done && read_run(&runs.data[i], runs.name[i]);
	}
	if (done) {
		if (regions_sum(&runs.data[0], by, &runs.sums[0]) &&
		    regions_sum(&runs.data[1], by, &runs.sums[1]) &&
		    regions_diff_of(&runs.data[0], &runs.sums[0], &runs.data[1], &runs.sums[1], &runs.diff))
			error = print(settings, NULL, &runs);
		else
			util_error("out of memory for the sums");
	}
	regions_diff_free(&runs.diff);
	for (i = 0; i < 2; i++) {
		regions_sums_free(&runs.sums[i]);
		regions_free(&runs.data[i]);
	}
	return error;
}

/* ---- a program ----------------------------------------------------------------------------- */

/* One file for each process has nobody who makes its directory, whose name is known where it is the
 * same for all. */
static int check_place(const char *output)
{
	const char *slash = strrchr(output, '/'), *place = strchr(output, '%');

	return slash && place < slash ? 0 : util_output_check_place(output);
}

/* As many as a set of the preloaded library can have. */
static bool check_number(const char *events)
{
	unsigned n = 0;

	for (; *events; events += strcspn(events, ","), events += *events == ',')
		n += *events != ',';
	if (n <= UPCR_EVENTS_MAX)
		return true;
	util_error("-e names %u events, and a region can have %d: name fewer", n, UPCR_EVENTS_MAX);
	return false;
}

/* All that can be wrong is said before the program runs. Events of a set of metrics may be missing: what
 * needs them is left out of the report. */
static int check_run(struct settings *settings)
{
	const struct util_papi_events wanted = {.program = settings->plan.command[0],
						.events = settings->plan.events};
	const bool places = settings->output && has_places(settings->output);
	int error = util_program_check(settings->plan.command[0]);

	if (error)
		return error;
	if (settings->plan.events && !check_number(settings->plan.events))
		return UTIL_FAILED;
	if (settings->plan.events &&
	    (settings->plan.simulate ? !regions_sim_check(settings->plan.events) : util_papi_check(&wanted)))
		return UTIL_FAILED;
	settings->plan.files = places ? settings->output : NULL;
	return places ? check_place(settings->output)
		      : util_output_open(&settings->out, settings->output, stderr);
}

static int run(struct settings *settings)
{
	char title[256] = "", *directory;
	size_t used = 0;
	int status = 0, error = check_run(settings), i;

	if (!error && settings->plan.simulate && !settings->plan.events && !settings->metrics)
		error = add_events(settings, REGIONS_SIM_EVENTS);
	if (error)
		return error;
	if (settings->metrics) {
		char *events = regions_metrics_events(settings->plan.events, settings->metrics);

		if (!events) {
			util_error("out of memory");
			return UTIL_FAILED;
		}
		free(settings->plan.events);
		settings->plan.events = events;
	}
	for (i = 0; settings->plan.command[i] && used < sizeof(title); i++)
		used += (size_t)snprintf(title + used, sizeof(title) - used, "%s%s", i ? " " : "",
					 settings->plan.command[i]);
	error = regions_run(&settings->plan, &directory, &status);
	if (error)
		return error;
	if (settings->plan.simulate && stat_run_exit_status(status) == 128 + SIGILL)
		regions_advise_simulated(directory);
	if (!settings->plan.files)
		error = report_directory(settings, directory, title);
	regions_tidy(directory);
	/* The program's own failure says more than that there is no report of it. */
	return error && WIFEXITED(status) && !WEXITSTATUS(status) ? error : stat_run_exit_status(status);
}

int main(int argc, char **argv)
{
	struct settings settings = {0};
	int error;

	util_begin("upc_regions");
	if (util_options_read(&usage, argc, argv, &settings, &settings.format, &error) != 0)
		return error;
	error = check(&settings, argc - optind);
	if (!error && settings.set)
		error = regions_metrics_open(settings.set, settings.plan.simulate, &settings.metrics);
	if (!error && settings.list)
		error = regions_metrics_list(settings.metrics);
	else if (!error && (settings.before || settings.merge)) {
		error = util_output_open(&settings.out, settings.output, stdout);
		if (!error)
			error = settings.before ? compare(&settings, argv[optind])
						: report_directory(&settings, settings.merge, NULL);
	} else if (!error) {
		settings.plan.command = argv + optind;
		error = run(&settings);
	}
	util_output_drop(&settings.out);
	free(settings.plan.events);
	metrics_free(settings.metrics);
	return error;
}
