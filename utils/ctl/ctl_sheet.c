/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_sheet.c - prints the service's answers as text, JSON or CSV. In text many counters may have the same
 * reason, for example when all yield to a program. Each reason is therefore printed once, with a number,
 * below the table.
 *
 * Terms: ctl/ctl_sheet.h.
 */
#include "ctl/ctl_sheet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sheet/sheet.h"

#define STATE_MAX 160
#define NAMED_MAX 4 /* places that are listed by name; more places are only counted */

/* ---- fields of an answer, for all formats ------------------------------------------------ */

static const char *get_answer_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static uint64_t get_answer_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* Set a cell from a field of the answer. A missing count becomes an empty cell, not 0. */
static void set_answer_cell(const json_t *object, const char *key, enum sheet_kind kind,
			    struct sheet_cell *cell)
{
	const json_t *value = json_object_get(object, key);

	if (kind == SHEET_TEXT)
		cell->text = get_answer_text(object, key);
	else if (kind == SHEET_FLAG)
		cell->count = json_is_true(value);
	else
		cell->count = get_answer_number(object, key);
	cell->absent = kind == SHEET_COUNT && !json_is_integer(value);
}

/* ---- states ------------------------------------------------------------------------------ */

/* Return the number of the counter's places in the given state, with their names. */
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

/* Format the state of a counter, which is the worst state of its places, with the places in this state and
 * the number of the reason: "counting", "taken on cpu1, cpu3 (1)", "failed on 12 of 64 (2)". */
static void put_state(const json_t *counter, unsigned reason, char text[STATE_MAX])
{
	const char *state = get_answer_text(counter, "state");
	unsigned all = (unsigned)json_array_size(json_object_get(counter, "places")), n;
	char names[STATE_MAX - 60], number[16] = "";

	n = places_so(counter, state, names, sizeof(names));
	if (reason != 0)
		snprintf(number, sizeof(number), " (%u)", reason);
	if (n == 0 || n == all)
		snprintf(text, STATE_MAX, "%s%s", state, number);
	else if (n <= NAMED_MAX)
		snprintf(text, STATE_MAX, "%.30s on %s%s", state, names, number);
	else
		snprintf(text, STATE_MAX, "%.30s on %u of %u%s", state, n, all, number);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* IDs of columns. The key of a FIELD or PLACE column is a field of the counter or of its place. */
enum { FIELD, PLACE, VALUE, STATES };

#define DATA SHEET_IN_DATA
#define JSON SHEET_IN_JSON
#define CSV SHEET_IN_CSV
#define TEXT SHEET_IN_TEXT

static const struct sheet_column counter_columns[] = {
	SHEET_COLUMN(FIELD, SHEET_COUNT, "number", "No", JSON | TEXT),
	SHEET_COLUMN(FIELD, SHEET_COUNT, "id", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "name", "Name", JSON | TEXT),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "event", "Event", JSON | TEXT),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "description", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "unit", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "scope", "Scope", JSON | TEXT),
	SHEET_COLUMN(FIELD, SHEET_FLAG, "level", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_FLAG, "hardware", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "state", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "why", NULL, JSON),
	SHEET_COLUMN(STATES, SHEET_TEXT, NULL, "State", TEXT),
};
/* The columns "name", "event", "unit" and "scope" show the counter's fields. */
static const struct sheet_column place_columns[] = {
	SHEET_COLUMN(FIELD, SHEET_COUNT, "number", NULL, DATA),
	SHEET_COLUMN(FIELD, SHEET_COUNT, "id", NULL, CSV),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "name", NULL, CSV),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "event", NULL, DATA),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "unit", NULL, CSV),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "scope", NULL, CSV),
	SHEET_COLUMN(PLACE, SHEET_TEXT, "place", NULL, DATA),
	SHEET_COLUMN(PLACE, SHEET_TEXT, "state", NULL, DATA),
	SHEET_COLUMN(VALUE, SHEET_VALUE, NULL, NULL, DATA),
	SHEET_COLUMN(PLACE, SHEET_COUNT, "running_ns", NULL, DATA),
};
static const struct sheet_column yielded_columns[] = {
	SHEET_COLUMN(FIELD, SHEET_COUNT, "pid", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_COUNT, "uid", NULL, JSON),
	SHEET_COLUMN(FIELD, SHEET_TEXT, "program", NULL, JSON),
};

struct ctl_row {
	const json_t *field, *place; /* object with the fields of the row; its place in the row, or NULL */
};

struct ctl_sheet {
	const json_t *answer;
	const char *list;    /* key of the answer's list whose objects are rows */
	bool places;         /* each row is a place of one of these objects */
	const char **reason; /* distinct reasons; the first one has number 1 */
	unsigned reasons;
	char *state; /* text of the current cell, STATE_MAX bytes, until the next cell */
};

/* Return the number of a reason, or 0 if the sheet does not have the reason. */
static unsigned reason_number(const struct ctl_sheet *sheet, const char *why)
{
	for (unsigned i = 0; i < sheet->reasons; i++)
		if (strcmp(sheet->reason[i], why) == 0)
			return i + 1;
	return 0;
}

/* Set a place's value, which was counted in running_ns, or the reason why there is no value. */
static void set_place_value(const struct ctl_row *row, struct sheet_cell *cell)
{
	const char *state = get_answer_text(row->place, "state"), *why = get_answer_text(row->field, "why");

	set_answer_cell(row->place, "value", SHEET_COUNT, cell);
	cell->whole = true;
	if (!cell->absent)
		return;
	cell->absent = false;
	cell->exactness = SHEET_UNCOUNTED;
	/* The counter has one reason, which explains its worst state. For a place in another state, the word
	 * for the state is shown in place of a reason. */
	cell->reason[cell->reasons++] =
		why[0] != '\0' && strcmp(state, get_answer_text(row->field, "state")) == 0 ? why : state;
}

static void ctl_sheet_cell(const void *arg, const void *of, const struct sheet_column *column,
			   struct sheet_cell *cell)
{
	const struct ctl_sheet *sheet = arg;
	const struct ctl_row *row = of;

	switch (column->id) {
	case VALUE:
		set_place_value(row, cell);
		break;
	case STATES:
		put_state(row->field, reason_number(arg, get_answer_text(row->field, "why")), sheet->state);
		cell->text = sheet->state;
		break;
	case PLACE:
		set_answer_cell(row->place, strcmp(column->key, "place") == 0 ? "name" : column->key,
				column->kind, cell);
		break;
	default:
		set_answer_cell(row->field, column->key, column->kind, cell);
	}
}

/* Put each object of the list; if sheet->places is set, each place of each object. */
static bool ctl_each_row(const void *arg, sheet_put *put, void *to)
{
	const struct ctl_sheet *sheet = arg;
	const json_t *field, *place;
	size_t i, k;

	json_array_foreach(json_object_get(sheet->answer, sheet->list), i, field)
	{
		if (!sheet->places && !put(to, &(struct ctl_row){field, NULL}))
			return false;
		json_array_foreach(sheet->places ? json_object_get(field, "places") : NULL, k,
				   place) if (!put(to, &(struct ctl_row){field, place})) return false;
	}
	return true;
}

static struct sheet_section ctl_section(const struct ctl_sheet *sheet, const struct sheet_column *column,
					size_t columns, unsigned forms)
{
	return (struct sheet_section){.key = sheet->places ? "places" : sheet->list,
				      .record = "place",
				      .forms = forms,
				      .column = column,
				      .columns = columns,
				      .arg = sheet,
				      .each = ctl_each_row,
				      .cell = ctl_sheet_cell};
}

#define CTL_SECTION(sheet, column, forms) \
	ctl_section(sheet, column, sizeof(column) / sizeof(*(column)), forms)

/* ---- JSON and CSV -------------------------------------------------------------------------- */

int ctl_put_data(FILE *out, const json_t *answer, enum util_format format)
{
	static const char *const keys[] = {"number", "id", "name", "place", NULL};
	static const char *const others[] = {"unit", "scope", "state", "running_ns", NULL};
	static const struct sheet_fact facts[] = {{.key = "ok", .kind = SHEET_FLAG},
						  {.key = "message"},
						  {.key = "generation", .kind = SHEET_COUNT},
						  {.key = "started_ns", .kind = SHEET_COUNT},
						  {.key = "time_ns", .kind = SHEET_COUNT},
						  {.key = "samples", .kind = SHEET_COUNT},
						  {.key = "interval_ns", .kind = SHEET_COUNT},
						  {.key = "yields", .kind = SHEET_COUNT},
						  {.key = "noticing"},
						  {.key = "unseen"},
						  {.key = "remark"}};
	const struct ctl_sheet yielded = {.answer = answer, .list = "yielded_for"},
			       counters = {.answer = answer, .list = "counters"},
			       places = {.answer = answer, .list = "counters", .places = true};
	const struct sheet_section section[] = {CTL_SECTION(&counters, counter_columns, JSON),
						CTL_SECTION(&places, place_columns, DATA),
						CTL_SECTION(&yielded, yielded_columns, JSON)};
	struct sheet_fact fact[sizeof(facts) / sizeof(*facts)];
	struct sheet sheet = {
		.tool = "upcctl", .fact = fact, .section = section, .keys = keys, .others = others};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (json_object_get(answer, facts[i].key) != NULL) {
			fact[sheet.facts] = facts[i];
			set_answer_cell(answer, facts[i].key, facts[i].kind, &fact[sheet.facts++].cell);
		}
	if (json_object_get(answer, "counters") != NULL)
		sheet.sections = json_object_get(answer, "yielded_for") != NULL ? 3 : 2;
	return sheet_print_data(out, &sheet, format);
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Wrap and print a text of the service. util_put replaces bytes that could control the terminal. */
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

/* Return the programs that the counters are yielded for, such as "sleep (pid 12, uid 0), make (pid 13, uid
 * 1000)". Return NULL if the counters are not yielded. The caller frees the text. */
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
	char state[STATE_MAX];
	struct ctl_sheet own = {.answer = answer, .list = "counters", .state = state};
	const struct sheet_section section = CTL_SECTION(&own, counter_columns, TEXT);
	size_t i;

	if (json_array_size(list) == 0) {
		fputs("no counters; 'upcctl add EVENT' adds one\n", out);
		return;
	}
	own.reason = calloc(json_array_size(list), sizeof(*own.reason));
	if (own.reason != NULL)
		json_array_foreach(list, i, counter)
		{
			const char *why = get_answer_text(counter, "why");

			if (why[0] != '\0' && reason_number(&own, why) == 0)
				own.reason[own.reasons++] = why;
		}
	if (own.reason == NULL || !sheet_text(out, &section, &(struct sheet_style){0}))
		util_error("out of memory");
	if (own.reasons > 0)
		fputc('\n', out);
	for (unsigned k = 0; k < own.reasons; k++)
		put_wrapped(out, own.reason[k], (unsigned)fprintf(out, "(%u) ", k + 1));
	free(own.reason);
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
