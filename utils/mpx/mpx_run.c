/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_run.c - runs a program that counts with PAPI, and multiplexes the program's event sets: if the events
 * of a set do not fit into the counters, groups of them take turns, and the counts are estimates.
 *
 * mpx_run preloads a library that replaces PAPI's functions, and then executes the program. Environment
 * variables (src/mpx/shim/shim_exec.h) pass mpx_run's options to the library.
 *
 * Terms: lib/common.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/options.h"
#include "lib/output.h"
#include "lib/papi_check.h"
#include "lib/preload.h"
#include "shim/shim_exec.h"

struct settings {
	const char *report; /* NULL: none; empty: standard error */
	const char *covariate;
	struct util_format_choice format;
	bool by_place, quiet;
};

/* Set a variable for the preloaded library. main unsets all of them before it reads the options. */
static void tell_library(const char *name, const char *value)
{
	if (setenv(name, value, 1) == 0)
		return;
	util_error("cannot pass on %s: %s", name, strerror(errno));
	exit(UTIL_FAILED);
}

static void tell_library_number(const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	tell_library(name, text);
}

static void forget_all_variables(void)
{
	static const char *const names[] = {SHIM_SLICE,     SHIM_TIMER,         SHIM_CLOCK,   SHIM_ESTIMATOR,
					    SHIM_COVARIATE, SHIM_GROUP_MAX,     SHIM_SEED,    SHIM_QUIET,
					    SHIM_REPORT,    SHIM_FIRST_PROCESS, SHIM_BY_PLACE};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static int take_slice(const char *text)
{
	uint64_t ns;

	if (util_parse_time(text, 0, &ns) != 0 || ns < 100000 || ns > 10000000000)
		return util_wrong_value("--slice", "a time from 100us to 10s, such as 250us, 2.5ms or 1s",
					text);
	tell_library_number(SHIM_SLICE, ns);
	return 0;
}

/* Take an option whose argument is a word of a list, and pass the word's index, which is the value of the
 * enumeration in mpx.h, to the library. */
static int take_word_option(const char *option, const char *variable, const char *const words[],
			    const char *text)
{
	int place = util_option_word(option, words, text);

	if (place < 0)
		return UTIL_FAILED;
	tell_library_number(variable, (uint64_t)place);
	return 0;
}

static int take_number_option(const char *option, const char *variable, const char *what, const char *text)
{
	long value;

	if (util_parse_number(text, 1, INT_MAX, &value) != 0)
		return util_wrong_value(option, what, text);
	tell_library_number(variable, (uint64_t)value);
	return 0;
}

static int take_mpx_option(void *own, int option)
{
	static const char *const timers[] = {"auto", "task-clock", "thread", "virtual", NULL};
	static const char *const clocks[] = {"auto", "cycles", "unit", "cpu", "user", NULL};
	static const char *const estimators[] = {"auto", "ratio", "interpolated", "covariate", NULL};
	struct settings *settings = own;

	switch (option) {
	case UTIL_OPTION_SLICE:
		return take_slice(optarg);
	case UTIL_OPTION_TIMER:
		return take_word_option("--timer", SHIM_TIMER, timers, optarg);
	case UTIL_OPTION_CLOCK:
		return take_word_option("--clock", SHIM_CLOCK, clocks, optarg);
	case UTIL_OPTION_ESTIMATOR:
		return take_word_option("--estimator", SHIM_ESTIMATOR, estimators, optarg);
	case UTIL_OPTION_GROUP_MAX:
		return take_number_option("--group-max", SHIM_GROUP_MAX, "a number from 1", optarg);
	case UTIL_OPTION_SEED:
		return take_number_option("--seed", SHIM_SEED, "a number from 1", optarg);
	case UTIL_OPTION_COVARIATE:
		if (!optarg[0])
			return util_wrong_value("--covariate", "the name of an event", optarg);
		settings->covariate = optarg;
		tell_library(SHIM_COVARIATE, optarg);
		return 0;
	case UTIL_OPTION_REPORT:
		/* -r=FILE means --report=FILE. */
		settings->report = !optarg ? "" : optarg[0] == '=' ? optarg + 1 : optarg;
		return 0;
	case UTIL_OPTION_OUTPUT:
		settings->report = strcmp(optarg, "-") ? optarg : "/dev/stdout";
		return 0;
	default:
		return UTIL_FAILED;
	}
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_MPX,
	.runs = true,
	.head = "usage: mpx_run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		"\n"
		"Runs PROGRAM, which counts events with PAPI, with its event sets multiplexed:\n"
		"any number of events in a set, of any components, and any number of sets at once\n"
		"in a thread. PROGRAM is not changed; it uses libpapi.so.\n",
	.tail = "What could not be counted in any slice is 0 to the program, which is said, and\n"
		"empty in the report. --format and --output print a report, too.\n"
		"\n"
		"The exit status is PROGRAM's; 125: mpx_run failed; 126: PROGRAM cannot be run;\n"
		"127: it is not there.\n"
		"\n"
		"Examples:\n"
		"  mpx_run ./solver          as without it, with more events than counters\n"
		"  mpx_run --report -s 1ms -- ./solver -n 8\n"
		"                            with a table of estimates and their errors\n"
		"  mpx_run -o est.%p.json -f json -- mpirun -n 4 ./solver\n"
		"                            a file for each process\n",
	.place = {UTIL_FLAG(BY_PLACE, struct settings, by_place), UTIL_FLAG(QUIET, struct settings, quiet)},
	.take = take_mpx_option,
};

/* ---- the report's place ---------------------------------------------------------------- */

#define NONE_10 ",,,,,,,,,,"

static const char header[] =
	"record,pid,tid,set,starts,place,event,value,low,high,standard_error,exactness,coverage,count,counted_time,"
	"running_time,slices,running,sets,plain,slice_ns,timer,estimator,program,left_out,multiplexing_ns,cpu_ns,"
	"reason\n"
	"fact,,,,,,tool,mpx_run" NONE_10 NONE_10 "\n"
	"fact,,,,,,version," UPC_VERSION_STRING NONE_10 NONE_10 "\n";

/* Empty the report file, which all processes append to, and write the header of CSV. */
static int begin_file(const char *path, bool csv)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ssize_t n = (ssize_t)sizeof(header) - 1;

	if (fd < 0 || (csv && write(fd, header, (size_t)n) != n)) {
		util_error("cannot write the report to '%.200s': %s; name another file", path,
			   strerror(errno));
		if (fd >= 0)
			close(fd);
		return UTIL_FAILED;
	}
	close(fd);
	return 0;
}

/* Make the report's path absolute, since the program may change its directory. */
static int make_path_absolute(const char *path, char full[PATH_MAX])
{
	size_t n = 0;

	if (path[0] != '/') {
		if (!getcwd(full, PATH_MAX)) {
			util_error("the working directory is not known: %s", strerror(errno));
			return UTIL_FAILED;
		}
		n = strlen(full);
		full[n++] = '/';
	}
	if (n + strlen(path) >= PATH_MAX) {
		util_error("the report's path is too long: '%s'", path);
		return UTIL_FAILED;
	}
	strcpy(full + n, path);
	return 0;
}

/* Begin the report that all processes share. If the path contains %p, each process has a separate file, which
 * it begins itself. */
static int begin_report(const char *path, bool csv)
{
	FILE *out = !path[0] ? stderr : stdout;

	if (path[0] && strcmp(path, "/dev/stdout") != 0)
		return strstr(path, "%p") ? util_output_check_place(path) : begin_file(path, csv);
	if (csv)
		fputs(header, out);
	return util_flush(out, "standard output") == 0 ? 0 : UTIL_FAILED;
}

static int prepare_report(const struct settings *settings)
{
	static const char *const forms[] = {[UTIL_TEXT] = "text", [UTIL_JSON] = "json", [UTIL_CSV] = "csv"};
	const char *form = forms[settings->format.format];
	bool csv = settings->format.format == UTIL_CSV;
	const char *report = settings->report ? settings->report : "";
	char full[PATH_MAX] = "", value[PATH_MAX + 8];
	int error = 0;

	if (!settings->report && !settings->format.given && !settings->by_place)
		return 0;
	if (report[0])
		error = make_path_absolute(report, full);
	if (!error)
		error = begin_report(full, csv);
	snprintf(value, sizeof(value), "%s:%s", form, full);
	if (!error)
		tell_library(SHIM_REPORT, value);
	return error;
}

int main(int argc, char **argv)
{
	static const struct util_preload between = {"mpx_run", "PAPI", "libpapi.so", NULL};
	const char *library = getenv(SHIM_LIBRARY);
	struct settings settings = {0};
	int error;

	util_begin("mpx_run");
	forget_all_variables();
	if (util_options_read(&usage, argc, argv, &settings, &settings.format, &error) != 0)
		return error;
	if (optind == argc) {
		util_error("no program is given: mpx_run [OPTION]... PROGRAM runs one");
		return UTIL_FAILED;
	}
	error = util_preload_check(argv[optind], &between);
	if (!error && settings.covariate)
		error = util_papi_check(
			&(struct util_papi_events){.program = argv[optind], .covariate = settings.covariate});
	if (!error)
		error = util_preload_add(library && library[0] ? library : MPX_RUN_LIBRARY_PATH, "mpx_run");
	if (!error)
		error = prepare_report(&settings);
	if (error)
		return error;
	if (settings.by_place)
		tell_library(SHIM_BY_PLACE, "1");
	if (settings.quiet)
		tell_library(SHIM_QUIET, "1");
	tell_library_number(SHIM_FIRST_PROCESS, (uint64_t)getpid());
	execvp(argv[optind], argv + optind);
	return util_cannot_run(argv[optind], errno);
}
