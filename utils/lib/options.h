/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h - the options of all tools, of one table (options.def): what is on the command
 * line, --help, and what the shells ask for to complete a line.
 */
#ifndef UTIL_OPTIONS_H
#define UTIL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/common.h"

enum util_tool {
#define TOOL(id, program, command, does, operand) UTIL_TOOL_##id,
#include "lib/options.def"
	UTIL_TOOLS
};

/* The result of util_options_next: an option, by either of its names. */
enum util_option_id {
	UTIL_OPTION_DONE = -2, /* the tool is to end with *status   */
	UTIL_OPTION_NONE = -1, /* no more: operands begin at optind */
#define OPTION(id, tools, letter, name, argument, values, help) UTIL_OPTION_##id,
#include "lib/options.def"
};

struct util_tool_row {
	const char *program, *command, *does;
	const char *operand; /* what completes one, or NULL */
};

extern const struct util_tool_row util_tool[UTIL_TOOLS];

/* An option that does no more than to set a flag, or to keep its argument: where, in the tool's own. */
struct util_option_place {
	enum { UTIL_NOWHERE, UTIL_IN_FLAG, UTIL_IN_TEXT } kind;
	int id;
	size_t at; /* a bool, or a const char * */
};
#define UTIL_PLACES_MAX 12
#define UTIL_FLAG(ID, type, member)                                    \
	{                                                              \
		UTIL_IN_FLAG, UTIL_OPTION_##ID, offsetof(type, member) \
	}
#define UTIL_WORD(ID, type, member)                                    \
	{                                                              \
		UTIL_IN_TEXT, UTIL_OPTION_##ID, offsetof(type, member) \
	}

/* A tool's text around the list of its options, and what it does with them. */
struct util_usage {
	enum util_tool tool;
	const char *head, *tail;
	bool runs;                /* a program, whose own options are behind the first operand */
	void (*put_events)(void); /* prints its own events, blanks between; NULL: upc_avail does */
	const char *const *forms; /* words of --format; NULL: those of enum util_format */
	struct util_option_place place[UTIL_PLACES_MAX];
	/* Any other: 0, or the exit status, said; UTIL_OPTION_DONE ends the tool well. */
	int (*take)(void *own, int option);
};

/* What --format, --json and --csv say, which exclude each other. */
struct util_format_choice {
	unsigned format; /* enum util_format, or a place in the tool's own words */
	bool given;
};

/*
 * The next option, with its argument in optarg; --format, --json and --csv are none, but go to
 * the choice. --help, --version, wrong options and the shells' questions are dealt with: then
 * it is UTIL_OPTION_DONE.
 */
int util_options_next(const struct util_usage *usage, int argc, char **argv,
		      struct util_format_choice *format, int *status);

/* The whole line, into the tool's own by usage's places and take. 0, or -1: it is to end with *status. */
int util_options_read(const struct util_usage *usage, int argc, char **argv, void *own,
		      struct util_format_choice *format, int *status);

/* A word of a list: its place there, or -1, said, when it is none of them. */
int util_option_word(const char *option, const char *const words[], const char *text);

/* One line about a better way to say it; the first in a run only. */
void util_advise(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "250us", "2.5ms", "1s", "5min", "1h": nanoseconds. A number alone is that many plain_ns;
 * with 0 it is none. 0, or -1. */
int util_parse_time(const char *text, uint64_t plain_ns, uint64_t *ns);

#endif
