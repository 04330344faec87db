/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h - the options of all tools, in one table (options.def): parses the command line, prints --help,
 * and answers the shells' completion.
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

/* Result of util_options_next: an option, by either of its names. */
enum util_option_id {
	UTIL_OPTION_DONE = -2, /* the tool must end with *status */
	UTIL_OPTION_NONE = -1, /* no more options: operands begin at optind */
#define OPTION(id, tools, letter, name, argument, values, help) UTIL_OPTION_##id,
#include "lib/options.def"
};

struct util_tool_row {
	const char *program, *command, *does;
	const char *operand; /* what the shell's completion offers for an operand, or NULL */
};

extern const struct util_tool_row util_tool[UTIL_TOOLS];

/* An option that only sets a flag or stores its argument, and the offset of that member in the tool's own
 * structure. */
struct util_option_place {
	enum { UTIL_NOWHERE, UTIL_IN_FLAG, UTIL_IN_TEXT } kind;
	int id;
	size_t at; /* offset of a bool or a const char * */
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

/* A tool's help text around the list of options, and the handling of its options. */
struct util_usage {
	enum util_tool tool;
	const char *head, *tail;
	bool runs; /* the tool runs a program: options after the first operand are the program's */
	void (*put_events)(void); /* prints the tool's events, separated by blanks; NULL: upc_avail does */
	const char *const *forms; /* words of --format; NULL: those of enum util_format */
	struct util_option_place place[UTIL_PLACES_MAX];
	/* Handle any other option. Return 0, or the exit status after printing an error; UTIL_OPTION_DONE
	 * ends the tool successfully. */
	int (*take)(void *own, int option);
};

/* The choice of --format, --json and --csv, which exclude each other. */
struct util_format_choice {
	unsigned format; /* enum util_format, or an index in forms */
	bool given;
};

/*
 * Return the next option, with its argument in optarg. --format, --json and --csv are stored in format and
 * not returned. --help, --version, wrong options and completion are handled here and return UTIL_OPTION_DONE.
 */
int util_options_next(const struct util_usage *usage, int argc, char **argv,
		      struct util_format_choice *format, int *status);

/* Read the whole command line into the tool's structure own, with the member place and the function take of
 * usage. Return 0, or -1 if the tool must end with *status. */
int util_options_read(const struct util_usage *usage, int argc, char **argv, void *own,
		      struct util_format_choice *format, int *status);

/* Return the index of a word in a list, or -1 after printing an error. */
int util_option_word(const char *option, const char *const words[], const char *text);

/* Print a line of advice about the command line. After the first call in a process, calls do nothing. */
void util_advise(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parse a time: "250us", "2.5ms", "1s", "5min", "1h". A number without unit counts in plain_ns nanoseconds;
 * with plain_ns 0 it is an error. Return 0 or -1. */
int util_parse_time(const char *text, uint64_t plain_ns, uint64_t *ns);

#endif
