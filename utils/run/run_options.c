/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_options.c - parses the command line of upc_run.
 */
#include "run/run_options.h"

#include <getopt.h>
#include <string.h>

#include "lib/options.h"

static void put_events(void)
{
	char name[RUN_EVENT_NAME_MAX];

	for (unsigned place = 0; place <= UPCS_CORES; place++)
		for (unsigned item = 0; item < UPCS_ITEMS; item++) {
			if (!upcs_is_produced(item))
				continue;
			run_event_name(place, item, name);
			printf(" %s", name);
		}
}

static const char *const forms[] = {
	[RUN_TEXT] = "text", [RUN_JSON] = "json",   [RUN_CSV] = "csv",
	[RUN_STAT] = "stat", [RUN_STAT + 1] = NULL,
};

static char head[1024];

static void write_head(void)
{
	FILE *out = fmemopen(head, sizeof(head), "w");
	char text[512 + UPCS_GUEST_LIST], guests[UPCS_GUEST_LIST];

	if (out == NULL)
		return;
	fputs("usage: upc_run [OPTION]... [--] PROGRAM [ARGUMENT]...\n\n", out);
	upcs_guest_list(guests, false, " or ");
	snprintf(text, sizeof(text),
		 "Runs PROGRAM, unchanged, on a simulated Blue Gene/P node of four cores and counts its "
		 "instructions by class, exactly. Programs are of %s, with threads and children; no hardware "
		 "counters are needed.",
		 guests);
	util_wrap(out, text, 0, 0, UTIL_WIDTH_DEFAULT);
	putc('\n', out);
	fclose(out);
}

static int take_region(struct run_options *o, const char *name)
{
	if (name[0] == '\0')
		return util_wrong_value("--region", "the name of a function", name);
	if (strlen(name) >= UPCS_WORD_MAX) {
		util_error(
			"'%.200s' is too long for a region: %u characters at most, a * stands for the rest",
			name, UPCS_WORD_MAX - 1);
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

/* Return the comma after the first name of a list, or NULL. Commas within <>, () and [] belong to C++
 * names. */
static char *options_first_end(char *names)
{
	unsigned depth = 0;

	for (; *names != '\0'; names++)
		if (strchr("<([{", *names) != NULL)
			depth++;
		else if (strchr(">)]}", *names) != NULL)
			depth -= depth > 0;
		else if (*names == ',' && depth == 0)
			return names;
	return NULL;
}

static int take_regions(struct run_options *o, char *names)
{
	char *end = options_first_end(names);
	int status = 0;

	for (; end != NULL && status == 0; end = options_first_end(names)) {
		*end = '\0';
		status = take_region(o, names);
		names = end + 1;
	}
	return status == 0 ? take_region(o, names) : status;
}

/* Find a word in a list. *place is its index. */
static int take_listed_word(const char *option, const char *const words[], const char *text, unsigned *place)
{
	int found = util_option_word(option, words, text);

	if (found < 0)
		return RUN_ERROR;
	*place = (unsigned)found;
	return 0;
}

static int take_unit_cores(struct run_options *o, const char *text)
{
	if (strcmp(text, "0-1") != 0 && strcmp(text, "2-3") != 0)
		return util_wrong_value("--unit-cores", "0-1 or 2-3", text);
	o->unit_cores = text[0] == '0' ? RUN_UNIT_PU01 : RUN_UNIT_PU23;
	o->unit_cores_given = true;
	return 0;
}

static int take_path(const char *option, const char **path, const char *text)
{
	if (text[0] == '\0' || strlen(text) >= PATH_MAX)
		return util_wrong_value(option, "a path", text);
	*path = text;
	return 0;
}

#define FUNCTION_ROWS 20

static int take_functions_option(struct run_options *o, const char *rows)
{
	long n = FUNCTION_ROWS;

	if (rows != NULL && util_parse_number(rows, 1, UPCS_FUNCTIONS_MAX, &n) != 0)
		return util_wrong_value("--functions", "a number of rows", rows);
	o->functions = true;
	o->function_rows = (unsigned)n;
	return 0;
}

static int take_run_option(void *own, int option)
{
	static const char *const children[] = {
		[UPCS_CHILDREN_COUNT] = "count", [UPCS_CHILDREN_OFF] = "off", NULL};
	static const char *const papi[] = {"auto", "always", "own", NULL};
	struct run_options *o = own;

	switch (option) {
	case UTIL_OPTION_REGION:
		return take_regions(o, optarg);
	case UTIL_OPTION_CHILDREN:
		return take_listed_word("--children", children, optarg, &o->children);
	case UTIL_OPTION_PAPI:
		return take_listed_word("--papi", papi, optarg, &o->papi);
	case UTIL_OPTION_EVENTS:
		return run_events_parse(&o->events, optarg) == 0 ? 0 : RUN_ERROR;
	case UTIL_OPTION_FUNCTIONS:
		return take_functions_option(o, optarg);
	case UTIL_OPTION_OUTPUT:
		return take_path("--output", &o->output, optarg);
	case UTIL_OPTION_PROGRESS:
		o->progress = RUN_PROGRESS_ON;
		return 0;
	case UTIL_OPTION_NO_PROGRESS:
		o->progress = RUN_PROGRESS_OFF;
		return 0;
	case UTIL_OPTION_QEMU:
		return take_path("--qemu", &o->qemu, optarg);
	case UTIL_OPTION_PREFIX:
		return take_path("--prefix", &o->prefix, optarg);
	case UTIL_OPTION_PLUGIN:
		return take_path("--plugin", &o->plugin, optarg);
	case UTIL_OPTION_UNIT:
		o->unit = optarg;
		return run_unit_check(optarg) == 0 ? 0 : RUN_ERROR;
	case UTIL_OPTION_UNIT_CORES:
		return take_unit_cores(o, optarg);
	default:
		return UTIL_FAILED;
	}
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_RUN,
	.runs = true,
	.forms = forms,
	.put_events = put_events,
	.head = head,
	.tail = "The exit status is PROGRAM's; 125: upc_run failed; 126: PROGRAM cannot be run;\n"
		"127: it is not there.\n"
		"\n"
		"Examples:\n"
		"  upc_run ./solver                     all classes, core by core\n"
		"  upc_run -R solve -- ./solver -n 100  without the set-up\n"
		"  upc_run -e 'FPU_*,FP_OPS' -f csv -o flops.csv ./solver\n"
		"  upc_run --per-process sh -c './prepare && ./solver'\n"
		"  upc_run --unit=node ./solver         upc_top node shows it\n",
	.place = {UTIL_FLAG(LATE, struct run_options, late),
		  UTIL_FLAG(ACCOUNTS, struct run_options, accounts),
		  UTIL_FLAG(THREADS, struct run_options, per_thread),
		  UTIL_FLAG(PROCESSES, struct run_options, per_process),
		  UTIL_FLAG(ZEROS, struct run_options, zeros),
		  UTIL_FLAG(RANDOMISE, struct run_options, randomise)},
	.take = take_run_option,
};

int run_options_parse(struct run_options *o, int argc, char **argv, int *status)
{
	struct util_format_choice form = {.format = RUN_TEXT};

	*o = (struct run_options){.form = RUN_TEXT};
	run_events_all(&o->events);
	write_head();
	if (util_options_read(&usage, argc, argv, o, &form, status) != 0)
		return -1;
	o->form = form.format;
	if (optind == argc) {
		util_error("no program is given: upc_run [OPTION]... PROGRAM runs one");
		*status = UTIL_FAILED;
		return -1;
	}
	if (o->form == RUN_STAT && o->regions > 0) {
		util_error("the table of upc_stat has no columns for regions: --format=text has");
		*status = UTIL_FAILED;
		return -1;
	}
	if (o->unit_cores_given && o->unit == NULL) {
		util_error("--unit-cores says what a unit counts: --unit=NAME shows one");
		*status = UTIL_FAILED;
		return -1;
	}
	o->command = argv + optind;
	return 0;
}
