/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare_print.c - prints the comparison of two reports as a sheet (sheet/sheet.h).
 *
 * Terms: stat/stat_session.h, sheet/sheet.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "stat/stat_compare.h"
#include "stat/stat_sheet.h"

struct compare_sheet {
	const struct stat_comparison *comparison;
	bool text;    /* the form is text, which omits rows that are 0 in both reports */
	char *buffer; /* text of the current cell, until the next one; 2 * UTIL_NUMBER_MAX bytes */
};

/* Words for verdicts, in JSON and CSV and in text. "none" and "~" mean that no difference is visible. */
static const struct {
	const char *word, *shown;
} verdicts[] = {
	[STAT_UNKNOWN] = {NULL, ""},
	[STAT_SAME] = {"none", "~"},
	[STAT_LESS] = {"less", "less"},
	[STAT_MORE] = {"more", "more"},
};

/* ---- cells -------------------------------------------------------------------------------------- */

/* Format a value. A user may have edited the file, so the number may be impossible for a count. */
static void put_compared_value(const char *unit, double value, char text[2 * UTIL_NUMBER_MAX])
{
	/* The unit of the runs' times is "s", which no event has. */
	const double one = strcmp(unit, "s") == 0 ? 1e9 : (double)util_unit_ns(unit), ns = value * one;
	const char *shown = "";
	size_t n;

	if (value < 0 || value > 1e18 || ns > 1e18)
		snprintf(text, UTIL_NUMBER_MAX, "%.6g", value);
	else if (one > 0)
		util_format_ns((uint64_t)llround(ns), text, &shown);
	else if (value >= 1000 || value == floor(value))
		util_format_count((uint64_t)llround(value), text);
	else
		snprintf(text, UTIL_NUMBER_MAX, "%.3g", value);
	n = strlen(text);
	if (shown[0] != '\0')
		snprintf(text + n, UTIL_NUMBER_MAX - n, " %s", shown);
}

/* Format a ratio with three decimals, or with four significant digits from 100 on, and three below 0.01. */
static void put_ratio(double ratio, char text[UTIL_NUMBER_MAX])
{
	const char *form = ratio >= 100 ? "%.4g" : ratio >= 0.01 || ratio == 0 ? "%.3f" : "%.3g";

	snprintf(text, UTIL_NUMBER_MAX, form, ratio);
}

static void put_ratio_interval(const struct stat_change *change, char text[2 * UTIL_NUMBER_MAX])
{
	char low[UTIL_NUMBER_MAX], high[UTIL_NUMBER_MAX];

	put_ratio(change->low, low);
	put_ratio(change->high, high);
	snprintf(text, 2 * UTIL_NUMBER_MAX, "%.15s to %.15s", low, high);
}

static const char *compared_shortcoming(const struct stat_compared *row)
{
	return row->shortcoming[0] != NULL ? row->shortcoming[0] : row->shortcoming[1];
}

static void set_compared_value(const struct stat_compared *row, unsigned side, struct sheet_cell *cell)
{
	const struct stat_spread *spread = &row->spread[side];

	cell->value = spread->mean;
	cell->exactness = row->exactness[side];
	cell->low = -INFINITY;
	cell->high = INFINITY;
	cell->error = cell->freedom = cell->coverage = NAN;
	if (spread->n == 0)
		cell->exactness = SHEET_UNCOUNTED;
	if (row->shortcoming[side] != NULL)
		cell->reason[cell->reasons++] = row->shortcoming[side];
	if (spread->n > 1)
		stat_sheet_set_mean(cell, spread);
}

static void set_compared_ratio(const struct stat_compared *row, struct sheet_cell *cell)
{
	const struct stat_change *change = &row->change;
	const char *shortcoming = compared_shortcoming(row);

	cell->value = change->ratio;
	cell->low = change->has_interval ? change->low : -INFINITY;
	cell->high = change->has_interval ? change->high : INFINITY;
	cell->error = cell->freedom = cell->coverage = NAN;
	cell->exactness = !change->has_ratio ? SHEET_UNCOUNTED
			  : shortcoming != NULL || row->spread[0].n > 1 || row->spread[1].n > 1
				  ? SHEET_ESTIMATE
				  : SHEET_EXACT;
	if (shortcoming != NULL)
		cell->reason[cell->reasons++] = shortcoming;
	else if (cell->exactness != SHEET_EXACT)
		cell->reason[cell->reasons++] = change->has_ratio ? "mean of several runs" : "A is 0";
}

enum { EVENT, UNIT, A, B, RATIO, VERDICT, SHOWN_A, SHOWN_B, SHOWN_RATIO, SHOWN_INTERVAL, SHOWN_VERDICT };

#define DATA SHEET_IN_DATA
#define TEXT SHEET_IN_TEXT

static const struct sheet_column compared_columns[] = {
	SHEET_COLUMN(EVENT, SHEET_TEXT, "event", "", DATA | TEXT, ),
	SHEET_COLUMN(UNIT, SHEET_TEXT, "unit", NULL, DATA, ),
	SHEET_COLUMN(A, SHEET_VALUE, "a", NULL, DATA, ),
	SHEET_COLUMN(B, SHEET_VALUE, "b", NULL, DATA, ),
	SHEET_COLUMN(RATIO, SHEET_VALUE, "ratio", NULL, DATA, ),
	SHEET_COLUMN(VERDICT, SHEET_TEXT, "verdict", NULL, DATA, ),
	SHEET_COLUMN(SHOWN_A, SHEET_TEXT, NULL, "A", TEXT, .right = true),
	SHEET_COLUMN(SHOWN_B, SHEET_TEXT, NULL, "B", TEXT, .right = true),
	SHEET_COLUMN(SHOWN_RATIO, SHEET_TEXT, NULL, "B/A", TEXT, .right = true),
	SHEET_COLUMN(SHOWN_INTERVAL, SHEET_TEXT, NULL, "95 % interval", TEXT, .right = true),
	SHEET_COLUMN(SHOWN_VERDICT, SHEET_TEXT, NULL, "", TEXT, ),
};

/* Return the text, for text reports, of a value, a ratio, its interval or a verdict. */
static const char *show_compared(char *text, const struct stat_compared *row, unsigned id)
{
	strcpy(text, "");
	if (id == SHOWN_VERDICT)
		return compared_shortcoming(row) != NULL ? compared_shortcoming(row)
							 : verdicts[row->change.verdict].shown;
	if (id == SHOWN_RATIO && row->change.has_ratio)
		put_ratio(row->change.ratio, text);
	if (id == SHOWN_INTERVAL && row->change.has_interval)
		put_ratio_interval(&row->change, text);
	if (id <= SHOWN_B && row->spread[id - SHOWN_A].n > 0)
		put_compared_value(row->unit, row->spread[id - SHOWN_A].mean, text);
	else if (id <= SHOWN_B)
		strcpy(text, "-");
	return text;
}

static void cell_of_compared(const void *arg, const void *of, const struct sheet_column *column,
			     struct sheet_cell *cell)
{
	const struct stat_compared *row = of;

	cell->depth = column->id == EVENT;
	if (column->id == EVENT)
		cell->text = row->name;
	else if (column->id == UNIT)
		cell->text = row->unit;
	else if (column->id == RATIO)
		set_compared_ratio(row, cell);
	else if (column->id < RATIO)
		set_compared_value(row, column->id - A, cell);
	else if (column->id == VERDICT)
		cell->absent = (cell->text = verdicts[row->change.verdict].word) == NULL;
	else
		cell->text = show_compared(((const struct compare_sheet *)arg)->buffer, row, column->id);
}

static bool each_compared(const void *arg, sheet_put *put, void *to)
{
	const struct compare_sheet *sheet = arg;

	for (unsigned i = 0; i < sheet->comparison->n; i++) {
		const struct stat_compared *row = &sheet->comparison->row[i];
		const bool seen = row->spread[0].mean != 0 || row->spread[1].mean != 0;

		if ((seen || !sheet->text) && !put(to, row))
			return false;
	}
	return true;
}

/* ---- the two reports ---------------------------------------------------------------------------- */

/* Fill in the facts of a side: its file, command and runs, and the events that the other side lacks. */
static void set_side_facts(const struct stat_side *side, const char *const key[5], struct sheet_fact *fact)
{
	fact[0] = (struct sheet_fact){.key = key[0], .cell = {.text = side->file}};
	fact[1] = (struct sheet_fact){.key = key[1],
				      .cell = {.absent = side->command == NULL, .text = side->command}};
	fact[2] = (struct sheet_fact){.key = key[2], .kind = SHEET_COUNT, .cell = {.count = side->runs}};
	fact[3] = (struct sheet_fact){.key = key[3], .kind = SHEET_COUNT, .cell = {.count = side->failed}};
	fact[4] = (struct sheet_fact){.key = key[4], .list = side->only, .n = side->onlys};
}

static void print_side(FILE *out, const struct stat_side *side)
{
	fprintf(out, "  %s: ", side->letter);
	util_put(out, side->file, UINT32_MAX);
	fprintf(out, ", %u run%s of ", side->runs, side->runs == 1 ? "" : "s");
	util_put(out, side->command != NULL ? side->command : "what ran already", UINT32_MAX);
	if (side->failed > 0)
		fprintf(out, "; %u failed", side->failed);
	fputc('\n', out);
}

static void print_only(FILE *out, const struct stat_side *side)
{
	char *text = NULL;
	size_t size;
	FILE *names = side->onlys > 0 ? open_memstream(&text, &size) : NULL;

	if (names == NULL)
		return;
	for (size_t i = 0; i < side->onlys; i++)
		fprintf(names, "%s%s", i > 0 ? ", " : "", side->only[i].text);
	fclose(names);
	fprintf(out, "  only in %s: ", side->letter);
	util_wrap(out, text != NULL ? text : "", 13, 13, util_width(out));
	fputc('\n', out);
	free(text);
}

/* Fill in notes about weaknesses of the comparison. Return their number. */
static size_t note_compared(const struct stat_comparison *c, struct sheet_note note[2])
{
	const char *a = json_string_value(json_object_get(c->side[0].report, "wiring"));
	const char *b = json_string_value(json_object_get(c->side[1].report, "wiring"));
	size_t n = 0;

	if (a != NULL && b != NULL && strcmp(a, b) != 0)
		note[n++] = (struct sheet_note){
			.what = "the wiring files differ: one name may mean two things", .times = 1};
	if (c->side[0].runs < STAT_CHANGE_RUNS || c->side[1].runs < STAT_CHANGE_RUNS)
		note[n++] = (struct sheet_note){
			.what = "no verdict: that takes 4 runs or more of each (-r), which say how far they spread",
			.times = 1};
	return n;
}

static bool print_comparison_text(FILE *out, const struct stat_comparison *c, const struct sheet *sheet)
{
	bool done;

	fputc('\n', out);
	print_side(out, &c->side[0]);
	print_side(out, &c->side[1]);
	fputc('\n', out);
	done = sheet_text(out, sheet->section, &(struct sheet_style){.width = util_width(out)});
	fputc('\n', out);
	print_only(out, &c->side[0]);
	print_only(out, &c->side[1]);
	for (size_t i = 0; i < sheet->notes; i++)
		fprintf(out, "  %s\n", sheet->note[i].what);
	fputc('\n', out);
	return done;
}

bool stat_compare_print(FILE *out, enum util_format format, const struct stat_comparison *c)
{
	static const char *const keys[] = {NULL}, *const others[] = {"a", "b", "unit", "verdict", NULL};
	char buffer[2 * UTIL_NUMBER_MAX];
	const struct compare_sheet compare = {.comparison = c, .text = format == UTIL_TEXT, .buffer = buffer};
	struct sheet_note notes[2];
	static const char *const key[][5] = {
		{"file_a", "command_a", "run_count_a", "failed_runs_a", "only_a"},
		{"file_b", "command_b", "run_count_b", "failed_runs_b", "only_b"}};
	struct sheet_fact facts[10];
	const struct sheet_section section = {.key = "compared",
					      .record = "compared",
					      .forms = DATA | TEXT,
					      .column = compared_columns,
					      .columns = sizeof(compared_columns) / sizeof(*compared_columns),
					      .arg = &compare,
					      .each = each_compared,
					      .cell = cell_of_compared};
	const struct sheet sheet = {.tool = "upc_stat",
				    .fact = facts,
				    .facts = 10,
				    .section = &section,
				    .sections = 1,
				    .note = notes,
				    .notes = note_compared(c, notes),
				    .keys = keys,
				    .others = others};

	set_side_facts(&c->side[0], key[0], facts);
	set_side_facts(&c->side[1], key[1], facts + 5);
	if (format == UTIL_TEXT)
		return print_comparison_text(out, c, &sheet);
	return (format == UTIL_CSV ? sheet_csv : sheet_json)(out, &sheet);
}
