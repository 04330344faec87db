/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upcctl.c - controls the node service: adds, halts and reassigns its counters, lists them, and runs programs
 * that need the hardware counters for themselves.
 *
 * Terms: ctl/ctl_sheet.h.
 */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/nearest.h"
#include "ctl/ctl_run.h"
#include "ctl/ctl_sheet.h"
#include "lib/common.h"
#include "lib/control.h"
#include "lib/options.h"
#include "lib/program.h"

static const char head[] = "usage: upcctl [OPTION]... COMMAND [WORD]...\n"
			   "       upcctl [OPTION]... run [--] PROGRAM [ARGUMENT]...\n"
			   "\n"
			   "Commands the service that counts on this node. The commands are\n"
			   "\n"
			   "  ls [NAME...]             the counters: what each counts, its state and why\n"
			   "  status                   the service: since when, how often, who else counts\n"
			   "  add EVENT... [scope=cpu|node|cgroup] [as=ALIAS]\n"
			   "                           count these, too: all of them, or none\n"
			   "  remove NAME...           count these no more\n"
			   "  reassign NAME EVENT [as=ALIAS]\n"
			   "                           let a counter count another event, from 0\n"
			   "  halt NAME...|ALL         stop counters; they keep their place\n"
			   "  continue NAME...|ALL     let halted counters go on\n"
			   "  rewrite NAME...|ALL      take counters again that others had, or that failed\n"
			   "  run PROGRAM              run it while no hardware counter is the service's\n"
			   "\n"
			   "A NAME is a counter's alias, or its event's name. Only the service's own user\n"
			   "and root may command it.\n";

static const char tail[] =
	"Exit status: 0; 1: the service refuses the command; 125: there is no service, or\n"
	"another error. Of 'run' it is the program's; 126: it cannot be run; 127: it is\n"
	"not there.\n"
	"\n"
	"Examples:\n"
	"  upcctl ls\n"
	"  upcctl add perf::INSTRUCTIONS perf::CPU-CYCLES scope=cpu\n"
	"  upcctl add perf::PAGE-FAULTS scope=node as=faults\n"
	"  upcctl reassign faults perf::MAJOR-FAULTS\n"
	"  upcctl halt ALL\n"
	"  upcctl run -- perf stat -e cycles make\n";

static const struct util_usage usage = {
	.tool = UTIL_TOOL_CTL,
	.head = head,
	.tail = tail,
	.runs = true,
};

struct settings {
	const char *socket;
	struct util_format_choice format;
	const char **word; /* command of upcctl and its arguments */
	unsigned words;
	char **program; /* for the command "run": the program and its arguments; else NULL */
};

/* ---- the command line -------------------------------------------------------------------- */

/* Commands of the command line. Commands of the service that are allowed only in its configuration, or that
 * the connection implies, are listed with an error message in the member instead. */
static const struct {
	const char *name, *instead;
} commands[] = {
	{"add", NULL},
	{"continue", NULL},
	{"halt", NULL},
	{"ls", NULL},
	{"reassign", NULL},
	{"remove", NULL},
	{"rewrite", NULL},
	{"run", NULL},
	{"status", NULL},
	{"initialize", "stands in the service's configuration only: it is read when the service starts"},
	{"cgroup", "stands in the service's configuration only, before 'finalize'"},
	{"finalize", "stands in the service's configuration only; 'add' has its effect at once"},
	{"yield", "lasts as long as the connection: 'upcctl run PROGRAM' yields while PROGRAM runs"},
	{"resume", "is what the end of 'upcctl run' does; 'upcctl rewrite ALL' takes counters again"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int check_command(const char *name)
{
	struct upci_nearest nearest = {.max = 1};

	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0) {
			if (commands[i].instead == NULL)
				return 0;
			util_error("'%s' %s", name, commands[i].instead);
			return UTIL_FAILED;
		}
		if (commands[i].instead == NULL)
			upci_nearest_offer(&nearest, name, commands[i].name);
	}
	if (nearest.count > 0)
		util_error("there is no command '%.80s'; did you mean %s?", name, nearest.name[0]);
	else
		util_error("there is no command '%.80s'; 'upcctl --help' names them all", name);
	return UTIL_FAILED;
}

/* Read the command line. Options may precede and follow the command and its arguments. Options after the
 * PROGRAM of run belong to PROGRAM. */
static int read_ctl_line(struct settings *settings, int argc, char **argv)
{
	int status = UTIL_OK;

	for (;;) {
		int option = util_options_next(&usage, argc, argv, &settings->format, &status);

		if (option == UTIL_OPTION_DONE)
			return status == UTIL_OK ? -1 : status;
		if (option == UTIL_OPTION_SOCKET) {
			settings->socket = optarg;
			continue;
		}
		if (optind == argc)
			return UTIL_OK;
		if (settings->words == 1 && strcmp(settings->word[0], "run") == 0) {
			settings->program = argv + optind;
			return UTIL_OK;
		}
		/* No options follow "--". */
		if (settings->words > 0 && strcmp(argv[optind - 1], "--") == 0) {
			while (optind < argc)
				settings->word[settings->words++] = argv[optind++];
			return UTIL_OK;
		}
		settings->word[settings->words++] = argv[optind++];
	}
}

static int check_ctl_settings(const struct settings *settings)
{
	int error;

	if (settings->words == 0) {
		util_error("no command is given; 'upcctl --help' names them all");
		return UTIL_FAILED;
	}
	error = check_command(settings->word[0]);
	if (error != 0)
		return error;
	if (strcmp(settings->word[0], "run") == 0 && settings->program == NULL) {
		util_error("run: name the PROGRAM to run: upcctl run PROGRAM");
		return UTIL_FAILED;
	}
	return settings->program != NULL ? util_program_check(settings->program[0]) : 0;
}

/* ---- answers ------------------------------------------------------------------------------ */

static void put_message(FILE *out, const json_t *answer)
{
	/* The message may contain names that users chose, so it goes through util_put. */
	util_put(out, json_string_value(json_object_get(answer, "message")), 4096);
	fputc('\n', out);
}

static int put_answer(const struct settings *settings, const struct util_control *control, json_t *answer)
{
	bool ok = json_is_true(json_object_get(answer, "ok"));
	int error = 0;

	if (settings->format.format != UTIL_TEXT) {
		error = ctl_put_data(stdout, answer, settings->format.format);
	} else if (!ok) {
		fputs("upcctl: ", stderr);
		put_message(stderr, answer);
	} else if (strcmp(settings->word[0], "ls") == 0) {
		ctl_put_counters(stdout, answer);
	} else if (strcmp(settings->word[0], "status") == 0) {
		ctl_put_status(stdout, control->path, answer);
	} else {
		put_message(stdout, answer);
	}
	if (util_flush(stdout, "standard output") != 0 || error != 0)
		return UTIL_FAILED;
	return ok ? UTIL_OK : UTIL_NO;
}

static int ask_service(const struct settings *settings, struct util_control *control)
{
	json_t *answer = util_control_ask(control, settings->word, settings->words);
	int status;

	if (answer == NULL) {
		util_error("%s", control->why);
		return UTIL_FAILED;
	}
	status = put_answer(settings, control, answer);
	json_decref(answer);
	return status;
}

int main(int argc, char **argv)
{
	struct settings settings = {0};
	struct util_control control;
	int status;

	util_begin("upcctl");
	settings.word = calloc((size_t)argc + 1, sizeof(*settings.word));
	if (settings.word == NULL) {
		util_error("out of memory");
		return UTIL_FAILED;
	}
	status = read_ctl_line(&settings, argc, argv);
	if (status == 0)
		status = check_ctl_settings(&settings);
	if (status == 0) {
		status = util_control_open(&control, settings.socket);
		if (status != 0) {
			util_error("%s", control.why);
			status = UTIL_FAILED;
		} else if (settings.program != NULL) {
			status = ctl_run(&control, settings.program);
		} else {
			status = ask_service(&settings, &control);
		}
		util_control_close(&control);
	}
	free(settings.word);
	return status < 0 ? UTIL_OK : status;
}
