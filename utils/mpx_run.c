/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_run.c - runs a program that counts with PAPI, with its event sets multiplexed.
 *
 * It becomes the program, with a library preloaded that stands in for PAPI's calls; what
 * it was asked for reaches that library by environment variables (src/mpx/shim_exec.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "mpx_program.h"
#include "shim_exec.h"

/* As env(1) and timeout(1): what is above is the program's or execvp's. */
enum { OWN_ERROR = 125 };

static const char usage[] =
	"Usage: mpx_run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs PROGRAM, which counts events with PAPI, with its event sets multiplexed:\n"
	"any number of events in a set, of any components, and any number of sets at once\n"
	"in a thread. PROGRAM is not changed; it uses libpapi.so.\n"
	"\n"
	"  -s, --slice=TIME         length of a time slice in CPU time, 100us to 10s [10ms]\n"
	"  -t, --timer=KIND         what ends a slice: auto, task-clock, thread, virtual\n"
	"  -c, --clock=KIND         in what slices are measured: auto, cycles, unit, cpu, user\n"
	"  -e, --estimator=KIND     auto, ratio, interpolated, covariate\n"
	"      --covariate=EVENT    an event that is counted beside every group\n"
	"  -g, --group-max=N        at most N events in a slice [what fits]\n"
	"      --seed=N             of the order in which groups take turns [any]\n"
	"  -r, --report[=FILE]      at the end, what each event set counted and how sure that\n"
	"                           is, to FILE or standard error; %p in FILE is the process\n"
	"      --json, --csv        the report in that form\n"
	"  -q, --quiet              nothing but the report, and errors\n"
	"  -h, --help               this text\n"
	"  -V, --version            the release\n"
	"\n"
	"What could not be counted in any slice is -1 to the program.\n"
	"The exit status is PROGRAM's; 125: mpx_run failed; 126: PROGRAM cannot be run;\n"
	"127: it is not there.\n"
	"\n"
	"Examples:\n"
	"  mpx_run ./solver                   as without it, with more events than counters\n"
	"  mpx_run -r -s 1ms -- ./solver -n 8 with a table of estimates and their errors\n"
	"  mpx_run -r=est.%p.json --json -- mpirun -n 4 ./solver\n"
	"                                     a file for each process\n";

struct settings {
	const char *report; /* NULL: none; empty: standard error */
	const char *form;
	bool quiet;
};

/* Sets a variable for the preloaded library; they are all taken away before. */
static void tell(const char *name, const char *value)
{
	if (setenv(name, value, 1) == 0)
		return;
	util_error("cannot pass on %s: %s", name, strerror(errno));
	exit(OWN_ERROR);
}

static void tell_number(const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	tell(name, text);
}

static void forget_all(void)
{
	static const char *const names[] = {SHIM_SLICE,	    SHIM_TIMER,	    SHIM_CLOCK, SHIM_ESTIMATOR,
					    SHIM_COVARIATE, SHIM_GROUP_MAX, SHIM_SEED,	SHIM_QUIET,
					    SHIM_REPORT,    SHIM_FIRST_PROCESS};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static int usage_error(const char *option, const char *what, const char *text)
{
	util_wrong_value(option, what, text);
	return OWN_ERROR;
}

/* "250us", "2.5ms", "1s"; in the C locale, which this program never leaves. */
static int take_slice(const char *text)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	size_t digits = strspn(text, "0123456789."), i;
	char *end = NULL;
	double value = digits && digits < 20 ? strtod(text, &end) : 0;

	for (i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (end == text + digits && !strcmp(end, unit[i].name) &&
		    value * unit[i].ns >= 1e5 && value * unit[i].ns <= 1e10) {
			tell_number(SHIM_SLICE, (uint64_t)(value * unit[i].ns + 0.5));
			return 0;
		}
	return usage_error("--slice", "a time from 100us to 10s, such as 250us, 2.5ms or 1s", text);
}

/* A word of a list, whose place in it is the number of mpx.h's enumeration. */
static int take_word(const char *option, const char *variable, const char *const words[],
		     const char *what, const char *text)
{
	unsigned i;

	for (i = 0; words[i]; i++)
		if (!strcmp(words[i], text)) {
			tell_number(variable, i);
			return 0;
		}
	return usage_error(option, what, text);
}

static int take_number(const char *option, const char *variable, const char *what, const char *text)
{
	long value;

	if (util_parse_number(text, 1, INT_MAX, &value) != 0)
		return usage_error(option, what, text);
	tell_number(variable, (uint64_t)value);
	return 0;
}

enum { COVARIATE = 256, SEED, JSON, CSV };

static const struct option options[] = {
	{ "slice", required_argument, NULL, 's' },
	{ "timer", required_argument, NULL, 't' },
	{ "clock", required_argument, NULL, 'c' },
	{ "estimator", required_argument, NULL, 'e' },
	{ "covariate", required_argument, NULL, COVARIATE },
	{ "group-max", required_argument, NULL, 'g' },
	{ "seed", required_argument, NULL, SEED },
	{ "report", optional_argument, NULL, 'r' },
	{ "json", no_argument, NULL, JSON },
	{ "csv", no_argument, NULL, CSV },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int take_form(struct settings *settings, const char *form)
{
	if (settings->form && strcmp(settings->form, form) != 0) {
		util_error("--json and --csv exclude each other");
		util_try_help();
		return OWN_ERROR;
	}
	settings->form = form;
	return 0;
}

static int take(struct settings *settings, int option)
{
	static const char *const timers[] = {"auto", "task-clock", "thread", "virtual", NULL};
	static const char *const clocks[] = {"auto", "cycles", "unit", "cpu", "user", NULL};
	static const char *const estimators[] = {"auto", "ratio", "interpolated", "covariate", NULL};

	switch (option) {
	case 's':
		return take_slice(optarg);
	case 't':
		return take_word("--timer", SHIM_TIMER, timers, "auto, task-clock, thread or virtual",
				 optarg);
	case 'c':
		return take_word("--clock", SHIM_CLOCK, clocks, "auto, cycles, unit, cpu or user", optarg);
	case 'e':
		return take_word("--estimator", SHIM_ESTIMATOR, estimators,
				 "auto, ratio, interpolated or covariate", optarg);
	case 'g':
		return take_number("--group-max", SHIM_GROUP_MAX, "a number from 1", optarg);
	case SEED:
		return take_number("--seed", SHIM_SEED, "a number from 1", optarg);
	case COVARIATE:
		if (!optarg[0])
			return usage_error("--covariate", "the name of an event", optarg);
		tell(SHIM_COVARIATE, optarg);
		return 0;
	case 'r':
		/* -r=FILE is taken as --report=FILE is. */
		settings->report = !optarg ? "" : optarg[0] == '=' ? optarg + 1 : optarg;
		return 0;
	case JSON:
		return take_form(settings, "json");
	case CSV:
		return take_form(settings, "csv");
	case 'q':
		settings->quiet = true;
		return 0;
	default:
		util_try_help();
		return OWN_ERROR;
	}
}

/* ---- the report's place ---------------------------------------------------------------- */

static const char header[] = "process,thread,set,starts,event,value,estimate,low,high,coverage,"
			     "slices,exact,never,rough,running\n";

/* A file for all processes is emptied once, here. */
static int begin_file(const char *path, bool csv)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ssize_t n = (ssize_t)sizeof(header) - 1;

	if (fd < 0 || (csv && write(fd, header, (size_t)n) != n)) {
		util_error("cannot write the report to '%s': %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return OWN_ERROR;
	}
	close(fd);
	return 0;
}

/* The program may change its directory. */
static int absolute(const char *path, char full[PATH_MAX])
{
	size_t n = 0;

	if (path[0] != '/') {
		if (!getcwd(full, PATH_MAX)) {
			util_error("the working directory is not known: %s", strerror(errno));
			return OWN_ERROR;
		}
		n = strlen(full);
		full[n++] = '/';
	}
	if (n + strlen(path) >= PATH_MAX) {
		util_error("the report's path is too long: '%s'", path);
		return OWN_ERROR;
	}
	strcpy(full + n, path);
	return 0;
}

static int prepare_report(const struct settings *settings)
{
	const char *form = settings->form ? settings->form : "text";
	bool csv = !strcmp(form, "csv");
	char full[PATH_MAX] = "", value[PATH_MAX + 8];
	int error = 0;

	if (!settings->report) {
		if (settings->form) {
			util_error("--%s is a form of the report: it wants --report", settings->form);
			util_try_help();
			return OWN_ERROR;
		}
		return 0;
	}
	if (settings->report[0])
		error = absolute(settings->report, full);
	if (!error && full[0] && !strstr(full, "%p"))
		error = begin_file(full, csv);
	snprintf(value, sizeof(value), "%s:%s", form, full);
	if (!error)
		tell(SHIM_REPORT, value);
	return error;
}

/* ---- preload ------------------------------------------------------------------------------ */

static bool is_in_list(const char *list, const char *path)
{
	size_t n = strlen(path);

	for (; *list; list += strspn(list, ": ")) {
		size_t length = strcspn(list, ": ");

		if (length == n && !strncmp(list, path, n))
			return true;
		list += length;
	}
	return false;
}

static int preload(void)
{
	const char *path = getenv(SHIM_LIBRARY), *before = getenv("LD_PRELOAD");
	char *list;

	if (!path || !path[0])
		path = MPX_RUN_LIBRARY_PATH;
	if (access(path, R_OK) != 0) {
		util_error("cannot read mpx_run's own library '%s': %s", path, strerror(errno));
		return OWN_ERROR;
	}
	if (strpbrk(path, ": ")) {
		util_error("the dynamic linker cannot preload '%s': there is a blank or a colon in it",
			   path);
		return OWN_ERROR;
	}
	if (!before || !before[0]) {
		tell("LD_PRELOAD", path);
		return 0;
	}
	if (is_in_list(before, path))
		return 0;
	/* Behind those that are there: a sanitizer's runtime has to be the first. */
	list = malloc(strlen(before) + strlen(path) + 2);
	if (!list) {
		util_error("out of memory");
		return OWN_ERROR;
	}
	sprintf(list, "%s:%s", before, path);
	tell("LD_PRELOAD", list);
	free(list);
	return 0;
}

int main(int argc, char **argv)
{
	struct settings settings = {0};
	int option, error;

	util_begin("mpx_run");
	forget_all();
	while ((option = getopt_long(argc, argv, "+s:t:c:e:g:r::qhV", options, NULL)) != -1) {
		if (option == 'h')
			return util_print_help(usage) == UTIL_OK ? 0 : OWN_ERROR;
		if (option == 'V')
			return util_print_version() == UTIL_OK ? 0 : OWN_ERROR;
		error = take(&settings, option);
		if (error)
			return error;
	}
	if (optind == argc) {
		util_error("which program is to be run?");
		util_try_help();
		return OWN_ERROR;
	}
	error = mpx_program_check(argv[optind]);
	if (!error)
		error = prepare_report(&settings);
	if (!error)
		error = preload();
	if (error)
		return error;
	if (settings.quiet)
		tell(SHIM_QUIET, "1");
	tell_number(SHIM_FIRST_PROCESS, (uint64_t)getpid());
	execvp(argv[optind], argv + optind);
	error = errno;
	util_error("cannot run '%s': %s", argv[optind], strerror(error));
	return error == ENOENT ? UTIL_NOT_FOUND : UTIL_CANNOT_RUN;
}
