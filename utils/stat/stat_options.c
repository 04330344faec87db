/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_options.c - parses upc_stat's command line.
 */
#include "stat/stat_options.h"

#include <getopt.h>

#define MS 1000000u
#define INTERVAL_MIN (10ull * MS)
#define INTERVAL_MAX (86400000ull * MS)
#define REPEAT_MOST 100000
#define PID_MOST 0x3fffffff
#define CPU_MOST 0xffff

static int set_other(struct stat_options *o, enum upc_context_kind kind, const char *list)
{
	struct stat_places_plan *whom = &o->plan.whom;

	if (o->plan.other) {
		util_error("-p, -C, -G and -a say whom to count: choose one of them");
		return UTIL_FAILED;
	}
	o->plan.other = true;
	o->whom_text = list;
	whom->options.context = kind;
	if (kind == UPC_CONTEXT_PROCESS && number_list_parse(&whom->list, list, 1, PID_MOST, false) != 0)
		return util_wrong_value("-p", "numbers of processes, with commas between", list);
	if (kind == UPC_CONTEXT_CPU && number_list_parse(&whom->list, list, 0, CPU_MOST, true) != 0)
		return util_wrong_value("-C", "numbers of CPUs as in 0-3,5", list);
	return 0;
}

static int set_by(struct stat_options *o, enum stat_by by)
{
	if (o->plan.whom.by != STAT_BY_NONE && o->plan.whom.by != by) {
		util_error("-t, --per-process, --per-cpu, --per-core, --per-socket and --per-node exclude "
			   "each other");
		return UTIL_FAILED;
	}
	o->plan.whom.by = by;
	return 0;
}

static int set_choice(struct stat_options *o, enum stat_choice choice)
{
	if (o->choice != STAT_CHOICE_DEFAULT && o->choice != choice) {
		util_error("-d and --all exclude each other");
		return UTIL_FAILED;
	}
	o->choice = choice;
	return 0;
}

static int take_time(const char *option, int64_t *ns)
{
	uint64_t time = 0;

	if (util_parse_time(optarg, MS, &time) != 0 || time < INTERVAL_MIN || time > INTERVAL_MAX)
		return util_wrong_value(option, "10ms to 24h", optarg);
	*ns = (int64_t)time;
	return 0;
}

static int take_stat_option(void *own, int option)
{
	struct stat_options *o = own;
	long number = 0;

	switch (option) {
	case UTIL_OPTION_EVENTS:
		if (o->n_lists == sizeof(o->lists) / sizeof(o->lists[0])) {
			util_error("too many -e; one takes many events, with commas between");
			return UTIL_FAILED;
		}
		o->lists[o->n_lists++] = optarg;
		return 0;
	case UTIL_OPTION_DETAILED:
		return set_choice(o, STAT_CHOICE_DETAILED);
	case UTIL_OPTION_ALL:
		return set_choice(o, STAT_CHOICE_ALL);
	case UTIL_OPTION_THREADS:
		return set_by(o, STAT_BY_THREAD);
	case UTIL_OPTION_PROCESSES:
		return set_by(o, STAT_BY_PROCESS);
	case UTIL_OPTION_PER_CPU:
		return set_by(o, STAT_BY_CPU);
	case UTIL_OPTION_PER_CORE:
		return set_by(o, STAT_BY_CORE);
	case UTIL_OPTION_PER_SOCKET:
		return set_by(o, STAT_BY_SOCKET);
	case UTIL_OPTION_PER_NODE:
		return set_by(o, STAT_BY_NODE);
	case UTIL_OPTION_REPEAT:
		if (util_parse_number(optarg, 1, REPEAT_MOST, &number) != 0)
			return util_wrong_value("-r", "a number of runs", optarg);
		o->plan.repeat = (unsigned)number;
		return 0;
	case UTIL_OPTION_PID:
		return set_other(o, UPC_CONTEXT_PROCESS, optarg);
	case UTIL_OPTION_CPU:
		return set_other(o, UPC_CONTEXT_CPU, optarg);
	case UTIL_OPTION_CGROUP:
		return set_other(o, UPC_CONTEXT_CGROUP, optarg);
	case UTIL_OPTION_MACHINE:
		return set_other(o, UPC_CONTEXT_MACHINE, NULL);
	case UTIL_OPTION_INTERVAL:
		return take_time("--interval", &o->plan.interval);
	case UTIL_OPTION_DELAY:
		return take_time("--delay", &o->plan.delay);
	case UTIL_OPTION_TIMEOUT:
		return take_time("--timeout", &o->plan.timeout);
	case UTIL_OPTION_TOP:
		if (util_parse_number(optarg, 1, 1000000, &o->top) != 0)
			return util_wrong_value("--top", "a number of threads", optarg);
		return 0;
	}
	return UTIL_FAILED;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_STAT,
	.runs = true,
	.head = "usage: upc_stat [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		"       upc_stat [OPTION]... -p PIDS | -C CPUS | -G DIR | -a\n"
		"                [-- PROGRAM [ARGUMENT]...]\n"
		"       upc_stat [-f FORM] [-o FILE] --compare REPORT REPORT\n"
		"\n"
		"Runs PROGRAM and prints what was counted of it, on standard error; signals\n"
		"reach it.\n",
	.tail = "With --interval and --format=json it is one object a line; a number alone\n"
		"is milliseconds.\n"
		"\n"
		"The exit status is PROGRAM's; 125: upc_stat failed; 126: PROGRAM cannot be\n"
		"run; 127: it is not there.\n"
		"\n"
		"Examples:\n"
		"  upc_stat -- sort big.txt\n"
		"  upc_stat -e perf::PAGE-FAULTS,'tp::sched:*' -- make\n"
		"  upc_stat -r 10 --json -o before.json -- ./solver\n"
		"  upc_stat --compare before.json after.json\n"
		"  upc_stat -a --per-core -- make\n"
		"  upc_stat -t --top=4 -- ./threads\n"
		"  upc_stat -I 1s -f csv -o load.csv -a\n"
		"  upc_stat -G system.slice --timeout 10s\n"
		"  upc_stat --sim -e 'FPU_*' -- ./solver\n",
	.place = {UTIL_WORD(COMPARE, struct stat_options, before), UTIL_FLAG(SIM, struct stat_options, sim),
		  UTIL_FLAG(ZEROS, struct stat_options, zeros),
		  UTIL_WORD(OUTPUT, struct stat_options, output),
		  UTIL_WORD(WIRING, struct stat_options, wiring)},
	.take = take_stat_option,
};

static int check_stat_options(const struct stat_options *o)
{
	const struct stat_plan *plan = &o->plan;
	const enum stat_by by = plan->whom.by;
	const bool process = plan->other && plan->whom.options.context == UPC_CONTEXT_PROCESS;

	if (plan->command == NULL && !plan->other)
		util_error("nothing to count: give a PROGRAM to run, or -p, -C, -G or -a");
	else if (o->choice != STAT_CHOICE_DEFAULT && o->n_lists > 0)
		util_error("-e goes without -d and --all");
	else if (by == STAT_BY_THREAD && plan->other && (!process || plan->whom.list.n > 1))
		util_error(
			"-t counts the threads of a PROGRAM that upc_stat runs, or of one process with -p");
	else if (by == STAT_BY_THREAD && plan->delay > 0)
		util_error("-t follows threads from the start on, and goes without --delay");
	else if (by == STAT_BY_PROCESS && !process)
		util_error("--per-process is for -p");
	else if (by > STAT_BY_PROCESS && (!plan->other || process))
		util_error("--per-cpu, --per-core, --per-socket and --per-node are for -a and -C");
	else if (o->sim && (plan->other || plan->command == NULL))
		util_error("--sim is for a PROGRAM that upc_stat runs, without -p, -C, -G, -a");
	else if (o->sim && (plan->interval > 0 || plan->delay > 0 || plan->timeout > 0 || plan->repeat > 0 ||
			    o->top > 0 || o->wiring != NULL || o->choice != STAT_CHOICE_DEFAULT))
		util_error(
			"--sim goes without --interval, --delay, --timeout, --repeat, --top, --wiring, -d and "
			"--all");
	else if (plan->repeat > 0 && (plan->command == NULL || process))
		util_error("-r is for a PROGRAM that upc_stat runs, without -p");
	else if (plan->repeat > 0 && by != STAT_BY_NONE)
		util_error("-r goes without parts (-t, --per-core and the like)");
	else if (o->top > 0 && by != STAT_BY_THREAD)
		util_error("--top is for -t");
	else
		return 0;
	return UTIL_FAILED;
}

static int check_compare(const struct stat_options *o, int operands)
{
	const struct stat_plan *plan = &o->plan;

	if (plan->other || plan->interval > 0 || plan->delay > 0 || plan->timeout > 0 || plan->repeat > 0 ||
	    plan->whom.by != STAT_BY_NONE || o->n_lists > 0 || o->choice != STAT_CHOICE_DEFAULT || o->zeros ||
	    o->top > 0 || o->wiring != NULL || o->sim)
		util_error("--compare goes with -f and -o alone");
	else if (operands != 1)
		util_error("--compare takes two reports, and options come before it");
	else
		return 0;
	return UTIL_FAILED;
}

int stat_options_parse(struct stat_options *o, int argc, char **argv, int *status)
{
	*o = (struct stat_options){.plan.whom.options = UPC_OPTIONS_INIT(upc_unit_options)};
	if (util_options_read(&usage, argc, argv, o, &o->format, status) != 0)
		return -1;
	if (o->before != NULL) {
		o->after = argv[optind];
		*status = check_compare(o, argc - optind);
		return *status == 0 ? 0 : -1;
	}
	if (optind < argc)
		o->plan.command = argv + optind;
	*status = check_stat_options(o);
	return *status == 0 ? 0 : -1;
}
