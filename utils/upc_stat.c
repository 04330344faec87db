/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_stat.c - runs a program, or watches what runs already, and prints what
 * the unit has counted of it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "options.h"
#include "stat_events.h"
#include "stat_report.h"
#include "stat_run.h"
#include "stat_threads.h"

#define MS 1000000u
#define INTERVAL_MIN (10ull * MS)
#define INTERVAL_MAX (86400000ull * MS)

struct options {
	struct upc_unit_options unit; /* whom to count, where it is not the program */
	bool other;                   /* ... which it is not                       */
	const char *lists[64];        /* of -e, each                               */
	unsigned n_lists;
	enum stat_choice choice; /* without lists */
	bool by_thread, zeros;
	struct util_format_choice format;
	uint64_t interval; /* ns; 0: none */
	long top;
	const char *output, *wiring;
	bool sim;
	char **command; /* NULL: none */
};

/* A measurement. */
struct session {
	const struct options *options;
	struct stat_events events;
	struct stat_run run;
	struct stat_report report;
	struct upc_unit *own, *shared; /* shared: beside threads only */
	bool tracing;
	struct stat_threads threads;
	uint64_t *totals, *before, *deltas;
	unsigned *flags;
	int64_t start, last;
};

static const struct util_usage usage = {
	.tool = UTIL_TOOL_STAT,
	.runs = true,
	.head = "usage: upc_stat [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		"       upc_stat [OPTION]... -p PID | -C CPU | -a [-- PROGRAM [ARGUMENT]...]\n"
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
		"  upc_stat -t --top=4 -- ./threads\n"
		"  upc_stat -I 1s -f csv -o load.csv -a\n"
		"  upc_stat --sim -e 'FPU_*' -- ./solver\n",
};

/* ---- options ----------------------------------------------------------- */

static int set_other(struct options *o, enum upc_context_kind kind, long number)
{
	if (o->other) {
		util_error("-p, -C and -a say whom to count: choose one of them");
		return util_try_help();
	}
	o->other = true;
	o->unit.context = kind;
	if (kind == UPC_CONTEXT_PROCESS)
		o->unit.pid = (pid_t)number;
	else
		o->unit.cpu = (int)number;
	return 0;
}

static int set_choice(struct options *o, enum stat_choice choice)
{
	if (o->choice != STAT_CHOICE_DEFAULT && o->choice != choice) {
		util_error("-d and --all exclude each other");
		return util_try_help();
	}
	o->choice = choice;
	return 0;
}

/* One option: 0, or -1 when the tool is done with *status. */
static int set_option(struct options *o, int option, int *status)
{
	long number = 0;

	*status = 0;
	switch (option) {
	case UTIL_OPTION_EVENTS:
		if (o->n_lists == sizeof(o->lists) / sizeof(o->lists[0])) {
			util_error("too many -e; one takes many events, with commas between");
			*status = util_try_help();
			return -1;
		}
		o->lists[o->n_lists++] = optarg;
		break;
	case UTIL_OPTION_DETAILED:
		*status = set_choice(o, STAT_CHOICE_DETAILED);
		break;
	case UTIL_OPTION_ALL:
		*status = set_choice(o, STAT_CHOICE_ALL);
		break;
	case UTIL_OPTION_THREADS:
		o->by_thread = true;
		break;
	case UTIL_OPTION_PID:
		*status = util_parse_number(optarg, 1, 0x3fffffff, &number) != 0 ?
			  util_wrong_value("-p", "the number of a process", optarg) :
			  set_other(o, UPC_CONTEXT_PROCESS, number);
		break;
	case UTIL_OPTION_CPU:
		*status = util_parse_number(optarg, 0, 0xffff, &number) != 0 ?
			  util_wrong_value("-C", "the number of a CPU", optarg) :
			  set_other(o, UPC_CONTEXT_CPU, number);
		break;
	case UTIL_OPTION_MACHINE:
		*status = set_other(o, UPC_CONTEXT_MACHINE, 0);
		break;
	case UTIL_OPTION_SIM:
		o->sim = true;
		break;
	case UTIL_OPTION_INTERVAL:
		if (util_parse_time(optarg, MS, &o->interval) != 0 || o->interval < INTERVAL_MIN ||
		    o->interval > INTERVAL_MAX)
			*status = util_wrong_value("--interval", "10ms to 24h", optarg);
		break;
	case UTIL_OPTION_FORMAT:
	case UTIL_OPTION_JSON:
	case UTIL_OPTION_CSV:
		*status = util_options_format(option, &o->format) == 0 ? 0 : UTIL_FAILED;
		break;
	case UTIL_OPTION_ZEROS:
		o->zeros = true;
		break;
	case UTIL_OPTION_TOP:
		if (util_parse_number(optarg, 1, 1000000, &o->top) != 0)
			*status = util_wrong_value("--top", "a number of threads", optarg);
		break;
	case UTIL_OPTION_OUTPUT:
		o->output = optarg;
		break;
	case UTIL_OPTION_WIRING:
		o->wiring = optarg;
		break;
	}
	return *status == 0 ? 0 : -1;
}

static int check_options(const struct options *o)
{
	if (o->command == NULL && !o->other)
		util_error("nothing to count: give a PROGRAM to run, or -p, -C or -a");
	else if (o->choice != STAT_CHOICE_DEFAULT && o->n_lists > 0)
		util_error("-e goes without -d and --all");
	else if (o->by_thread && (o->other || o->command == NULL))
		util_error("-t counts the threads of a PROGRAM that upc_stat runs, without -p, -C, -a");
	else if (o->sim && (o->other || o->command == NULL))
		util_error("--sim is for a PROGRAM that upc_stat runs, without -p, -C, -a");
	else if (o->sim && (o->interval > 0 || o->top > 0 || o->wiring != NULL ||
			    o->choice != STAT_CHOICE_DEFAULT))
		util_error("--sim goes without --interval, --top, --wiring, -d and --all");
	else if (o->top > 0 && !o->by_thread)
		util_error("--top is for -t");
	else
		return 0;
	return util_try_help();
}

static int parse_options(struct options *o, int argc, char **argv, int *status)
{
	int option;

	*o = (struct options){ .unit = UPC_OPTIONS_INIT(upc_unit_options) };
	while ((option = util_options_next(&usage, argc, argv, status)) != UTIL_OPTION_NONE)
		if (option == UTIL_OPTION_DONE || set_option(o, option, status) != 0)
			return -1;
	if (optind < argc)
		o->command = argv + optind;
	*status = check_options(o);
	return *status == 0 ? 0 : -1;
}

/* ---- a simulated node ---------------------------------------------------- */

/* upc_run does it all, and has a report in this tool's form. Comes back only when it
 * cannot be had. */
static int simulate(const struct options *o)
{
	static const char *const forms[] = { "stat", "json", "csv" };
	const char *run = getenv("UPC_RUN");
	size_t words = 0, n = 0;
	const char **argv;

	if (run == NULL || run[0] == '\0')
		run = UPC_RUN_PATH;
	while (o->command[words] != NULL)
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
	if (o->by_thread)
		argv[n++] = "--per-thread";
	if (o->zeros)
		argv[n++] = "--zeros";
	if (o->output != NULL) {
		argv[n++] = "--output";
		argv[n++] = o->output;
	}
	argv[n++] = "--";
	memcpy(&argv[n], o->command, words * sizeof(*argv));
	execv(run, (char *const *)argv);
	util_error("cannot run '%s', which simulates: %s", run, strerror(errno));
	free(argv);
	return UTIL_FAILED;
}

/* ---- setting up -------------------------------------------------------- */

static int choose_events(struct session *s)
{
	const struct options *o = s->options;

	if (o->n_lists == 0)
		return stat_events_choose(&s->events, o->choice) == 0 ? 0 : UTIL_FAILED;
	for (unsigned i = 0; i < o->n_lists; i++)
		if (stat_events_parse(&s->events, o->lists[i]) != 0)
			return UTIL_FAILED;
	return 0;
}

static int open_output(struct session *s)
{
	const char *path = s->options->output;

	s->report.out = s->options->command != NULL ? stderr : stdout;
	if (path == NULL)
		return 0;
	s->report.out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
	if (s->report.out != NULL)
		return 0;
	util_error("cannot write '%s': %s", path, strerror(errno));
	return UTIL_FAILED;
}

static int create_unit(const struct upc_unit_options *options, struct session *s, struct upc_unit **unit)
{
	if (upc_unit_create(s->events.catalogue, options, unit) == 0)
		return 0;
	util_error("%s", upc_last_message());
	return UTIL_FAILED;
}

static int create_units(struct session *s)
{
	struct upc_unit_options options = s->options->unit;
	int status;

	if (!s->options->other) {
		options.context = UPC_CONTEXT_THREAD;
		options.pid = s->run.pid;
		options.enable_on_exec = 1;
	}
	/* Children belong to what is counted, as with perf stat. */
	options.inherit = options.context != UPC_CONTEXT_CPU && options.context != UPC_CONTEXT_MACHINE;
	if (!s->options->by_thread)
		return create_unit(&options, s, &s->own);
	if (stat_threads_begin(&s->threads, &s->events, s->run.pid, &s->own) != 0)
		return UTIL_FAILED;
	s->tracing = s->run.tracing = true;
	options.inherit = 0;
	status = create_unit(&options, s, &s->shared);
	return status;
}

static int add_events(struct session *s)
{
	int added = stat_events_add(&s->events, s->own, s->shared);
	size_t n = s->events.n + 1;

	stat_events_report(&s->events);
	if (added == 0) {
		util_error("no event is left to count");
		return UTIL_FAILED;
	}
	s->totals = calloc(n, sizeof(*s->totals));
	s->before = calloc(n, sizeof(*s->before));
	s->deltas = calloc(n, sizeof(*s->deltas));
	s->flags = calloc(n, sizeof(*s->flags));
	if (added < 0 || s->totals == NULL || s->before == NULL || s->deltas == NULL || s->flags == NULL) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	return 0;
}

static int start_units(struct session *s)
{
	if (upc_unit_start(s->own) != 0 || (s->shared != NULL && upc_unit_start(s->shared) != 0)) {
		util_error("cannot start counting: %s", upc_last_message());
		return UTIL_FAILED;
	}
	if (s->tracing) {
		struct upc_unit *first = s->own;

		s->own = NULL; /* it is the first thread's from here on */
		if (stat_threads_ready(&s->threads, first) != 0)
			return UTIL_FAILED;
	}
	return 0;
}

/* Everything before the program may go. */
static int set_up(struct session *s)
{
	int status;

	if (s->options->command != NULL) {
		if (stat_run_spawn(&s->run, s->options->command, NULL) != 0)
			return UTIL_FAILED;
	} else if (s->options->unit.context == UPC_CONTEXT_PROCESS &&
		   stat_run_watch(&s->run, s->options->unit.pid) != 0) {
		return UTIL_FAILED;
	}
	status = create_units(s);
	if (status == 0)
		status = add_events(s);
	if (status == 0)
		status = start_units(s);
	return status;
}

/* ---- counting ---------------------------------------------------------- */

static void sum_threads(struct session *s)
{
	const struct stat_events *events = &s->events;

	for (unsigned i = 0; i < events->n_own; i++) {
		unsigned flags = 0, never = 0;

		s->totals[i] = stat_threads_together(&s->threads, NULL, s->threads.n, i);
		for (unsigned t = 0; t < s->threads.n; t++) {
			const struct stat_thread *thread = &s->threads.thread[t];

			never += (thread->flags[i] & UPC_COUNTER_NEVER) != 0;
			flags |= thread->flags[i];
		}
		flags &= ~(unsigned)UPC_COUNTER_NEVER;
		if (never > 0)
			flags |= never == s->threads.n ? UPC_COUNTER_NEVER : UPC_COUNTER_PARTIAL;
		s->flags[i] = flags;
	}
}

static void read_totals(struct session *s)
{
	const struct stat_events *events = &s->events;
	unsigned own = s->tracing ? events->n_own : 0;

	if (s->tracing) {
		stat_threads_read(&s->threads);
		sum_threads(s);
	}
	if (own < events->n)
		stat_events_read(s->tracing ? s->shared : s->own, events->code + own, events->n - own,
				 s->totals + own, s->flags + own);
}

static void print_interval(struct session *s, int64_t now)
{
	struct stat_sample sample = {
		.time = (double)(now - s->start) / 1e9,
		.seconds = (double)(now - s->last) / 1e9,
		.values = s->deltas,
		.flags = s->flags,
	};
	unsigned n = s->events.n;

	read_totals(s);
	for (unsigned i = 0; i < n; i++)
		s->deltas[i] = s->events.info[i].kind == UPC_KIND_LEVEL ? s->totals[i] :
									  s->totals[i] - s->before[i];
	stat_report_print(&s->report, &sample);
	memcpy(s->before, s->totals, n * sizeof(*s->before));
	for (unsigned t = 0; t < s->threads.n; t++)
		memcpy(s->threads.thread[t].before, s->threads.thread[t].values,
		       s->events.n_own * sizeof(*s->threads.thread[t].before));
	s->last = now;
}

static void wait_for_end(struct session *s)
{
	const int64_t interval = (int64_t)s->options->interval;
	int64_t next = interval > 0 ? s->start + interval : -1;

	for (;;) {
		int64_t now;

		switch (stat_run_wait(&s->run, next)) {
		case STAT_WAKE_END:
			return;
		case STAT_WAKE_TRACE:
			if (stat_threads_serve(&s->threads))
				return;
			break;
		case STAT_WAKE_TICK:
			now = stat_run_now();
			print_interval(s, now);
			/* Late ones (we were stopped, the machine slept) are
			 * left out, the grid stays. */
			next += interval * ((now - next) / interval + 1);
			break;
		}
	}
}

static int cannot_run(const struct session *s)
{
	util_error("cannot run '%s': %s", s->options->command[0], strerror(s->run.exec_error));
	return s->run.exec_error == ENOENT || s->run.exec_error == ENOTDIR ? UTIL_NOT_FOUND : UTIL_CANNOT_RUN;
}

static void leave_tracepoints(const struct session *s)
{
	for (unsigned i = 0; i < s->events.n; i++)
		if (s->events.info[i].source == UPC_SOURCE_TRACEPOINT) {
			stat_run_leave_descriptors(fileno(s->report.out));
			return;
		}
}

static int measure(struct session *s)
{
	struct stat_sample sample = { .last = true, .values = s->totals, .flags = s->flags };
	int64_t end;
	int status;

	s->start = s->last = stat_run_now();
	stat_report_begin(&s->report);
	stat_run_release(&s->run);
	wait_for_end(s);
	end = stat_run_now();
	if (s->run.exec_error != 0)
		return cannot_run(s);

	/* The program is a zombie: its files in /proc are still there. */
	upc_unit_stop(s->tracing ? s->shared : s->own);
	if (s->tracing)
		stat_threads_end(&s->threads);
	read_totals(s);
	sample.time = sample.seconds = (double)(end - s->start) / 1e9;
	sample.has_program = s->run.pid != 0;
	if (sample.has_program)
		sample.status = stat_run_reap(&s->run, &sample.usage);
	stat_report_print(&s->report, &sample);
	status = util_flush(s->report.out, s->options->output != NULL ? s->options->output : "the output");
	leave_tracepoints(s);
	if (!sample.has_program)
		return status == 0 ? UTIL_OK : UTIL_FAILED;
	return stat_run_exit_status(sample.status);
}

/* ---- main -------------------------------------------------------------- */

static void describe(struct session *s, char *title, size_t size)
{
	const struct options *o = s->options;
	static const char *const words[] = { "program", "process", "cpu", "machine" };

	s->report.context = o->other ? words[o->unit.context] : words[0];
	s->report.title = title;
	s->report.command = o->command;
	s->report.format = o->format.format;
	s->report.zeros = o->zeros;
	s->report.intervals = o->interval > 0;
	s->report.top = (unsigned)o->top;
	s->report.events = &s->events;
	s->report.threads = o->by_thread ? &s->threads : NULL;
	if (!o->other) {
		size_t n = (size_t)snprintf(title, size, "%s", o->command[0]);

		for (char **word = o->command + 1; *word != NULL && n < size; word++)
			n += (size_t)snprintf(title + n, size - n, " %s", *word);
	} else if (o->unit.context == UPC_CONTEXT_PROCESS) {
		snprintf(title, size, "process %d", (int)o->unit.pid);
	} else if (o->unit.context == UPC_CONTEXT_CPU) {
		snprintf(title, size, "everything on CPU %d", o->unit.cpu);
	} else {
		snprintf(title, size, "everything on this machine");
	}
}

int main(int argc, char **argv)
{
	struct options options;
	struct session session = { .options = &options };
	char title[400];
	int status;

	util_begin("upc_stat");
	if (parse_options(&options, argc, argv, &status) != 0)
		return status;
	if (options.sim)
		return simulate(&options);
	describe(&session, title, sizeof(title));
	session.events.catalogue = util_catalogue_open(options.wiring);
	if (session.events.catalogue == NULL)
		return UTIL_FAILED;
	status = choose_events(&session);
	if (status == 0)
		status = open_output(&session);
	if (status == 0)
		status = stat_run_begin(&session.run) == 0 ? set_up(&session) : UTIL_FAILED;
	if (status == 0)
		status = measure(&session);

	stat_run_cancel(&session.run);
	upc_unit_destroy(session.own);
	upc_unit_destroy(session.shared);
	stat_threads_free(&session.threads);
	stat_events_free(&session.events);
	upc_catalogue_close(session.events.catalogue);
	free(session.totals);
	free(session.before);
	free(session.deltas);
	free(session.flags);
	return status;
}
