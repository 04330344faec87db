/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_regions.c - runs a program that has annotations, and reports the counts of each of its regions.
 * Terms: regions/regions_data.h.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
	const char *output, *merge, *set; /* of metrics */
	const char *keep;                 /* directory for the reports of --against */
	char *before;                     /* first file of --diff */
	long runs;
	struct metrics *metrics;
	bool paths, per_thread, list;
};

/* ---- options ------------------------------------------------------------------------------- */

static int add_regions_events(struct settings *settings, const char *list)
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

static int take_regions_option(void *own, int option)
{
	struct settings *settings = own;

	switch (option) {
	case UTIL_OPTION_EVENTS:
		return add_regions_events(settings, optarg);
	case UTIL_OPTION_SLICE:
		if (util_parse_time(optarg, 0, &settings->plan.slice_ns) != 0 ||
		    settings->plan.slice_ns < 100000 || settings->plan.slice_ns > 10000000000)
			return util_wrong_value("--slice", "a time from 100us to 10s, such as 250us or 2.5ms",
						optarg);
		return 0;
	case UTIL_OPTION_REPEAT:
		if (util_parse_number(optarg, 1, REGIONS_RUNS_MAX, &settings->runs) != 0)
			return util_wrong_value("--repeat", "a number from 1 to 10000", optarg);
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
		"       upc_regions -r N --against OLD [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		"       upc_regions --merge DIRECTORY [OPTION]...\n"
		"       upc_regions --diff BEFORE [OPTION]... AFTER\n"
		"       upc_regions --diff BEFORE... -- AFTER...\n"
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
		"  upc_regions -r 10 --against ./solver.old -- ./solver\n"
		"                            ten runs of each in turn, and what differs\n"
		"  upc_regions -r 10 -f json -o new -- ./solver; upc_regions --diff old new\n"
		"                            ten runs, and what differs from ten runs before\n"
		"  mpirun -n 16 upc_regions -o 'out/%r.%p' -- ./solver; upc_regions --merge out\n"
		"                            a file for each rank, and the table of all\n",
	.place = {UTIL_FLAG(SIM, struct settings, plan.simulate), UTIL_WORD(MERGE, struct settings, merge),
		  UTIL_WORD(METRICS, struct settings, set), UTIL_FLAG(LIST_METRICS, struct settings, list),
		  UTIL_WORD(DIFF, struct settings, before), UTIL_FLAG(PATHS, struct settings, paths),
		  UTIL_FLAG(THREADS, struct settings, per_thread),
		  UTIL_WORD(AGAINST, struct settings, plan.against), UTIL_WORD(KEEP, struct settings, keep),
		  UTIL_WORD(OUTPUT, struct settings, output)},
	.take = take_regions_option,
};

/* True if the path has "%p" or the like: each process then writes a file, and there is no report. */
static bool has_path_places(const char *path)
{
	for (; (path = strchr(path, '%')); path++)
		if (path[1] && strchr("prh", path[1]))
			return true;
	return false;
}

static int check_regions_settings(struct settings *settings, int operands)
{
	const bool places = settings->output && has_path_places(settings->output);
	const bool run_alone = settings->plan.events || settings->plan.slice_ns ||
			       settings->plan.max_regions || settings->plan.simulate || settings->runs > 1 ||
			       settings->plan.against || settings->keep;

	if (settings->list && (operands || settings->merge || settings->plan.events || settings->output ||
			       settings->plan.against || settings->keep))
		util_error("--list-metrics goes with --metrics alone");
	else if (settings->list)
		return 0;
	else if (settings->before && (settings->merge || run_alone || settings->per_thread || settings->set ||
				      settings->format.format >= HATCHET || places))
		util_error("--diff goes with --paths, -o, and -f text, json or csv alone");
	else if (settings->before && !operands)
		util_error("--diff takes runs before and after, and options come before those after");
	else if (settings->merge && operands)
		util_error("--merge takes a directory, and no program");
	else if (settings->merge && run_alone)
		util_error("--merge goes with --paths, -t, -f and -o alone");
	else if (!settings->merge && !operands)
		util_error("no program is given: upc_regions [OPTION]... PROGRAM runs one");
	else if (settings->keep && !settings->plan.against)
		util_error(
			"--keep is for the reports of --against: give that, too; one program's report is -o's");
	else if (settings->plan.against && settings->runs < REGIONS_RUNS_JUDGED)
		util_error("--against compares runs, and fewer than %d of each say nothing: give -r 10",
			   REGIONS_RUNS_JUDGED);
	else if (settings->plan.against &&
		 (settings->per_thread || settings->set || settings->format.format >= HATCHET || places))
		util_error(
			"--against gives a comparison: it goes without -t and -m, with -f text, json or csv, "
			"and without %%p, %%r and %%h in the name of -o");
	else if (settings->plan.simulate && settings->plan.slice_ns)
		util_error("--sim counts everything all the time, and goes without --slice");
	else if (settings->merge && places)
		util_error("the report of --merge is one file: '%s' is a name for each process",
			   settings->output);
	else if (settings->runs > 1 && (places || settings->per_thread))
		util_error(
			"-r gives means of runs in one report: it goes without -t, and without %%p, %%r and %%h in "
			"the name of -o");
	else if (places && (settings->format.given || settings->paths || settings->per_thread))
		util_error(
			"-o '%s' has a file for each process: --paths, -t and -f are for the table, of --merge",
			settings->output);
	else
		return 0;
	return UTIL_FAILED;
}

/* ---- the report ---------------------------------------------------------------------------- */

static bool print_diff(FILE *out, int form, const struct regions_diff *diff)
{
	if (form == UTIL_JSON)
		return regions_diff_json(out, diff);
	if (form == UTIL_CSV)
		return regions_diff_csv(out, diff);
	return regions_diff_text(out, diff);
}

/* Print a report, or a comparison if diff is not NULL. */
static int report_print(struct util_output *output, int form, const struct regions_report *report,
			const struct regions_diff *diff)
{
	static bool (*const writer[])(FILE *, const struct regions_report *) = {
		[UTIL_TEXT] = regions_print_text, [UTIL_JSON] = regions_print_json,
		[UTIL_CSV] = regions_print_csv,   [HATCHET] = regions_print_hatchet,
		[HTML] = regions_print_html,
	};
	FILE *out = output->file;
	int error;

	util_output_begin(output);
	errno = 0;
	error = util_output_made(output, diff ? print_diff(out, form, diff) : writer[form](out, report));
	return util_output_end(output) || error ? UTIL_FAILED : 0;
}

/* The data of a directory's processes, or of runs. */
struct gathered {
	struct regions_data data;
	unsigned unfinished, bad;
	int *status;               /* of each run */
	const char *title, *turns; /* as in struct regions_report */
	unsigned side;
	char text[256]; /* text of title: the program's command */
};

/* Make the sums of one run. For several runs make their means, and keep the runs in *runs. */
static bool report_sums(const struct regions_report *report, enum regions_by by, struct regions_runs *runs,
			struct regions_sums *sums)
{
	const struct regions_data *data = report->data;
	const struct regions_derive metrics = {.n = report->metrics ? metrics_count(report->metrics) : 0,
					       .value = regions_metric_derived,
					       .arg = report};

	if (data->runs == 1)
		return regions_sum(data, 0, by, &metrics, sums);
	return regions_runs_sum(data, by, runs) && regions_runs_means(runs, sums);
}

static int report_make(const struct settings *settings, struct gathered *gathered, struct util_output *output,
		       int form)
{
	struct regions_data *data = &gathered->data;
	struct regions_sums by_name = {0}, by_path = {0};
	struct regions_runs runs_by_name = {0}, runs = {0};
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
		.title = gathered->title,
		.paths = settings->paths,
		.per_thread = settings->per_thread,
		.runs_by_name = data->runs > 1 ? &runs_by_name : NULL,
		.runs = data->runs > 1 ? &runs : NULL,
		.status = gathered->status,
		.turns = gathered->turns,
		.side = gathered->side,
		.unfinished = gathered->unfinished,
	};
	int error = UTIL_FAILED;

	regions_sort(data);
	if ((columns || !settings->metrics) && report_sums(&all, REGIONS_BY_NAME, &runs_by_name, &by_name) &&
	    report_sums(&all, REGIONS_BY_PATH, &runs, &by_path))
		error = report_print(output, form, &all, NULL);
	else
		util_error("out of memory for the sums");
	regions_runs_free(&runs_by_name);
	regions_runs_free(&runs);
	regions_sums_free(&by_name);
	regions_sums_free(&by_path);
	metrics_unbind(columns);
	return error;
}

static bool add_rest_of_directory(struct regions_data *data, size_t first, const char *directory)
{
	char *path = regions_whole_path(directory);
	bool done = path && regions_sim_rest(data, first, path);

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

/* Read a directory as the next run. Return 0, or an exit status after a message if there is nothing in it. */
static int gather_directory(const struct settings *settings, struct gathered *gathered, const char *directory)
{
	const size_t first = gathered->data.processes;
	unsigned unfinished, bad;
	int n = regions_read_directory(&gathered->data, directory, &unfinished, &bad);

	gathered->unfinished += unfinished;
	gathered->bad += bad;
	if (n > 0) {
		if (settings->plan.simulate && !add_rest_of_directory(&gathered->data, first, directory))
			return UTIL_FAILED;
		gathered->data.runs++;
		return 0;
	}
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
	return UTIL_FAILED;
}

/* Report a directory. If a file could not be read, the exit status is an error, even if others could be
 * read. */
static int merge_directory(struct settings *settings)
{
	struct gathered gathered = {.unfinished = 0};
	int error = UTIL_FAILED;

	if (!regions_begin(&gathered.data))
		util_error("out of memory");
	else if (!gather_directory(settings, &gathered, settings->merge)) {
		gathered.title = gathered.data.process[0].command;
		error = report_make(settings, &gathered, &settings->out, settings->format.format);
	}
	regions_free(&gathered.data);
	return !error && gathered.bad ? UTIL_NO : error;
}

/* ---- runs before and after ------------------------------------------------------------------- */

/* Read a file, which has one run or several, or a directory, which has one. */
static bool diff_read(struct regions_data *data, const char *path)
{
	struct stat about;
	unsigned unfinished, bad;
	int n;

	if (stat(path, &about)) {
		util_error("cannot read '%s': %s", path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(about.st_mode)) {
		n = regions_read_file(data, path);
		data->runs += n > 0 ? (unsigned)n : 0;
		return n > 0;
	}
	n = regions_read_directory(data, path, &unfinished, &bad);
	data->runs += n > 0;
	if (n > 0 && unfinished)
		util_error("in '%s' there are files that were not written whole: %u", path, unfinished);
	if (!n)
		util_error("there is no file of a process in '%s'", path);
	return n > 0 && !bad;
}

/* Compare two sides. shown: names of the sides; NULL: use the names of the files. */
static int diff_report(struct settings *settings, struct regions_side side[2], char *const *shown)
{
	struct regions_data data;
	struct regions_runs runs = {0};
	struct regions_diff diff = {
		.data = &data, .runs = &runs, .by = settings->paths ? REGIONS_BY_PATH : REGIONS_BY_NAME};
	int error = UTIL_FAILED;
	bool done = regions_begin(&data);

	if (!done)
		util_error("out of memory");
	for (unsigned i = 0; done && i < 2; i++) {
		side[i].first = data.runs;
		for (unsigned k = 0; done && k < side[i].files; k++)
			done = diff_read(&data, side[i].file[k]);
		side[i].n = data.runs - side[i].first;
		diff.side[i] = side[i];
		if (shown)
			diff.side[i].file = &shown[i];
	}
	if (done && regions_runs_sum(&data, diff.by, &runs) && regions_diff_of(&diff))
		error = report_print(&settings->out, settings->format.format, NULL, &diff);
	else if (done)
		util_error("out of memory for the sums");
	regions_diff_free(&diff);
	regions_runs_free(&runs);
	regions_free(&data);
	return error;
}

/* Split the operands into two sides. The first side begins with the operand of --diff, and extends to "--" if
 * a side has several files. */
static int diff_sides(struct settings *settings, char **operand, int operands, bool parted)
{
	char **first = calloc((size_t)operands + 1, sizeof(*first));
	struct regions_side side[2] = {{.file = first, .files = 1}};
	int behind = 0, error = UTIL_FAILED;

	for (int i = 0; !parted && i < operands; i++)
		if (!strcmp(operand[i], "--"))
			behind = i + 1;
	side[1].file = operand + behind;
	side[1].files = (unsigned)(operands - behind);
	if (!first)
		util_error("out of memory");
	else if (!side[1].files || (side[1].files > 1 && !behind && !parted))
		util_error(
			"--diff takes runs before and after; several of a side have -- behind those before: "
			"upc_regions --diff BEFORE... -- AFTER...");
	else {
		first[0] = settings->before;
		for (int i = 0; i + 1 < behind; i++)
			first[side[0].files++] = operand[i];
		error = diff_report(settings, side, NULL);
	}
	free(first);
	return error;
}

/* ---- a program ----------------------------------------------------------------------------- */

/* Check the place of the output. Processes do not create the directory of their files, so it must exist if
 * its name is the same for all processes. */
static int check_place(const char *output)
{
	const char *slash = strrchr(output, '/'), *place = strchr(output, '%');

	return slash && place < slash ? 0 : util_output_check_place(output);
}

/* Check that there are no more events than the preloaded library's set can have. */
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

/* Report all that can be wrong with a program and its events before any run. Events of a metric set may be
 * missing: metrics that need them are left out of the report. */
static int check_program(const struct settings *settings, const char *program)
{
	const struct util_papi_events wanted = {.program = program, .events = settings->plan.events};
	int error = util_program_check(program);

	if (error)
		return error;
	if (settings->plan.events &&
	    (settings->plan.simulate ? !regions_sim_check(settings->plan.events) : util_papi_check(&wanted)))
		return UTIL_FAILED;
	return 0;
}

static int check_run(struct settings *settings)
{
	const bool places = settings->output && has_path_places(settings->output);
	int error = settings->plan.events && !check_number(settings->plan.events) ? UTIL_FAILED : 0;

	if (!error)
		error = check_program(settings, settings->plan.command[0]);
	if (!error && settings->plan.against)
		error = check_program(settings, settings->plan.against);
	if (error)
		return error;
	settings->plan.files = places ? settings->output : NULL;
	return places ? check_place(settings->output)
		      : util_output_open(&settings->out, settings->output, stderr);
}

/* Run the program once, and add its counts as the next run. */
static int run_once(struct settings *settings, struct gathered *gathered)
{
	int *status = &gathered->status[gathered->data.runs], error;
	char *place = NULL;

	error = regions_run(&settings->plan, &place, status);
	if (!error && settings->plan.simulate && stat_run_exit_status(*status) == 128 + SIGILL)
		regions_advise_simulated(place);
	if (!error && !settings->plan.files)
		error = gather_directory(settings, gathered, place);
	regions_drop(place);
	return error;
}

static bool run_failed(int status)
{
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static void run_title(char **command, char *title, size_t size)
{
	size_t used = 0;

	for (int i = 0; command[i] && used < size; i++)
		used += (size_t)snprintf(title + used, size - used, "%s%s", i ? " " : "", command[i]);
}

static bool run_begin(const struct settings *settings, struct gathered *gathered)
{
	gathered->status = calloc((size_t)settings->runs + 1, sizeof(int));
	run_title(settings->plan.command, gathered->text, sizeof(gathered->text));
	gathered->title = gathered->text;
	if (regions_begin(&gathered->data) && gathered->status)
		return true;
	util_error("out of memory");
	return false;
}

static void run_free(struct gathered *gathered)
{
	regions_free(&gathered->data);
	free(gathered->status);
}

/* Run the program as often as wanted. Return the status of the first run that failed. A failure of the
 * program has priority over that of its report. */
static int run_all(struct settings *settings)
{
	struct gathered gathered = {.unfinished = 0};
	int error = run_begin(settings, &gathered) ? regions_prepare(&settings->plan) : UTIL_FAILED,
	    status = 0;

	for (long i = 0; !error && i < settings->runs; i++) {
		error = run_once(settings, &gathered);
		status = !status && run_failed(gathered.status[i]) ? gathered.status[i] : status;
	}
	if (!error && !settings->plan.files)
		error = report_make(settings, &gathered, &settings->out, settings->format.format);
	if (!error && gathered.bad)
		error = UTIL_NO;
	regions_tidy(&settings->plan);
	run_free(&gathered);
	return status ? stat_run_exit_status(status) : error;
}

/* ---- two programs in turn --------------------------------------------------------------------- */

/* The two sides, before and after. The report of each goes to a file that is kept, or to memory. */
struct turns {
	struct gathered side[2];
	char *program[2], *file[2], *shown[2];
	struct util_output out[2];
	int memory[2]; /* -1: none */
	char name[64]; /* unique name of the measurement */
};

static bool turns_name(char name[64])
{
	FILE *file = fopen("/proc/sys/kernel/random/uuid", "re");
	const bool done = file && fscanf(file, "%63s", name) == 1;

	if (!done)
		util_error("cannot read '/proc/sys/kernel/random/uuid': %s", strerror(errno));
	if (file)
		fclose(file);
	return done;
}

/* Open a side's report. */
static int turns_open(struct turns *turns, unsigned side, const char *keep)
{
	static const char *const names[] = {"before", "after"};
	int n;

	if (!keep)
		turns->memory[side] = memfd_create(names[side], MFD_CLOEXEC);
	n = keep ? asprintf(&turns->file[side], "%s/%s.json", keep, names[side])
		 : asprintf(&turns->file[side], "/proc/self/fd/%d", turns->memory[side]);
	if (n < 0) {
		turns->file[side] = NULL;
		util_error("out of memory");
		return UTIL_FAILED;
	}
	turns->shown[side] = keep ? turns->file[side] : turns->side[side].text;
	return util_output_open(&turns->out[side], turns->file[side], stdout);
}

static int turns_begin(struct turns *turns, struct settings *settings)
{
	struct stat report, out;
	int error = turns_name(turns->name) ? 0 : UTIL_FAILED;

	turns->program[0] = (char *)settings->plan.against;
	turns->program[1] = settings->plan.command[0];
	for (unsigned side = 0; side < 2; side++) {
		turns->memory[side] = -1;
		turns->side[side].side = side;
		turns->side[side].turns = turns->name;
		settings->plan.command[0] = turns->program[side];
		if (!error)
			error = run_begin(settings, &turns->side[side])
					? turns_open(turns, side, settings->keep)
					: UTIL_FAILED;
		if (!error && !fstat(fileno(turns->out[side].file), &report) &&
		    !fstat(fileno(settings->out.file), &out) && report.st_dev == out.st_dev &&
		    report.st_ino == out.st_ino) {
			util_error(
				"'%s' is a report of --keep: name another file for -o, where the comparison goes",
				settings->output);
			error = UTIL_FAILED;
		}
	}
	return error;
}

static void turns_free(struct turns *turns)
{
	for (unsigned side = 0; side < 2; side++) {
		util_output_drop(&turns->out[side]);
		if (turns->memory[side] >= 0)
			close(turns->memory[side]);
		free(turns->file[side]);
		run_free(&turns->side[side]);
	}
}

/* Run the next pair. If one run of the pair leaves no files, the other run is left out, too. */
static int turns_run(struct turns *turns, struct settings *settings, int *status)
{
	const unsigned pair = turns->side[0].data.runs;
	int error = 0;

	for (unsigned turn = 2 * pair; !error && turn < 2 * pair + 2; turn++) {
		struct gathered *side = &turns->side[regions_turn(pair, 1) == turn];

		settings->plan.command[0] = turns->program[side->side];
		error = run_once(settings, side);
		*status = !*status && run_failed(side->status[pair]) ? side->status[pair] : *status;
	}
	for (unsigned i = 0; error && i < 2; i++) {
		struct regions_data *data = &turns->side[i].data;

		while (data->processes && data->process[data->processes - 1].run == pair)
			regions_drop_last(data);
		data->runs = pair;
	}
	return error;
}

/* Run two programs in turns, as run_all runs one, and compare them. If the runs end early, the reports have
 * the pairs completed before. */
static int turns_all(struct settings *settings)
{
	struct turns turns = {.name = ""};
	struct regions_side side[2];
	int error = turns_begin(&turns, settings), status = 0, kept = 0;

	if (!error)
		error = regions_prepare(&settings->plan);
	for (long i = 0; !error && i < settings->runs; i++)
		error = turns_run(&turns, settings, &status);
	for (unsigned i = 0; i < 2; i++) {
		side[i] = (struct regions_side){.file = &turns.file[i], .files = 1};
		if (!kept && turns.side[i].data.runs)
			kept = report_make(settings, &turns.side[i], &turns.out[i], UTIL_JSON);
	}
	error = error ? error : kept ? kept : diff_report(settings, side, turns.shown);
	if (!error && (turns.side[0].bad || turns.side[1].bad))
		error = UTIL_NO;
	regions_tidy(&settings->plan);
	turns_free(&turns);
	return status ? stat_run_exit_status(status) : error;
}

static int run_regions_program(struct settings *settings)
{
	int error = check_run(settings);

	if (!error && settings->plan.simulate && !settings->plan.events && !settings->metrics)
		error = add_regions_events(settings, REGIONS_SIM_EVENTS);
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
	return settings->plan.against ? turns_all(settings) : run_all(settings);
}

int main(int argc, char **argv)
{
	struct settings settings = {.runs = 1};
	int error;

	util_begin("upc_regions");
	if (util_options_read(&usage, argc, argv, &settings, &settings.format, &error) != 0)
		return error;
	error = check_regions_settings(&settings, argc - optind);
	if (!error && settings.set)
		error = regions_metrics_open(settings.set, settings.plan.simulate, &settings.metrics);
	if (!error && settings.list)
		error = regions_metrics_list(settings.metrics);
	else if (!error && (settings.before || settings.merge)) {
		error = util_output_open(&settings.out, settings.output, stdout);
		if (!error)
			error = settings.before ? diff_sides(&settings, argv + optind, argc - optind,
							     !strcmp(argv[optind - 1], "--"))
						: merge_directory(&settings);
	} else if (!error) {
		settings.plan.command = argv + optind;
		error = run_regions_program(&settings);
	}
	util_output_drop(&settings.out);
	free(settings.plan.events);
	metrics_free(settings.metrics);
	return error;
}
