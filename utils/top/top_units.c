/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_units.c - lists shared units with their owners, and finds units whose names are similar to a mistyped
 * name.
 *
 * Terms: top/top_table.h.
 */
#include "top/top_units.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue/nearest.h"
#include "lib/common.h"
#include "lib/list.h"
#include "sheet/sheet.h"
#include "top/top_screen.h"
#include "top/top_table.h"

#define NEAREST 3
#define SHOWN_MAX 64 /* characters of a unit's name */
#define NAME_COLUMNS 20
#define COMMAND_MAX 512

/* The state of a unit. */
enum state { RUNNING, STOPPED, CHANGING, ENDED, LEFT_BEHIND, NOT_READABLE, BROKEN };

struct unit {
	char *name;
	uid_t user;
	enum state state;
	pid_t process; /* 0: unknown */
	char command[COMMAND_MAX];
};

struct units {
	struct unit *unit;
	size_t n;
	const uid_t *user; /* list only units of this user; NULL: units of all users */
};

/* ---- users and processes ----------------------------------------------- */

struct upc_monitor_options top_units_options(uid_t user)
{
	struct upc_monitor_options options = UPC_OPTIONS_INIT(upc_monitor_options);

	options.foreign = user != geteuid();
	options.user = user;
	return options;
}

void top_units_user(uid_t user, char text[TOP_USER_MAX])
{
	const struct passwd *entry = getpwuid(user);

	if (entry != NULL && entry->pw_name[0] != '\0')
		snprintf(text, TOP_USER_MAX, "%s", entry->pw_name);
	else
		snprintf(text, TOP_USER_MAX, "%u", (unsigned)user);
}

int top_units_find_user(const char *text, uid_t *user)
{
	const struct passwd *entry = getpwnam(text);
	long number;

	if (entry != NULL)
		*user = entry->pw_uid;
	else if (util_parse_number(text, 0, 0xfffffffel, &number) == 0)
		*user = (uid_t)number;
	else
		return -1;
	return 0;
}

void top_units_command(pid_t process, uid_t user, char *text, size_t size)
{
	char path[64];
	struct stat status;
	ssize_t n = 0;
	int fd;

	text[0] = '\0';
	if (process <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_uid == user)
		n = read(fd, text, size - 1);
	close(fd);
	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	text[n > 0 ? n : 0] = '\0';
}

/* ---- the list ---------------------------------------------------------- */

static int collect_unit(const char *name, uid_t user, void *arg)
{
	struct units *units = arg;

	if (units->user != NULL && *units->user != user)
		return 0;
	if (!util_grow(&units->unit, units->n, sizeof(*units->unit)))
		return UPC_ENOMEM;
	units->unit[units->n] = (struct unit){.name = strdup(name), .user = user};
	if (units->unit[units->n].name == NULL)
		return UPC_ENOMEM;
	units->n++;
	return 0;
}

static int by_user_and_name(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Collect all shared units, sorted. Return 0 or the library's error. */
static int find_all(struct units *units)
{
	int result = upc_monitor_list(collect_unit, units);

	if (units->n > 0)
		qsort(units->unit, units->n, sizeof(*units->unit), by_user_and_name);
	return result < 0 ? result : 0;
}

static void free_units(struct units *units)
{
	for (size_t i = 0; i < units->n; i++)
		free(units->unit[i].name);
	free(units->unit);
}

static enum state state_of_error(int error)
{
	switch (error) {
	case UPC_EGONE:
		return LEFT_BEHIND;
	case UPC_ESTATE:
		return CHANGING;
	case UPC_ENOSUPP:
		return BROKEN;
	default:
		return NOT_READABLE;
	}
}

/* Read the unit's state. Return false if the unit has disappeared since it was listed. */
static bool look_at_unit(struct unit *unit)
{
	struct upc_monitor_options options = top_units_options(unit->user);
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor *monitor;
	int error = upc_monitor_open(unit->name, &options, &monitor);

	if (error == UPC_ENOTASK)
		return false;
	if (error != 0) {
		unit->state = state_of_error(error);
		return true;
	}
	error = upc_monitor_read(monitor, NULL, &info);
	if (error == 0) {
		unit->process = info.process;
		unit->state = info.ended ? ENDED : info.running ? RUNNING : STOPPED;
		top_units_command(info.process, unit->user, unit->command, sizeof(unit->command));
	} else {
		unit->state = state_of_error(error);
	}
	if (unit->state != ENDED && !upc_monitor_alive(monitor))
		unit->state = LEFT_BEHIND;
	upc_monitor_close(monitor);
	return true;
}

static const char *const state_words[] = {
	[RUNNING] = "running",   [STOPPED] = "stopped",         [CHANGING] = "in a change",
	[ENDED] = "ended",       [LEFT_BEHIND] = "left behind", [NOT_READABLE] = "not readable",
	[BROKEN] = "not a unit",
};

static void put_cut_text(const char *text, unsigned width)
{
	unsigned columns = top_table_cut(stdout, text, width);

	util_pad(stdout, width - columns);
}

static void print_list(const struct units *units)
{
	unsigned width = top_screen_columns(), name = NAME_COLUMNS, user = 8;
	char text[TOP_USER_MAX];

	if (units->n == 0) {
		puts("No unit is shared.");
		return;
	}
	/* Never cut names: they have at most 64 characters, and the user has to type them. */
	for (size_t i = 0; i < units->n; i++) {
		unsigned columns = util_columns(units->unit[i].name);

		if (columns > name)
			name = columns;
		top_units_user(units->unit[i].user, text);
		if (util_columns(text) > user)
			user = util_columns(text);
	}
	printf("%-*s  %-*s  %8s  %-12s  %s\n", (int)name, "name", (int)user, "user", "process", "state",
	       "command");
	for (size_t i = 0; i < units->n; i++) {
		const struct unit *unit = &units->unit[i];
		unsigned used = name + user + 8 + 12 + 8;
		char process[16] = "-";

		put_cut_text(unit->name, name);
		fputs("  ", stdout);
		top_units_user(unit->user, text);
		put_cut_text(text, user);
		if (unit->process > 0)
			snprintf(process, sizeof(process), "%d", (int)unit->process);
		printf("  %8s  ", process);
		if (unit->command[0] == '\0') {
			puts(state_words[unit->state]);
			continue;
		}
		printf("%-12s  ", state_words[unit->state]);
		top_table_cut(stdout, unit->command, width > used + 10 ? width - used : 10);
		putchar('\n');
	}
}

enum { NAME, USER, UID, PROCESS, STATE, COMMAND };

static const struct sheet_column columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, "name", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(USER, SHEET_TEXT, "user", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(UID, SHEET_COUNT, "uid", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(PROCESS, SHEET_COUNT, "pid", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(STATE, SHEET_TEXT, "state", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(COMMAND, SHEET_TEXT, "command_line", NULL, SHEET_IN_DATA),
};

static void set_unit_cell(const void *arg, const void *row, const struct sheet_column *column,
			  struct sheet_cell *cell)
{
	static char user[TOP_USER_MAX];
	const struct unit *unit = row;
	const struct sheet_cell cells[] = {
		[NAME] = {.text = unit->name},
		[USER] = {.text = user},
		[UID] = {.count = unit->user},
		[PROCESS] = {.count = (uint64_t)unit->process, .absent = unit->process <= 0},
		[STATE] = {.text = state_words[unit->state]},
		[COMMAND] = {.text = unit->command},
	};

	(void)arg;
	if (column->id == USER)
		top_units_user(unit->user, user);
	*cell = cells[column->id];
}

static bool each_unit(const void *arg, sheet_put *put, void *to)
{
	const struct units *units = arg;

	for (size_t i = 0; i < units->n; i++)
		if (!put(to, &units->unit[i]))
			return false;
	return true;
}

static int print_units_data(const struct units *units, enum util_format format)
{
	static const char *const keys[] = {"name", "user", "uid", "pid", "state", "command_line", NULL},
				 *const others[] = {NULL};
	const struct sheet_section section = {.key = "units",
					      .record = "unit",
					      .forms = SHEET_IN_DATA,
					      .column = columns,
					      .columns = sizeof(columns) / sizeof(*columns),
					      .arg = units,
					      .each = each_unit,
					      .cell = set_unit_cell};

	return sheet_print_data(stdout,
				&(struct sheet){.tool = "upc_top",
						.section = &section,
						.sections = 1,
						.keys = keys,
						.others = others,
						.plain = true},
				format);
}

int top_units_list(const uid_t *user, enum util_format format)
{
	struct units units = {.user = user};
	int error = find_all(&units), status = UTIL_OK;

	if (error != 0) {
		util_error("cannot list shared units: %s",
			   error == UPC_ENOMEM || upc_last_message()[0] == '\0' ? upc_strerror(error)
										: upc_last_message());
		status = UTIL_FAILED;
	} else {
		size_t kept = 0;

		for (size_t i = 0; i < units.n; i++) {
			if (look_at_unit(&units.unit[i]))
				units.unit[kept++] = units.unit[i];
			else
				free(units.unit[i].name);
		}
		units.n = kept;
		if (format != UTIL_TEXT)
			status = print_units_data(&units, format);
		else
			print_list(&units);
		if (util_flush(stdout, "standard output") != 0)
			status = UTIL_FAILED;
	}
	free_units(&units);
	return status;
}

/* ---- similar names ------------------------------------------------------ */

void top_units_say_missing(const char *name, uid_t user)
{
	struct units units = {.n = 0};
	const struct unit *best[NEAREST];
	unsigned far[NEAREST], n = 0;
	char line[NEAREST * (SHOWN_MAX + TOP_USER_MAX + 16)] = "", owner[TOP_USER_MAX];
	size_t length = 0;

	find_all(&units);
	for (size_t i = 0; i < units.n; i++) {
		/* For equal distances, the caller's own units come before those of other users. */
		unsigned d = 2 * upci_name_distance(name, units.unit[i].name) + (units.unit[i].user != user),
			 k;

		if (d >= 2 * UPCI_FAR)
			continue;
		for (k = n; k > 0 && far[k - 1] > d; k--)
			if (k < NEAREST) {
				far[k] = far[k - 1];
				best[k] = best[k - 1];
			}
		if (k < NEAREST) {
			far[k] = d;
			best[k] = &units.unit[i];
			n += n < NEAREST;
		}
	}
	for (unsigned i = 0; i < n && length < sizeof(line); i++) {
		length += (size_t)snprintf(line + length, sizeof(line) - length, "%s%.*s", i > 0 ? ", " : "",
					   (int)SHOWN_MAX, best[i]->name);
		if (best[i]->user == user || length >= sizeof(line))
			continue;
		top_units_user(best[i]->user, owner);
		length += (size_t)snprintf(line + length, sizeof(line) - length, " (-u %s)", owner);
	}
	top_units_user(user, owner);
	if (n > 0)
		util_error("%s shares no unit '%s'; nearest: %s", owner, name, line);
	else
		util_error("%s shares no unit '%s'; upc_top --list names those that there are", owner, name);
	free_units(&units);
}
