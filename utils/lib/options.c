/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.c - the options of all tools, in one table (options.def): parses the command line, prints --help,
 * and answers the shells' completion.
 */
#include "lib/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/nearest.h"

#define HELP_COLUMN 26
#define SHOWN 80 /* characters of the user's input in messages */

struct row {
	unsigned tools;
	int id;
	char letter; /* 0: none */
	const char *name, *argument, *values, *help;
	const char *now; /* the name that replaces this old name; NULL: the name is not old */
	const char *section;
};

enum {
#define TOOL(id, program, command, does, operand) id = 1u << UTIL_TOOL_##id,
#include "lib/options.def"
};

static const struct row rows[] = {
#define SECTION(heading) {.section = heading},
#define OPTION(ID, TOOLS, LETTER, NAME, ARGUMENT, VALUES, HELP) \
	{.tools = TOOLS,                                        \
	 .id = UTIL_OPTION_##ID,                                \
	 .letter = LETTER,                                      \
	 .name = NAME,                                          \
	 .argument = ARGUMENT,                                  \
	 .values = VALUES,                                      \
	 .help = HELP},
#define ALSO OPTION
#define OLD(ID, TOOLS, LETTER, NAME, ARGUMENT, NOW) \
	{.tools = TOOLS,                            \
	 .id = UTIL_OPTION_##ID,                    \
	 .letter = LETTER,                          \
	 .name = NAME,                              \
	 .argument = ARGUMENT,                      \
	 .now = NOW},
#include "lib/options.def"
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct util_tool_row util_tool[UTIL_TOOLS] = {
#define TOOL(id, PROGRAM, COMMAND, DOES, OPERAND) \
	[UTIL_TOOL_##id] = {.program = PROGRAM, .command = COMMAND, .does = DOES, .operand = OPERAND},
#include "lib/options.def"
};

static bool is_row_of_tool(const struct row *row, enum util_tool tool)
{
	return row->section == NULL && (row->tools >> tool & 1) != 0;
}

static bool is_optional(const struct row *row)
{
	return row->argument != NULL && row->argument[0] == '[';
}

/* ---- --help -------------------------------------------------------------- */

static void print_option(const struct row *row)
{
	char text[80];
	unsigned column;

	snprintf(text, sizeof(text), "  %c%c%c --%s%s%s", row->letter ? '-' : ' ',
		 row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name,
		 row->argument == NULL || is_optional(row) ? "" : "=",
		 row->argument == NULL ? "" : row->argument);
	column = (unsigned)strlen(text);
	fputs(text, stdout);
	if (column + 2 > HELP_COLUMN) {
		putchar('\n');
		column = 0;
	}
	util_pad(stdout, HELP_COLUMN - column);
	util_wrap(stdout, row->help, HELP_COLUMN, HELP_COLUMN, UTIL_WIDTH_DEFAULT);
	putchar('\n');
}

static int print_help(const struct util_usage *usage)
{
	const char *section = NULL;

	fputs(usage->head, stdout);
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].section != NULL)
			section = rows[i].section;
		if (!is_row_of_tool(&rows[i], usage->tool) || rows[i].help == NULL)
			continue;
		if (section != NULL)
			printf("\n%s%s", section, section[0] != '\0' ? "\n" : "");
		section = NULL;
		print_option(&rows[i]);
	}
	putchar('\n');
	fputs(usage->tail, stdout);
	return util_flush(stdout, "standard output") == 0 ? UTIL_OK : UTIL_FAILED;
}

/* ---- completion ------------------------------------------------------------ */

/*
 * Print a line for each spelling of an option, "-x" and "--name". Its fields, separated by tabs, are the
 * spelling, what the completion offers for the argument ("-": nothing), and the description. The name of an
 * option with an optional argument ends with "=". The last line of a tool has no spelling: it is for
 * operands.
 */
static void put_option_line(const struct util_usage *usage, const struct row *row, const char *values)
{
	if (values != NULL && strcmp(values, "<events>") == 0 && usage->put_events != NULL) {
		fputs("\t<list>", stdout);
		usage->put_events();
	} else {
		printf("\t%s", values == NULL ? "" : values);
	}
	printf("\t%s\n", row->help);
}

static int print_option_table(const struct util_usage *usage)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		const char *values = row->argument == NULL || row->values != NULL ? row->values : "-";

		if (!is_row_of_tool(row, usage->tool) || row->help == NULL)
			continue;
		if (row->letter) {
			printf("-%c", row->letter);
			put_option_line(usage, row, values);
		}
		printf("--%s%s", row->name, is_optional(row) ? "=" : "");
		put_option_line(usage, row, values);
	}
	putchar('\t');
	if (usage->tool == UTIL_TOOL_UPC)
		for (int i = 0; i < UTIL_TOOLS; i++)
			printf("%s ", util_tool[i].command != NULL ? util_tool[i].command : "help");
	else if (util_tool[usage->tool].operand != NULL)
		fputs(util_tool[usage->tool].operand, stdout);
	puts("\t");
	return util_flush(stdout, "standard output") == 0 ? UTIL_OK : UTIL_FAILED;
}

/* ---- the command line ------------------------------------------------------ */

#define LONG 0x1000 /* getopt_long's values for long names: LONG plus the row */

struct getopt_table {
	char letters[4 * ROWS];
	struct option names[ROWS + 1];
};

static void fill_getopt_table(const struct util_usage *usage, struct getopt_table *table)
{
	struct option *name = table->names;
	char *letter = table->letters;

	/* The arguments after PROGRAM belong to the program. */
	if (usage->runs)
		*letter++ = '+';
	/* A leading ':' makes getopt report missing arguments and unknown options separately. */
	*letter++ = ':';
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		int wants = row->argument == NULL ? no_argument
			    : is_optional(row)    ? optional_argument
						  : required_argument;

		if (!is_row_of_tool(row, usage->tool))
			continue;
		if (row->letter) {
			*letter++ = row->letter;
			memcpy(letter, "::", (size_t)wants);
			letter += wants;
		}
		if (row->name != NULL)
			*name++ = (struct option){row->name, wants, NULL, LONG + (int)i};
	}
	*letter = '\0';
	*name = (struct option){NULL, 0, NULL, 0};
}

static const struct row *find_option_row(enum util_tool tool, int option)
{
	if (option >= LONG)
		return &rows[option - LONG];
	for (size_t i = 0; i < ROWS; i++)
		if (is_row_of_tool(&rows[i], tool) && rows[i].letter == option)
			return &rows[i];
	return NULL;
}

/* Write the option in the spelling that the user chose: "-x" or "--name". */
static void options_spell(const struct row *row, int option, char text[SHOWN])
{
	if (option < LONG)
		snprintf(text, SHOWN, "-%c", row->letter);
	else
		snprintf(text, SHOWN, "--%s", row->name);
}

/* Print that an option's argument is missing. */
static void options_refuse_none(const struct row *row, int option)
{
	char text[SHOWN];

	options_spell(row, option, text);
	if (is_optional(row))
		util_error("%s has an argument that is empty: leave the '=' out, or give %s", text,
			   row->argument);
	else
		util_error("%s wants an argument: %s%s%s", text, text, option < LONG ? " " : "=",
			   row->argument);
}

/* List the names that an abbreviation matches. Return their number. */
static unsigned options_abbreviated(const struct util_usage *usage, const char *word, size_t n,
				    char list[400])
{
	unsigned found = 0;
	size_t used = 0;

	list[0] = '\0';
	for (size_t i = 0; i < ROWS; i++) {
		if (!is_row_of_tool(&rows[i], usage->tool) || rows[i].name == NULL ||
		    strncmp(rows[i].name, word, n) != 0)
			continue;
		if (used < 400)
			used += (size_t)snprintf(list + used, 400 - used, "%s--%s", found > 0 ? ", " : "",
						 rows[i].name);
		found++;
	}
	return found;
}

/* Print that the tool has no option of this name, and the most similar name. */
static void options_refuse_name(const struct util_usage *usage, const char *typed)
{
	const char *tool = util_tool[usage->tool].program, *word = typed + strspn(typed, "-");
	size_t n = strcspn(word, "=");
	struct upci_nearest nearest = {.max = 1};
	char list[400], name[SHOWN];

	if (n > 0 && options_abbreviated(usage, word, n, list) > 1) {
		util_error("'%.*s' stands for several options: %s", (int)(word - typed + (ptrdiff_t)n), typed,
			   list);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(n < SHOWN ? n : SHOWN), word);
	for (size_t i = 0; i < ROWS; i++)
		if (is_row_of_tool(&rows[i], usage->tool) && rows[i].name != NULL && rows[i].help != NULL)
			upci_nearest_offer(&nearest, name, rows[i].name);
	if (nearest.count > 0)
		util_error("there is no option '--%s'; did you mean --%s?", name, nearest.name[0]);
	else
		util_error("there is no option '--%s'; '%s --help' lists them", name, tool);
}

/* Print why getopt_long refused the command line. */
static int options_refuse(const struct util_usage *usage, int answer, const char *typed)
{
	const struct row *row = optopt != 0 ? find_option_row(usage->tool, optopt) : NULL;

	if (answer == ':')
		options_refuse_none(row, optopt);
	else if (optopt == 0)
		options_refuse_name(usage, typed);
	else if (row == NULL)
		util_error("there is no option '-%c'; '%s --help' lists them", optopt,
			   util_tool[usage->tool].program);
	else
		util_error("--%s takes no argument, and '%.*s' has one", row->name, SHOWN, typed);
	return UTIL_FAILED;
}

static bool is_format(int id)
{
	return id == UTIL_OPTION_FORMAT || id == UTIL_OPTION_JSON || id == UTIL_OPTION_CSV;
}

static int take_format(const struct util_usage *usage, int id, struct util_format_choice *choice)
{
	static const char *const words[] = {
		[UTIL_TEXT] = "text",
		[UTIL_JSON] = "json",
		[UTIL_CSV] = "csv",
		[UTIL_CSV + 1] = NULL,
	};
	int format =
		id == UTIL_OPTION_JSON ? UTIL_JSON
		: id == UTIL_OPTION_CSV
			? UTIL_CSV
			: util_option_word("--format", usage->forms != NULL ? usage->forms : words, optarg);

	if (format < 0)
		return -1;
	if (choice->given && choice->format != (unsigned)format) {
		util_error("one --format at a time: it is said twice, and not the same");
		return -1;
	}
	choice->given = true;
	choice->format = (unsigned)format;
	return 0;
}

/* Handle --help, --version and an empty argument. Return UTIL_OPTION_DONE for these, or the id of any other
 * option. */
static int take_usage_option(const struct util_usage *usage, int option, int *status)
{
	const struct row *row = find_option_row(usage->tool, option);

	if (row->id == UTIL_OPTION_HELP)
		*status = print_help(usage);
	else if (row->id == UTIL_OPTION_VERSION)
		*status = util_print_version();
	else if (optarg != NULL && optarg[0] == '\0') {
		options_refuse_none(row, option);
		*status = UTIL_FAILED;
	} else {
		if (row->now != NULL && option >= LONG)
			util_advise("--%s is the old name of %s", row->name, row->now);
		else if (row->now != NULL)
			util_advise("-%c is the old name of %s", row->letter, row->now);
		return row->id;
	}
	return UTIL_OPTION_DONE;
}

int util_options_next(const struct util_usage *usage, int argc, char **argv,
		      struct util_format_choice *format, int *status)
{
	static struct getopt_table table;
	int option;

	if (table.names[0].name == NULL) {
		fill_getopt_table(usage, &table);
		opterr = 0;
		/* Used by the shells' completion scripts. */
		if (argc == 2 && strcmp(argv[1], "--complete") == 0) {
			*status = print_option_table(usage);
			return UTIL_OPTION_DONE;
		}
	}
	do {
		option = getopt_long(argc, argv, table.letters, table.names, NULL);
		if (option == -1)
			return UTIL_OPTION_NONE;
		if (option == '?' || option == ':') {
			*status = options_refuse(usage, option, argv[optind - 1]);
			return UTIL_OPTION_DONE;
		}
		option = take_usage_option(usage, option, status);
		if (is_format(option) && take_format(usage, option, format) != 0) {
			*status = UTIL_FAILED;
			return UTIL_OPTION_DONE;
		}
	} while (is_format(option));
	return option;
}

static bool put_option_place(const struct util_option_place *places, void *own, int id)
{
	for (size_t i = 0; i < UTIL_PLACES_MAX; i++) {
		void *at = (char *)own + places[i].at;

		if (places[i].kind == UTIL_NOWHERE || places[i].id != id)
			continue;
		if (places[i].kind == UTIL_IN_FLAG)
			*(bool *)at = true;
		else
			*(const char **)at = optarg;
		return true;
	}
	return false;
}

int util_options_read(const struct util_usage *usage, int argc, char **argv, void *own,
		      struct util_format_choice *format, int *status)
{
	int id, error;

	*status = UTIL_OK;
	while ((id = util_options_next(usage, argc, argv, format, status)) >= 0) {
		error = put_option_place(usage->place, own, id) ? 0 : usage->take(own, id);
		if (error == 0)
			continue;
		*status = error == UTIL_OPTION_DONE ? UTIL_OK : error;
		return -1;
	}
	return id == UTIL_OPTION_NONE ? 0 : -1;
}

void util_advise(const char *format, ...)
{
	static bool advised;
	char line[200];
	va_list args;

	if (advised)
		return;
	advised = true;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	util_error("%s", line);
}

/* ---- arguments --------------------------------------------------------------- */

int util_option_word(const char *option, const char *const words[], const char *text)
{
	struct upci_nearest nearest = {.max = 1};
	char list[200] = "";
	size_t n = 0;

	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
		upci_nearest_offer(&nearest, text, words[i]);
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i == 0                 ? ""
				      : words[i + 1] != NULL ? ", "
							     : " or ",
				      words[i]);
	}
	if (nearest.count > 0)
		util_error("%s wants %s, not '%.*s'; did you mean %s?", option, list, SHOWN, text,
			   nearest.name[0]);
	else
		util_wrong_value(option, list, text);
	return -1;
}

int util_parse_time(const char *text, uint64_t plain_ns, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
	size_t digits = strspn(text, "0123456789.");
	char *end = NULL;
	double value, one = (double)plain_ns;

	if (digits == 0 || digits >= 20)
		return -1;
	/* In the C locale, which the tools never change. */
	value = strtod(text, &end);
	if (end != text + digits)
		return -1;
	if (*end != '\0')
		one = 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].name) == 0)
			one = units[i].ns;
	value *= one;
	if (!(value >= 1 && value < 1e18))
		return -1;
	*ns = (uint64_t)(value + 0.5);
	return 0;
}
