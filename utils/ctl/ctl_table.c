/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_table.c - what the service has answered, for people. A reason is often that of many counters, as
 * when all make way for somebody: so each is said once, below the table, with a number.
 */
#include "ctl/ctl_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/common.h"
#include "lib/data.h"

enum { NUMBER, NAME, EVENT, SCOPE, STATE, COLUMNS };

#define STATE_MAX 160
#define NAMED_MAX 4 /* places whose names are said; more are a number */

static const char *const heading[COLUMNS] = {"No", "Name", "Event", "Scope", "State"};

/* ---- fields of an answer, whoever has made it -------------------------------------------- */

static const char *get_answer_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static uint64_t get_answer_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* ---- states ------------------------------------------------------------------------------ */

/* How many of the counter's places are in the state that is the worst of them. */
static unsigned places_so(const json_t *counter, const char *state, char *names, size_t size)
{
	const json_t *place;
	unsigned n = 0;
	size_t i;

	names[0] = '\0';
	json_array_foreach(json_object_get(counter, "places"), i,
			   place) if (strcmp(get_answer_text(place, "state"), state) == 0)
	{
		size_t length = strlen(names);

		snprintf(names + length, size - length, "%s%s", n == 0 ? "" : ", ",
			 get_answer_text(place, "name"));
		n++;
	}
	return n;
}

/* "counting", "taken on cpu1, cpu3", "failed on 12 of 64". */
static void put_state(const json_t *counter, char text[STATE_MAX])
{
	const char *state = get_answer_text(counter, "state");
	unsigned all = (unsigned)json_array_size(json_object_get(counter, "places")), n;
	char names[STATE_MAX - 40];

	n = places_so(counter, state, names, sizeof(names));
	if (n == 0 || n == all)
		snprintf(text, STATE_MAX, "%s", state);
	else if (n <= NAMED_MAX)
		snprintf(text, STATE_MAX, "%s on %s", state, names);
	else
		snprintf(text, STATE_MAX, "%s on %u of %u", state, n, all);
}

/* ---- the table ---------------------------------------------------------------------------- */

struct row {
	char number[UTIL_NUMBER_MAX], state[STATE_MAX + 16];
	const char *cell[COLUMNS];
};

struct table {
	struct row *row;
	const char **reason; /* each once; their numbers begin with 1 */
	unsigned rows, reasons, width[COLUMNS];
};

/* The reason's number; 0 is none. */
static unsigned number_reason(struct table *table, const char *why)
{
	unsigned i = 0;

	if (why[0] == '\0')
		return 0;
	while (i < table->reasons && strcmp(table->reason[i], why) != 0)
		i++;
	if (i == table->reasons)
		table->reason[table->reasons++] = why;
	return i + 1;
}

static void fill_row(struct table *table, struct row *row, const json_t *counter)
{
	unsigned reason = number_reason(table, get_answer_text(counter, "why"));
	char state[STATE_MAX];

	snprintf(row->number, sizeof(row->number), "%" PRIu64, get_answer_number(counter, "number"));
	put_state(counter, state);
	if (reason != 0)
		snprintf(row->state, sizeof(row->state), "%s (%u)", state, reason);
	else
		snprintf(row->state, sizeof(row->state), "%s", state);
	row->cell[NUMBER] = row->number;
	row->cell[NAME] = get_answer_text(counter, "name");
	row->cell[EVENT] = get_answer_text(counter, "event");
	row->cell[SCOPE] = get_answer_text(counter, "scope");
	row->cell[STATE] = row->state;
	for (unsigned i = 0; i < COLUMNS; i++)
		util_widen(&table->width[i], row->cell[i]);
}

static void put_answer_row(FILE *out, const struct table *table, const char *const cell[COLUMNS])
{
	util_put_right(out, cell[NUMBER], table->width[NUMBER]);
	for (unsigned i = NAME; i < COLUMNS; i++) {
		fputs("  ", out);
		if (i == STATE)
			util_put(out, cell[i], UTIL_WIDTH_MAX);
		else
			util_put_left(out, cell[i], table->width[i]);
	}
	fputc('\n', out);
}

/* Text of the service, broken into lines; what a terminal could take for a command is not in it. */
static void put_wrapped(FILE *out, const char *text, unsigned indent)
{
	char *clean = NULL;
	size_t length;
	FILE *memory = open_memstream(&clean, &length);

	if (memory == NULL)
		return;
	util_put(memory, text, 4096);
	if (fclose(memory) == 0)
		util_wrap(out, clean, indent, indent, util_width(out));
	fputc('\n', out);
	free(clean);
}

static void put_answer_table(FILE *out, const struct table *table)
{
	put_answer_row(out, table, heading);
	for (unsigned i = 0; i < table->rows; i++)
		put_answer_row(out, table, table->row[i].cell);
	if (table->reasons > 0)
		fputc('\n', out);
	for (unsigned i = 0; i < table->reasons; i++) {
		int n = fprintf(out, "(%u) ", i + 1);

		put_wrapped(out, table->reason[i], n > 0 ? (unsigned)n : 0);
	}
}

/* The programs that the counters are yielded for: "sleep (pid 12, uid 0), make (pid 13, uid 1000)";
 * NULL: none. The caller frees it. */
static char *yielded_text(const json_t *answer)
{
	const json_t *list = json_object_get(answer, "yielded_for"), *who;
	char *text = NULL;
	size_t length, i;
	FILE *out = json_array_size(list) > 0 ? open_memstream(&text, &length) : NULL;

	if (out == NULL)
		return NULL;
	json_array_foreach(list, i, who)
	{
		const char *program = get_answer_text(who, "program");

		fprintf(out, "%s%s (pid %" PRIu64 ", uid %" PRIu64 ")", i == 0 ? "" : ", ",
			program[0] != '\0' ? program : "a client", get_answer_number(who, "pid"),
			get_answer_number(who, "uid"));
	}
	return fclose(out) == 0 ? text : NULL;
}

static void put_yielded(FILE *out, const json_t *answer)
{
	char *yielded = yielded_text(answer), *text = NULL;

	if (yielded != NULL && asprintf(&text, "yielded for %s", yielded) > 0) {
		fputc('\n', out);
		put_wrapped(out, text, 0);
		free(text);
	}
	free(yielded);
}

static void put_counters_table(FILE *out, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "counters"), *counter;
	size_t n = json_array_size(list), i;
	struct table table = {.rows = (unsigned)n};

	if (n == 0) {
		fputs("no counters; 'upcctl add EVENT' adds one\n", out);
		return;
	}
	table.row = calloc(n, sizeof(*table.row));
	table.reason = calloc(n, sizeof(*table.reason));
	if (table.row != NULL && table.reason != NULL) {
		for (i = 0; i < COLUMNS; i++)
			util_widen(&table.width[i], heading[i]);
		json_array_foreach(list, i, counter) fill_row(&table, &table.row[i], counter);
		put_answer_table(out, &table);
	} else {
		util_error("out of memory");
	}
	free(table.row);
	free(table.reason);
}

void ctl_put_counters(FILE *out, const json_t *answer)
{
	put_counters_table(out, answer);
	put_yielded(out, answer);
}

/* ---- status ------------------------------------------------------------------------------- */

#define STATUS_COLUMN 12

static void put_answer_line(FILE *out, const char *name, const char *text)
{
	if (text[0] == '\0')
		return;
	util_put_left(out, name, STATUS_COLUMN);
	put_wrapped(out, text, STATUS_COLUMN);
}

static void put_answer_time(FILE *out, const char *name, const json_t *answer, const char *key)
{
	time_t seconds = (time_t)(get_answer_number(answer, key) / 1000000000);
	struct tm local;
	char text[60];

	if (json_is_integer(json_object_get(answer, key)) && localtime_r(&seconds, &local) != NULL &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &local) > 0)
		put_answer_line(out, name, text);
}

static void put_interval(FILE *out, const json_t *answer)
{
	char number[UTIL_NUMBER_MAX], text[UTIL_NUMBER_MAX + 60];
	uint64_t ns = get_answer_number(answer, "interval_ns");
	const char *unit;

	if (!json_is_integer(json_object_get(answer, "interval_ns")))
		return;
	util_format_ns(ns, number, &unit);
	if (ns == 0)
		snprintf(text, sizeof(text), "when somebody asks");
	else
		snprintf(text, sizeof(text), "each %s %s, at multiples of it", number, unit);
	put_answer_line(out, "samples", text);
}

void ctl_put_status(FILE *out, const char *path, const json_t *answer)
{
	char text[60], *yielded = yielded_text(answer);

	put_answer_line(out, "service", path);
	put_answer_time(out, "since", answer, "started_ns");
	put_interval(out, answer);
	put_answer_time(out, "last sample", answer, "time_ns");
	if (json_is_integer(json_object_get(answer, "generation"))) {
		snprintf(text, sizeof(text), "%" PRIu64, get_answer_number(answer, "generation"));
		put_answer_line(out, "generation", text);
	}
	if (yielded != NULL) {
		put_answer_line(out, "yielded for", yielded);
	} else if (get_answer_number(answer, "yields") > 0) {
		snprintf(text, sizeof(text), "%" PRIu64 " of 'upcctl run'",
			 get_answer_number(answer, "yields"));
		put_answer_line(out, "yielded for", text);
	}
	free(yielded);
	put_answer_line(out, "noticing", get_answer_text(answer, "noticing"));
	put_answer_line(out, "unseen", get_answer_text(answer, "unseen"));
	put_answer_line(out, "remark", get_answer_text(answer, "remark"));
	fputc('\n', out);
	put_counters_table(out, answer);
}

/* ---- CSV ---------------------------------------------------------------------------------- */

/* Empty where there is none: what was not counted is no 0. */
static const char *format_answer_number(const json_t *object, const char *key, char text[UTIL_NUMBER_MAX])
{
	text[0] = '\0';
	if (json_is_integer(json_object_get(object, key)))
		snprintf(text, UTIL_NUMBER_MAX, "%" PRIu64, get_answer_number(object, key));
	return text;
}

static void put_counter_places(FILE *out, const json_t *counter)
{
	char number[UTIL_NUMBER_MAX], id[UTIL_NUMBER_MAX], value[UTIL_NUMBER_MAX], running[UTIL_NUMBER_MAX];
	const json_t *place;
	size_t i;

	format_answer_number(counter, "number", number);
	format_answer_number(counter, "id", id);
	json_array_foreach(json_object_get(counter, "places"), i, place)
	{
		const char *const row[] = {number,
					   id,
					   get_answer_text(counter, "name"),
					   get_answer_text(counter, "event"),
					   get_answer_text(counter, "unit"),
					   get_answer_text(counter, "scope"),
					   get_answer_text(place, "name"),
					   get_answer_text(place, "state"),
					   format_answer_number(place, "value", value),
					   format_answer_number(place, "running_ns", running),
					   get_answer_text(counter, "why")};

		util_csv_row(out, row, sizeof(row) / sizeof(row[0]));
	}
}

void ctl_put_csv(FILE *out, const json_t *answer)
{
	static const char *const row[] = {"number", "id",    "name",  "event",      "unit", "scope",
					  "place",  "state", "value", "running_ns", "why"};
	const json_t *counter;
	size_t i;

	util_csv_row(out, row, sizeof(row) / sizeof(row[0]));
	json_array_foreach(json_object_get(answer, "counters"), i, counter) put_counter_places(out, counter);
}
