/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_serve.c - one command for a node service of one's own: what this machine counts, as a page that
 * lives, as metrics of Performance Co-Pilot, and as an archive.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/options.h"
#include "serve/serve_node.h"

#define NS 1000000000u

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
};

static int parse(int argc, char **argv, struct serve_options *o, bool *stop, int *status)
{
	struct util_format_choice format = {0};
	int id;
	bool interval = false;

	while ((id = util_options_next(&usage, argc, argv, &format, status)) >= 0) {
		switch ((enum util_option_id)id) {
		case UTIL_OPTION_DIR:
			o->dir = optarg;
			break;
		case UTIL_OPTION_CONFIG:
			o->config = optarg;
			break;
		case UTIL_OPTION_STOP:
			*stop = true;
			break;
		case UTIL_OPTION_PORT:
			if (util_parse_number(optarg, 1, 65535, &o->port) != 0) {
				*status = util_wrong_value("--port", "a number from 1 to 65535", optarg);
				return -1;
			}
			break;
		case UTIL_OPTION_INTERVAL:
			interval = true;
			if (util_parse_time(optarg, NS, &o->interval_ns) != 0 || o->interval_ns < NS / 10 ||
			    o->interval_ns > 3600ull * NS) {
				*status = util_wrong_value("--interval", "a time from 100ms to 1h", optarg);
				return -1;
			}
			break;
		default:
			break;
		}
	}
	if (id == UTIL_OPTION_DONE)
		return -1;
	*status = UTIL_FAILED;
	if (optind < argc)
		util_error("'%s': there are no operands", argv[optind]);
	else if (*stop && (o->config || o->port || interval))
		util_error("--stop has no option but --dir");
	else if (o->config && interval)
		util_error("with --config the interval is in the file: initialize interval=...");
	else
		return 0;
	util_try_help();
	return -1;
}

int main(int argc, char **argv)
{
	struct serve_options options = {.interval_ns = NS};
	bool stop = false;
	int status;

	util_begin("upc_serve");
	if (parse(argc, argv, &options, &stop, &status) != 0)
		return status;
	return stop ? serve_stop(options.dir) : serve_node(&options);
}
