/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare_print.c - two reports beside each other, as a table, as JSON or as CSV.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "stat/stat_compare.h"

/* JSON's and CSV's words; "none": no difference is to be seen. NULL: nothing is known. */
static const char *verdict_word(enum stat_verdict verdict)
{
	static const char *const words[] = {
		[STAT_UNKNOWN] = NULL,
		[STAT_SAME] = "none",
		[STAT_LESS] = "less",
		[STAT_MORE] = "more",
	};

	return words[verdict];
}

/* ---- the table --------------------------------------------------------- */

enum { NAME, A, B, RATIO, INTERVAL, VERDICT, COLUMNS };

struct line {
	char cell[COLUMNS][UTIL_NUMBER_MAX + 8];
};

/* The file is anybody's: its numbers may be none that a count can have. */
static void put_compared_value(const char *unit, double value, char text[UTIL_NUMBER_MAX])
{
	/* Events have no seconds, the times of the runs have. */
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

/* Three digits behind the point, where they say something. */
static void put_ratio(double ratio, char text[UTIL_NUMBER_MAX])
{
	const char *form = ratio >= 100 ? "%.4g" : ratio >= 0.01 || ratio == 0 ? "%.3f" : "%.3g";

	snprintf(text, UTIL_NUMBER_MAX, form, ratio);
}

static struct line line_of(const struct stat_compared *row)
{
	const struct stat_change *change = &row->change;
	const char *word = verdict_word(change->verdict);
	char low[UTIL_NUMBER_MAX], high[UTIL_NUMBER_MAX];
	struct line line = {.cell = {""}};

	put_compared_value(row->unit, row->a.mean, line.cell[A]);
	put_compared_value(row->unit, row->b.mean, line.cell[B]);
	if (change->has_ratio)
		put_ratio(change->ratio, line.cell[RATIO]);
	if (change->has_interval) {
		put_ratio(change->low, low);
		put_ratio(change->high, high);
		snprintf(line.cell[INTERVAL], sizeof(line.cell[INTERVAL]), "%.15s to %.15s", low, high);
	}
	if (row->shortcoming != NULL)
		snprintf(line.cell[VERDICT], sizeof(line.cell[VERDICT]), "%s", row->shortcoming);
	else if (word != NULL)
		snprintf(line.cell[VERDICT], sizeof(line.cell[VERDICT]), "%s",
			 change->verdict == STAT_SAME ? "~" : word);
	return line;
}

static void print_comparison_line(FILE *out, const char *name, const struct line *line,
				  const unsigned width[COLUMNS])
{
	unsigned last = A;

	for (unsigned k = A; k < COLUMNS; k++)
		if (line->cell[k][0] != '\0')
			last = k;
	fputs("  ", out);
	util_pad(out, width[NAME] - util_put(out, name, width[NAME]));
	for (unsigned k = A; k <= last; k++) {
		unsigned columns = util_columns(line->cell[k]);

		util_pad(out, 2 + (k == VERDICT ? 0 : width[k] - columns));
		util_put(out, line->cell[k], columns);
	}
	fputc('\n', out);
}

static bool is_compared_seen(const struct stat_compared *row)
{
	return row->a.mean != 0 || row->b.mean != 0;
}

static int print_rows(FILE *out, const struct stat_comparison *c)
{
	static const struct line head = {.cell = {"", "A", "B", "B/A", "95 % interval", ""}};
	struct line *lines = calloc(c->n + 1, sizeof(*lines));
	unsigned width[COLUMNS] = {0};

	if (lines == NULL)
		return -1;
	for (unsigned k = A; k < COLUMNS; k++)
		width[k] = util_columns(head.cell[k]);
	for (unsigned i = 0; i < c->n; i++) {
		unsigned name = util_columns(c->row[i].name);

		lines[i] = line_of(&c->row[i]);
		if (!is_compared_seen(&c->row[i]))
			continue;
		if (width[NAME] < name)
			width[NAME] = name;
		for (unsigned k = A; k < COLUMNS; k++)
			if (width[k] < util_columns(lines[i].cell[k]))
				width[k] = util_columns(lines[i].cell[k]);
	}
	print_comparison_line(out, "", &head, width);
	for (unsigned i = 0; i < c->n; i++)
		if (is_compared_seen(&c->row[i]))
			print_comparison_line(out, c->row[i].name, &lines[i], width);
	free(lines);
	return 0;
}

static void print_side(FILE *out, const char *letter, const struct stat_side *side)
{
	size_t i;
	json_t *word;

	fprintf(out, "  %s: ", letter);
	util_put(out, side->file, UINT32_MAX);
	fprintf(out, ", %u run%s of", side->runs, side->runs == 1 ? "" : "s");
	json_array_foreach(json_object_get(side->report, "command"), i, word)
	{
		fputc(' ', out);
		util_put(out, json_string_value(word) != NULL ? json_string_value(word) : "?", UINT32_MAX);
	}
	if (i == 0)
		fputs(" what ran already", out);
	if (side->failed > 0)
		fprintf(out, "; %u failed", side->failed);
	fputc('\n', out);
}

static void print_missing_events(FILE *out, const char *letter, const struct stat_side *has,
				 const struct stat_side *has_not)
{
	char *text = NULL;
	const char *name;
	size_t size;
	FILE *names;

	if (stat_compare_missing(has, has_not, 0) == NULL)
		return;
	names = open_memstream(&text, &size);
	for (unsigned i = 0; names != NULL && (name = stat_compare_missing(has, has_not, i)) != NULL; i++)
		fprintf(names, "%s%s", i > 0 ? ", " : "", name);
	if (names != NULL)
		fclose(names);
	fprintf(out, "  only in %s: ", letter);
	util_wrap(out, text != NULL ? text : "", 13, 13, util_width(out));
	fputc('\n', out);
	free(text);
}

static void print_comparison_text(FILE *out, const struct stat_comparison *c)
{
	const char *a = json_string_value(json_object_get(c->a.report, "wiring"));
	const char *b = json_string_value(json_object_get(c->b.report, "wiring"));

	fputc('\n', out);
	print_side(out, "A", &c->a);
	print_side(out, "B", &c->b);
	fputc('\n', out);
	if (print_rows(out, c) != 0)
		util_error("out of memory");
	fputc('\n', out);
	print_missing_events(out, "A", &c->a, &c->b);
	print_missing_events(out, "B", &c->b, &c->a);
	if (a != NULL && b != NULL && strcmp(a, b) != 0)
		fputs("  the wiring files differ: one name may mean two things\n", out);
	if (c->a.runs < STAT_CHANGE_RUNS || c->b.runs < STAT_CHANGE_RUNS)
		fprintf(out,
			"  no verdict: that takes %d runs or more of each (-r), which say how far they spread\n",
			STAT_CHANGE_RUNS);
	fputc('\n', out);
}

/* ---- JSON and CSV ------------------------------------------------------ */

static json_t *json_side(const struct stat_side *side)
{
	json_t *object = json_object(), *command = json_object_get(side->report, "command");

	json_object_set_new(object, "file", util_json_string(side->file));
	if (command != NULL)
		json_object_set(object, "command", command);
	json_object_set_new(object, "run_count", json_integer(side->runs));
	json_object_set_new(object, "failed_runs", json_integer(side->failed));
	return object;
}

static json_t *json_row(const struct stat_compared *row)
{
	const struct stat_change *change = &row->change;
	json_t *object = json_object();

	json_object_set_new(object, "event", util_json_string(row->name));
	json_object_set_new(object, "unit", util_json_string(row->unit));
	json_object_set_new(object, "a", json_real(row->a.mean));
	json_object_set_new(object, "b", json_real(row->b.mean));
	if (change->has_ratio)
		json_object_set_new(object, "ratio", json_real(change->ratio));
	if (change->has_interval) {
		json_object_set_new(object, "low", json_real(change->low));
		json_object_set_new(object, "high", json_real(change->high));
	}
	if (verdict_word(change->verdict) != NULL)
		json_object_set_new(object, "verdict", json_string(verdict_word(change->verdict)));
	if (row->shortcoming != NULL)
		json_object_set_new(object, "shortcoming", util_json_string(row->shortcoming));
	return object;
}

static json_t *json_missing(const struct stat_side *has, const struct stat_side *has_not)
{
	json_t *list = json_array();
	const char *name;

	for (unsigned i = 0; (name = stat_compare_missing(has, has_not, i)) != NULL; i++)
		json_array_append_new(list, util_json_string(name));
	return list;
}

static void print_comparison_json(FILE *out, const struct stat_comparison *c)
{
	json_t *object = util_json_begin("upc_stat"), *list = json_array();

	json_object_set_new(object, "report_a", json_side(&c->a));
	json_object_set_new(object, "report_b", json_side(&c->b));
	for (unsigned i = 0; i < c->n; i++)
		json_array_append_new(list, json_row(&c->row[i]));
	json_object_set_new(object, "compared", list);
	json_object_set_new(object, "only_a", json_missing(&c->a, &c->b));
	json_object_set_new(object, "only_b", json_missing(&c->b, &c->a));
	util_json_put(out, object, false);
}

static void print_comparison_csv(FILE *out, const struct stat_comparison *c)
{
	fputs("event,unit,a,b,ratio,low,high,verdict,shortcoming\n", out);
	for (unsigned i = 0; i < c->n; i++) {
		const struct stat_compared *row = &c->row[i];
		const char *word = verdict_word(row->change.verdict);

		util_csv_put(out, row->name);
		fputc(',', out);
		util_csv_put(out, row->unit);
		fprintf(out, ",%.15g,%.15g,", row->a.mean, row->b.mean);
		if (row->change.has_ratio)
			fprintf(out, "%.6g", row->change.ratio);
		if (row->change.has_interval)
			fprintf(out, ",%.6g,%.6g,", row->change.low, row->change.high);
		else
			fputs(",,,", out);
		fprintf(out, "%s,", word != NULL ? word : "");
		util_csv_put(out, row->shortcoming != NULL ? row->shortcoming : "");
		fputc('\n', out);
	}
}

void stat_compare_print(FILE *out, enum util_format format, const struct stat_comparison *c)
{
	switch (format) {
	case UTIL_TEXT:
		print_comparison_text(out, c);
		break;
	case UTIL_JSON:
		print_comparison_json(out, c);
		break;
	case UTIL_CSV:
		print_comparison_csv(out, c);
		break;
	}
}
