/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_serve.c - one command that runs a private node service and shows its counts as a live page, as metrics
 * of Performance Co-Pilot, and as an archive.
 * Terms: serve/serve_node.h.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/options.h"
#include "serve/serve_node.h"

#define NS 1000000000u

struct settings {
	struct serve_options node;
	bool stop, interval; /* --stop was given; --interval was given */
};

static int take_serve_option(void *own, int option)
{
	struct settings *s = own;

	if (option == UTIL_OPTION_PORT)
		return util_parse_number(optarg, 1, 65535, &s->node.port) == 0
			       ? 0
			       : util_wrong_value("--port", "a number from 1 to 65535", optarg);
	s->interval = true;
	if (util_parse_time(optarg, NS, &s->node.interval_ns) != 0 || s->node.interval_ns < NS / 10 ||
	    s->node.interval_ns > 3600ull * NS)
		return util_wrong_value("--interval", "a time from 100ms to 1h", optarg);
	return 0;
}

static const struct util_usage usage = {
	.tool = UTIL_TOOL_SERVE,
	.head = "usage: upc_serve [--dir DIR] [--config FILE] [--interval TIME] [--port N]\n"
		"       upc_serve --stop [--dir DIR]\n"
		"\n"
		"Counts on this node all the time, with Performance Co-Pilot, and shows it as a page for a\n"
		"browser of this machine. All is in one directory, nobody else is asked for anything, and\n"
		"Ctrl-C ends it. Archives stay.\n",
	.tail = "The exit status is 0 after Ctrl-C, a signal or --stop; 125: it cannot start, and why was said.\n"
		"\n"
		"Examples:\n"
		"  upc_serve                      what this user may count; as root hardware events too\n"
		"  upc_serve --config node.conf   what node.conf says\n"
		"  upc ctl ls                     what is counted now, while it runs\n",
	.place = {UTIL_WORD(DIR, struct settings, node.dir), UTIL_WORD(CONFIG, struct settings, node.config),
		  UTIL_FLAG(STOP, struct settings, stop)},
	.take = take_serve_option,
};

static int check_serve_settings(const struct settings *s, int argc, char **argv)
{
	if (optind < argc)
		util_error("'%s': there are no operands", argv[optind]);
	else if (s->stop && (s->node.config || s->node.port || s->interval))
		util_error("--stop has no option but --dir");
	else if (s->node.config && s->interval)
		util_error("with --config the interval is in the file: initialize interval=...");
	else
		return 0;
	return UTIL_FAILED;
}

int main(int argc, char **argv)
{
	struct settings settings = {.node.interval_ns = NS};
	struct util_format_choice format = {0};
	int status;

	util_begin("upc_serve");
	if (util_options_read(&usage, argc, argv, &settings, &format, &status) != 0)
		return status;
	status = check_serve_settings(&settings, argc, argv);
	if (status != 0)
		return status;
	return settings.stop ? serve_stop(settings.node.dir) : serve_node(&settings.node);
}
