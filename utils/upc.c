/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc.c - starts the other tools: "upc stat -- make" is "upc_stat -- make".
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalogue/nearest.h"
#include "lib/common.h"
#include "lib/options.h"

static char *help_text(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		return NULL;
	fputs("usage: upc COMMAND [ARGUMENT]...\n"
	      "       upc help [COMMAND]\n"
	      "\n"
	      "Counts what programs do, on every Linux machine. The commands are\n"
	      "\n",
	      out);
	for (int i = 0; i < UTIL_TOOLS; i++)
		if (util_tool[i].command != NULL)
			fprintf(out, "  %-7s %s\n", util_tool[i].command, util_tool[i].does);
	return fclose(out) == 0 ? text : NULL;
}

/* Of "stat" and "upc_stat", both of which somebody may write. */
static const struct util_tool_row *find_tool(const char *name)
{
	for (int i = 0; i < UTIL_TOOLS; i++)
		if (util_tool[i].command != NULL &&
		    (strcmp(name, util_tool[i].command) == 0 || strcmp(name, util_tool[i].program) == 0))
			return &util_tool[i];
	return NULL;
}

static int say_unknown(const char *name)
{
	struct upci_nearest nearest = {.max = 1};
	const char *bare = strncmp(name, "upc_", 4) == 0 ? name + 4 : name;

	for (int i = 0; i < UTIL_TOOLS; i++)
		if (util_tool[i].command != NULL)
			upci_nearest_offer(&nearest, bare, util_tool[i].command);
	if (nearest.count > 0)
		util_error("there is no command '%.80s'; did you mean %s?", name, nearest.name[0]);
	else
		util_error("there is no command '%.80s'; 'upc help' names them all", name);
	return UTIL_FAILED;
}

/* It lies beside us. Comes back only with an error. */
static int start_tool(const struct util_tool_row *tool, char **argv)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *end;

	path[n > 0 ? n : 0] = '\0';
	end = strrchr(path, '/');
	if (end == NULL || (size_t)(end + 1 - path) + strlen(tool->program) >= sizeof(path)) {
		util_error("cannot find out where the other tools are: /proc/self/exe");
		return UTIL_FAILED;
	}
	strcpy(end + 1, tool->program);
	argv[0] = (char *)tool->program;
	execv(path, argv);
	return util_cannot_run(path, errno);
}

static int help_on_tool(const char *name)
{
	char *argv[] = {NULL, (char *)"--help", NULL};
	const struct util_tool_row *tool = find_tool(name);

	return tool != NULL ? start_tool(tool, argv) : say_unknown(name);
}

int main(int argc, char **argv)
{
	struct util_usage usage = {
		.tool = UTIL_TOOL_UPC,
		.runs = true,
		.tail = "The exit status is the command's; 125: there is no such command; 127: it is not\n"
			"installed.\n"
			"\n"
			"Examples:\n"
			"  upc stat -- make\n"
			"  upc avail 'cache miss'\n"
			"  upc help run\n",
	};
	const struct util_tool_row *tool;
	char *text = help_text(), *own_help[] = {argv[0], (char *)"--help", NULL};
	int status;

	util_begin("upc");
	usage.head = text != NULL ? text : "";
	/* There is no option but those that end it. */
	if (util_options_next(&usage, argc, argv, NULL, &status) == UTIL_OPTION_NONE) {
		if (optind == argc) {
			util_error("no command is given; 'upc help' names them all");
			status = UTIL_FAILED;
		} else if (strcmp(argv[optind], "help") == 0 && optind + 1 == argc) {
			optind = 1;
			util_options_next(&usage, 2, own_help, NULL, &status);
		} else if (strcmp(argv[optind], "help") == 0) {
			status = help_on_tool(argv[optind + 1]);
		} else {
			tool = find_tool(argv[optind]);
			status = tool != NULL ? start_tool(tool, argv + optind) : say_unknown(argv[optind]);
		}
	}
	free(text);
	return status;
}
