/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_options.c - what upc_run was asked for.
 */
#include "run_options.h"

#include <getopt.h>
#include <string.h>

#include "common.h"

static const char usage[] =
	"Usage: upc_run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs PROGRAM, unchanged, on a simulated Blue Gene/P node of four cores and\n"
	"counts its instructions by class, exactly. Programs are of x86-64, AArch64 or\n"
	"32-bit PowerPC, with threads and children; no hardware counters are needed.\n"
	"\n"
	"What to count:\n"
	"  -R, --region=SYMBOL   also what this function does, and all that it calls; a\n"
	"                        column each, up to 15\n"
	"      --late            SYMBOL may be in a program or library loaded later\n"
	"      --children=HOW    what PROGRAM forks and executes: count, or off [count]\n"
	"      --unit=NAME       show the node's counters while it runs, to upc_top NAME\n"
	"      --unit-cores=PAIR the two cores that they count: 0-1 or 2-3 [0-1]\n"
	"\n"
	"How to show it:\n"
	"  -e, --events=LIST     these only: PU0_FPU_FMA_2 is core 0's, FPU_FMA_2 the\n"
	"                        sum of all cores; globs are expanded\n"
	"  -r, --report=FORM     text, json, csv, or stat, the table of upc_stat [text]\n"
	"  -t, --per-thread      each thread by itself, too\n"
	"  -p, --per-process     each process by itself, too\n"
	"  -z, --zeros           events that were not seen as rows, too\n"
	"  -o, --output=FILE     to FILE, not to standard error ('-': standard output)\n"
	"      --progress        say how far it is each half second, after one; without\n"
	"                        it only on a terminal that PROGRAM does not write to\n"
	"      --no-progress     do not\n"
	"\n"
	"How to run it:\n"
	"      --papi=HOW        who gets the PAPI with presets: programs that need PAPI\n"
	"                        (auto), all (always), or none (own) [auto]\n"
	"      --randomise       addresses differ from run to run\n"
	"      --qemu=FILE       the emulator of PROGRAM's machine [from PATH]\n"
	"      --prefix=DIR      where the libraries of that machine are\n"
	"      --plugin=FILE     the simulator itself\n"
	"  -h, --help            this text\n"
	"  -V, --version         the release\n"
	"\n"
	"The exit status is PROGRAM's; 125: upc_run failed; 126: PROGRAM cannot be run;\n"
	"127: it is not there.\n"
	"\n"
	"Examples:\n"
	"  upc_run ./solver                     all classes, core by core\n"
	"  upc_run -R solve -- ./solver -n 100  without the set-up\n"
	"  upc_run -e 'FPU_*,FP_OPS' -r csv -o flops.csv ./solver\n"
	"  upc_run --per-process sh -c './prepare && ./solver'\n"
	"  upc_run --unit=node ./solver         upc_top node shows it\n";

enum { LATE = 256, CHILDREN, PAPI, PROGRESS, NO_PROGRESS, RANDOMISE, QEMU, PREFIX, PLUGIN, UNIT, UNIT_CORES };

static const struct option long_options[] = {
	{ "region", required_argument, NULL, 'R' },
	{ "late", no_argument, NULL, LATE },
	{ "children", required_argument, NULL, CHILDREN },
	{ "papi", required_argument, NULL, PAPI },
	{ "events", required_argument, NULL, 'e' },
	{ "report", required_argument, NULL, 'r' },
	{ "per-thread", no_argument, NULL, 't' },
	{ "per-process", no_argument, NULL, 'p' },
	{ "zeros", no_argument, NULL, 'z' },
	{ "output", required_argument, NULL, 'o' },
	{ "progress", no_argument, NULL, PROGRESS },
	{ "no-progress", no_argument, NULL, NO_PROGRESS },
	{ "randomise", no_argument, NULL, RANDOMISE },
	{ "qemu", required_argument, NULL, QEMU },
	{ "prefix", required_argument, NULL, PREFIX },
	{ "plugin", required_argument, NULL, PLUGIN },
	{ "unit", required_argument, NULL, UNIT },
	{ "unit-cores", required_argument, NULL, UNIT_CORES },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int wrong(const char *option, const char *what, const char *text)
{
	util_wrong_value(option, what, text);
	return RUN_ERROR;
}

static int try_help(void)
{
	util_try_help();
	return RUN_ERROR;
}

static int take_region(struct run_options *o, const char *name)
{
	if (name[0] == '\0')
		return wrong("--region", "the name of a function", name);
	if (strlen(name) >= UPCS_WORD_MAX) {
		util_error("'%s' is too long for a region: %u characters at most, a * stands for the rest", name,
			   UPCS_WORD_MAX - 1);
		return RUN_ERROR;
	}
	if (o->regions == UPCS_REGIONS_MAX) {
		util_error("at most %u regions can be counted in a run", UPCS_REGIONS_MAX);
		return RUN_ERROR;
	}
	for (unsigned r = 0; r < o->regions; r++)
		if (strcmp(o->region[r], name) == 0) {
			util_error("region '%s' is asked for twice", name);
			return RUN_ERROR;
		}
	o->region[o->regions++] = name;
	return 0;
}

static int take_form(struct run_options *o, const char *text)
{
	static const char *const forms[] = {"text", "json", "csv", "stat"};

	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(text, forms[i]) == 0) {
			o->form = (enum run_form)i;
			return 0;
		}
	return wrong("--report", "text, json, csv or stat", text);
}

static int take_children(struct run_options *o, const char *text)
{
	if (strcmp(text, "count") == 0)
		o->children = UPCS_CHILDREN_COUNT;
	else if (strcmp(text, "off") == 0)
		o->children = UPCS_CHILDREN_OFF;
	else
		return wrong("--children", "count or off", text);
	return 0;
}

static int take_papi(struct run_options *o, const char *text)
{
	if (strcmp(text, "auto") == 0)
		o->papi = RUN_PAPI_AUTO;
	else if (strcmp(text, "always") == 0)
		o->papi = RUN_PAPI_ALWAYS;
	else if (strcmp(text, "own") == 0)
		o->papi = RUN_PAPI_OWN;
	else
		return wrong("--papi", "auto, always or own", text);
	return 0;
}

static int take_unit_cores(struct run_options *o, const char *text)
{
	if (strcmp(text, "0-1") != 0 && strcmp(text, "2-3") != 0)
		return wrong("--unit-cores", "0-1 or 2-3", text);
	o->unit_cores = text[0] == '0' ? RUN_UNIT_PU01 : RUN_UNIT_PU23;
	o->unit_cores_given = true;
	return 0;
}

static int take_path(const char *option, const char **path, const char *text)
{
	if (text[0] == '\0' || strlen(text) >= PATH_MAX)
		return wrong(option, "a path", text);
	*path = text;
	return 0;
}

static int take(struct run_options *o, int option)
{
	switch (option) {
	case 'R':
		return take_region(o, optarg);
	case LATE:
		o->late = true;
		return 0;
	case CHILDREN:
		return take_children(o, optarg);
	case PAPI:
		return take_papi(o, optarg);
	case 'e':
		return run_events_parse(&o->events, optarg) == 0 ? 0 : RUN_ERROR;
	case 'r':
		return take_form(o, optarg);
	case 't':
		o->per_thread = true;
		return 0;
	case 'p':
		o->per_process = true;
		return 0;
	case 'z':
		o->zeros = true;
		return 0;
	case 'o':
		return take_path("--output", &o->output, optarg);
	case PROGRESS:
		o->progress = RUN_PROGRESS_ON;
		return 0;
	case NO_PROGRESS:
		o->progress = RUN_PROGRESS_OFF;
		return 0;
	case RANDOMISE:
		o->randomise = true;
		return 0;
	case QEMU:
		return take_path("--qemu", &o->qemu, optarg);
	case PREFIX:
		return take_path("--prefix", &o->prefix, optarg);
	case PLUGIN:
		return take_path("--plugin", &o->plugin, optarg);
	case UNIT:
		o->unit = optarg;
		return run_unit_check(optarg) == 0 ? 0 : RUN_ERROR;
	case UNIT_CORES:
		return take_unit_cores(o, optarg);
	default:
		return try_help();
	}
}

int run_options_parse(struct run_options *o, int argc, char **argv, int *status)
{
	int option;

	*o = (struct run_options){ .form = RUN_TEXT };
	run_events_all(&o->events);
	/* '+': what follows PROGRAM is the program's. */
	while ((option = getopt_long(argc, argv, "+R:e:r:tpzo:hV", long_options, NULL)) != -1) {
		if (option == 'h' || option == 'V') {
			*status = option == 'h' ? util_print_help(usage) : util_print_version();
			*status = *status == UTIL_OK ? 0 : RUN_ERROR;
			return -1;
		}
		*status = take(o, option);
		if (*status != 0)
			return -1;
	}
	if (optind == argc) {
		util_error("which program is to be run?");
		*status = try_help();
		return -1;
	}
	if (o->form == RUN_STAT && o->regions > 0) {
		util_error("the table of upc_stat has no columns for regions: --report=text has");
		*status = try_help();
		return -1;
	}
	if (o->unit_cores_given && o->unit == NULL) {
		util_error("--unit-cores says what a unit counts: --unit=NAME shows one");
		*status = try_help();
		return -1;
	}
	o->command = argv + optind;
	return 0;
}
