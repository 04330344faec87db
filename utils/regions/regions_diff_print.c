/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff_print.c - makes a sheet of a comparison of runs: the regions with calls and times, and all
 * measures that were compared.
 * Terms: regions/regions_data.h.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/common.h"
#include "regions/regions_diff.h"
#include "regions/regions_report.h"
#include "sheet/sheet.h"

static const char *const verdict[] = {
	[UTIL_OPEN] = "open",         [UTIL_UNJUDGED] = "not judged", [UTIL_SAME] = "same",
	[UTIL_NOT_TOLD] = "not told", [UTIL_LESS] = "less",           [UTIL_MORE] = "more",
};

enum { REGIONS, COMPARED, SECTIONS };
enum { FACTS = 6 };

struct diff_sheet {
	const struct regions_diff *diff;
	unsigned form;
	struct sheet sheet;
	struct sheet_section section[SECTIONS];
	struct sheet_fact fact[FACTS];
	struct sheet_cell *file[2];
	char *text; /* text of a cell, until the next cell */
};

/* ---- regions ------------------------------------------------------------------------------------- */

enum { NAME, PATH, PARENT, CALLS, CALLS_AFTER, SECONDS, SECONDS_AFTER, CHANGE, FATE };
enum { EVENT = FATE + 1, OWN, WHICH, BEFORE, AFTER, ABSOLUTE, LOW, HIGH, CHANCE, VERDICT };

#define TEXT SHEET_IN_TEXT
#define JSON SHEET_IN_JSON
#define DATA SHEET_IN_DATA
#define PERCENT(id, header) \
	SHEET_COLUMN(id, SHEET_NUMBER, NULL, header, TEXT, .unit = "%", .decimals = 1, .sign = true)

static const struct sheet_column region_columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, "region", "Region", SHEET_IN_ALL, .width = 20, .most = 48),
	SHEET_COLUMN(PATH, SHEET_COUNT, "path", NULL, DATA),
	SHEET_COLUMN(PARENT, SHEET_COUNT, "parent", NULL, DATA),
	SHEET_COLUMN(CALLS, SHEET_NUMBER, "calls_before", NULL, JSON),
	SHEET_COLUMN(CALLS_AFTER, SHEET_NUMBER, "calls_after", NULL, JSON),
	SHEET_COLUMN(CALLS, SHEET_COUNT, NULL, "Calls", TEXT, .width = 10),
	SHEET_COLUMN(CALLS_AFTER, SHEET_COUNT, NULL, "then", TEXT, .width = 10),
	SHEET_COLUMN(SECONDS, SHEET_NUMBER, "seconds_before", "Time", JSON | TEXT, .unit = "s", .decimals = 6,
		     .width = 13),
	SHEET_COLUMN(SECONDS_AFTER, SHEET_NUMBER, "seconds_after", "then", JSON | TEXT, .decimals = 6,
		     .width = 13),
	PERCENT(CHANGE, "Change"),
	SHEET_COLUMN(FATE, SHEET_TEXT, NULL, "", TEXT),
};

static const struct sheet_column compared_columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, "region", "Region", SHEET_IN_ALL, .width = 20, .most = 40),
	SHEET_COLUMN(PATH, SHEET_COUNT, "path", NULL, DATA),
	SHEET_COLUMN(EVENT, SHEET_TEXT, "event", "Event", SHEET_IN_ALL),
	SHEET_COLUMN(OWN, SHEET_FLAG, "exclusive", NULL, DATA),
	SHEET_COLUMN(WHICH, SHEET_TEXT, NULL, "", TEXT),
	SHEET_COLUMN(BEFORE, SHEET_VALUE, "before", "Before", SHEET_IN_ALL, .width = 11),
	SHEET_COLUMN(AFTER, SHEET_VALUE, "after", "After", SHEET_IN_ALL, .width = 11),
	SHEET_COLUMN(ABSOLUTE, SHEET_VALUE, "change", NULL, DATA),
	PERCENT(CHANGE, "Change"),
	PERCENT(LOW, "from"),
	PERCENT(HIGH, "to"),
	SHEET_COLUMN(CHANCE, SHEET_NUMBER, "chance", NULL, DATA),
	SHEET_COLUMN(VERDICT, SHEET_TEXT, "verdict", NULL, DATA),
};

/* Set the cell to the name of a region. In the text form, a path has all its names, or in a deep path the
 * outermost and innermost ones. */
static void diff_set_name(struct diff_sheet *sheet, uint32_t key, struct sheet_cell *cell)
{
	const struct regions_diff *diff = sheet->diff;

	cell->text = regions_name_of(diff->data, diff->by, key);
	cell->absent = regions_is_outside(diff->data, diff->by, key);
	if (diff->by == REGIONS_BY_NAME || !(sheet->form & SHEET_IN_TEXT))
		return;
	free(sheet->text);
	sheet->text = regions_path_text(diff->data, key, false);
	cell->text = sheet->text ? sheet->text : cell->text;
}

static void diff_set_path(const struct diff_sheet *sheet, uint32_t key, bool parent, struct sheet_cell *cell)
{
	const struct regions_diff *diff = sheet->diff;

	cell->absent = diff->by == REGIONS_BY_NAME || (parent && !key);
	if (!cell->absent)
		cell->count = parent ? diff->data->path[key].parent : key;
}

static struct util_measured diff_mean(const struct regions_diff *diff, unsigned side, uint32_t key,
				      uint32_t measure)
{
	unsigned counted;

	return regions_runs_mean(diff->runs, diff->side[side].first, diff->side[side].n, key, measure, false,
				 &counted);
}

static void diff_cell_of_region(const void *arg, const void *row, const struct sheet_column *column,
				struct sheet_cell *cell)
{
	struct diff_sheet *sheet = (struct diff_sheet *)arg;
	const struct regions_diff *diff = sheet->diff;
	const uint32_t key = *(const uint32_t *)row;
	const unsigned side = column->id == CALLS_AFTER || column->id == SECONDS_AFTER;
	const bool has[] = {regions_diff_has(diff, 0, key), regions_diff_has(diff, 1, key)};

	switch (column->id) {
	case NAME:
		diff_set_name(sheet, key, cell);
		return;
	case PATH:
	case PARENT:
		diff_set_path(sheet, key, column->id == PARENT, cell);
		return;
	case FATE:
		cell->text = !has[1] ? "gone" : !has[0] ? "new" : "";
		return;
	case CHANGE:
		cell->value = diff_mean(diff, 0, key, REGIONS_SECONDS).value;
		cell->absent = !has[0] || !has[1] || !(cell->value > 0);
		cell->value =
			100 * (diff_mean(diff, 1, key, REGIONS_SECONDS).value - cell->value) / cell->value;
		return;
	case CALLS:
	case CALLS_AFTER:
		cell->absent = !has[side] || regions_is_outside(diff->data, diff->by, key);
		cell->value = diff_mean(diff, side, key, REGIONS_CALLS).value;
		cell->count = (uint64_t)(cell->value + .5);
		return;
	default:
		cell->absent = !has[side];
		cell->value = diff_mean(diff, side, key, REGIONS_SECONDS).value;
	}
}

static bool diff_each_region(const void *arg, sheet_put *put, void *to)
{
	const struct regions_diff *diff = ((const struct diff_sheet *)arg)->diff;

	for (uint32_t key = 0; key < diff->runs->of[0].keys; key++)
		if ((regions_diff_has(diff, 0, key) || regions_diff_has(diff, 1, key)) && !put(to, &key))
			return false;
	return true;
}

/* ---- comparisons --------------------------------------------------------------------------------- */

static void diff_set_measured(struct sheet_cell *cell, const struct regions_compared *compared,
			      const struct util_measured *measured, const struct regions_side *side)
{
	const double half = util_measured_half(measured);
	const bool count = compared->measure != REGIONS_SECONDS;
	const bool known = side->n > 1 || (count && !measured->exact);

	cell->value = measured->value;
	cell->decimals = count ? 0 : 6;
	cell->whole = measured->exact;
	cell->count = (uint64_t)(measured->value + .5);
	cell->exactness = measured->exact ? SHEET_EXACT : measured->open ? SHEET_AT_LEAST : SHEET_ESTIMATE;
	cell->error = known ? measured->error : NAN;
	cell->freedom = measured->freedom;
	cell->coverage = NAN;
	cell->low = known ? fmax(measured->value - half, 0) : NAN;
	cell->high = known ? measured->value + half : NAN;
	if (measured->open)
		cell->reason[cell->reasons++] = "part: some of it was not counted";
	else if (!measured->exact)
		cell->reason[cell->reasons++] = side->n > 1 ? "runs: the mean of runs" : "run: of one run";
}

static void diff_set_change(struct sheet_cell *cell, const struct regions_compared *compared, bool pairs)
{
	const struct util_difference *d = &compared->difference;
	const bool known = d->verdict > UTIL_UNJUDGED;

	cell->value = d->change;
	cell->decimals = compared->measure == REGIONS_SECONDS ? 6 : 0;
	cell->exactness = d->verdict == UTIL_OPEN                      ? SHEET_UNCOUNTED
			  : known && d->before.exact && d->after.exact ? SHEET_EXACT
								       : SHEET_ESTIMATE;
	cell->low = known ? d->low : NAN;
	cell->high = known ? d->high : NAN;
	cell->error = known ? d->error : NAN;
	cell->freedom = cell->coverage = NAN;
	if (d->verdict == UTIL_OPEN)
		cell->reason[cell->reasons++] = "open: one side was not counted whole";
	else if (!known)
		cell->reason[cell->reasons++] = "few: runs are too few to be judged";
	else if (cell->exactness == SHEET_ESTIMATE)
		cell->reason[cell->reasons++] =
			pairs ? "pairs: the mean of pairs of runs" : "runs: the mean of runs";
}

static const char *diff_event(const struct regions_diff *diff, uint32_t measure)
{
	return measure == REGIONS_CALLS     ? "calls"
	       : measure == REGIONS_SECONDS ? "seconds"
					    : diff->data->events.text[measure - REGIONS_EVENT];
}

static void diff_set_percent(struct sheet_cell *cell, const struct util_difference *d, double change)
{
	cell->absent = !(d->before.value > 0);
	cell->value = 100 * change / d->before.value;
}

static void diff_cell_of_compared(const void *arg, const void *row, const struct sheet_column *column,
				  struct sheet_cell *cell)
{
	struct diff_sheet *sheet = (struct diff_sheet *)arg;
	const struct regions_diff *diff = sheet->diff;
	const struct regions_compared *compared = row;
	const struct util_difference *d = &compared->difference;

	switch (column->id) {
	case NAME:
		diff_set_name(sheet, compared->key, cell);
		break;
	case PATH:
		diff_set_path(sheet, compared->key, false, cell);
		break;
	case EVENT:
		cell->text = diff_event(diff, compared->measure);
		break;
	case OWN:
		cell->count = compared->own;
		break;
	case WHICH:
		cell->text = compared->measure == REGIONS_CALLS ? ""
			     : compared->own                    ? "exclusive"
								: "inclusive";
		break;
	case BEFORE:
		diff_set_measured(cell, compared, &d->before, &diff->side[0]);
		break;
	case AFTER:
		diff_set_measured(cell, compared, &d->after, &diff->side[1]);
		break;
	case ABSOLUTE:
		diff_set_change(cell, compared, diff->pairs.n > 0);
		break;
	case CHANGE:
		diff_set_percent(cell, d, d->change);
		break;
	case LOW:
		diff_set_percent(cell, d, d->low);
		cell->absent |= d->verdict <= UTIL_UNJUDGED;
		break;
	case HIGH:
		diff_set_percent(cell, d, d->high);
		cell->absent |= d->verdict <= UTIL_UNJUDGED;
		break;
	case CHANCE:
		cell->value = d->chance;
		cell->absent = d->verdict <= UTIL_UNJUDGED;
		break;
	default:
		cell->text = verdict[d->verdict];
	}
}

/* True if a measure is shown. The text form leaves out measures without a significant difference, or, if the
 * runs are too few to judge, measures whose means are equal. */
static bool diff_is_shown(const struct diff_sheet *sheet, const struct regions_compared *compared)
{
	const struct util_difference *d = &compared->difference;

	return !(sheet->form & SHEET_IN_TEXT) || d->verdict >= UTIL_LESS ||
	       (d->verdict == UTIL_UNJUDGED && d->change != 0);
}

static bool diff_each_compared(const void *arg, sheet_put *put, void *to)
{
	const struct diff_sheet *sheet = arg;

	for (size_t i = 0; i < sheet->diff->n; i++)
		if (diff_is_shown(sheet, &sheet->diff->compared[i]) && !put(to, &sheet->diff->compared[i]))
			return false;
	return true;
}

/* ---- the sheet ------------------------------------------------------------------------------------ */

static bool diff_sheet_make(struct diff_sheet *sheet, const struct regions_diff *diff, unsigned form)
{
	static const char *const keys[] = {"region", "path", "exclusive", NULL}, *const others[] = {
											 "before", "after",
											 "chance", "verdict",
											 NULL};
	static const char *const files[] = {"before", "after"}, *const runs[] = {"runs_before", "runs_after"};

	*sheet = (struct diff_sheet){.diff = diff, .form = form};
	for (unsigned i = 0; i < 2; i++) {
		const struct regions_side *side = &diff->side[i];

		sheet->file[i] = calloc(side->files + 1, sizeof(*sheet->file[i]));
		if (!sheet->file[i])
			return false;
		for (unsigned k = 0; k < side->files; k++)
			sheet->file[i][k].text = side->file[k];
		sheet->fact[2 * i] =
			(struct sheet_fact){.key = files[i], .list = sheet->file[i], .n = side->files};
		sheet->fact[2 * i + 1] =
			(struct sheet_fact){.key = runs[i], .kind = SHEET_COUNT, .cell = {.count = side->n}};
	}
	sheet->fact[4] =
		(struct sheet_fact){.key = "judged", .kind = SHEET_FLAG, .cell = {.count = diff->judged}};
	sheet->fact[5] =
		(struct sheet_fact){.key = "pairs", .kind = SHEET_COUNT, .cell = {.count = diff->pairs.n}};
	sheet->section[REGIONS] = (struct sheet_section){
		.key = "regions",
		.forms = JSON | TEXT,
		.column = region_columns,
		.columns = sizeof(region_columns) / sizeof(*region_columns),
		.arg = sheet,
		.each = diff_each_region,
		.cell = diff_cell_of_region,
	};
	sheet->section[COMPARED] = (struct sheet_section){
		.key = "compared",
		.record = "compared",
		.forms = SHEET_IN_ALL,
		.caption = diff->judged ? "Numbers that differ by more than runs do"
					: "Numbers that are not equal, and not judged",
		.column = compared_columns,
		.columns = sizeof(compared_columns) / sizeof(*compared_columns),
		.arg = sheet,
		.each = diff_each_compared,
		.cell = diff_cell_of_compared,
	};
	sheet->sheet = (struct sheet){.tool = "upc_regions",
				      .fact = sheet->fact,
				      .facts = FACTS,
				      .section = sheet->section,
				      .sections = SECTIONS,
				      .keys = keys,
				      .others = others};
	return true;
}

static void diff_sheet_free(struct diff_sheet *sheet)
{
	free(sheet->file[0]);
	free(sheet->file[1]);
	free(sheet->text);
}

bool regions_diff_json(FILE *out, const struct regions_diff *diff)
{
	struct diff_sheet sheet;
	bool done = diff_sheet_make(&sheet, diff, SHEET_IN_JSON) && sheet_json(out, &sheet.sheet);

	diff_sheet_free(&sheet);
	return done;
}

bool regions_diff_csv(FILE *out, const struct regions_diff *diff)
{
	struct diff_sheet sheet;
	bool done = diff_sheet_make(&sheet, diff, SHEET_IN_CSV) && sheet_csv(out, &sheet.sheet);

	diff_sheet_free(&sheet);
	return done;
}

static void diff_put_sides(FILE *out, const struct regions_diff *diff)
{
	static const char *const words[] = {"Before: ", "After:  "};

	for (unsigned i = 0; i < 2; i++) {
		const struct regions_side *side = &diff->side[i];

		fputs(words[i], out);
		for (unsigned k = 0; k < side->files; k++) {
			fputs(k ? ", " : "", out);
			util_put(out, side->file[k], UINT32_MAX);
		}
		fprintf(out, " (%u run%s)\n", side->n, side->n == 1 ? "" : "s");
	}
	fputs("\n", out);
}

static void diff_put_end(FILE *out, const struct regions_diff *diff)
{
	size_t of[UTIL_MORE + 1] = {0};

	for (size_t i = 0; i < diff->n; i++)
		of[diff->compared[i].difference.verdict]++;
	if (diff->judged)
		fprintf(out,
			"\n%zu of %zu numbers differ by more than runs do; with 95 %% none of them by chance%s\n"
			"%zu are exactly the same, of %zu no difference is to be seen, %zu were not counted "
			"whole.\n",
			diff->differ, diff->n,
			diff->pairs.n
				? ": runs of\nboth sides took turns, and each was compared with the one next to it."
				: ", if the machine\nwas as fast and as busy for both sides.",
			of[UTIL_SAME], of[UTIL_NOT_TOLD], of[UTIL_OPEN]);
	else
		fprintf(out,
			"\nNothing is judged: runs of one and the same program differ, too, and %u and %u runs "
			"do not say\nby how much. Give %u or more a side, as upc_regions -r %u makes them.\n",
			diff->side[0].n, diff->side[1].n, REGIONS_RUNS_JUDGED, 10);
}

bool regions_diff_text(FILE *out, const struct regions_diff *diff)
{
	const struct sheet_style style = {.width = util_width(out)};
	struct diff_sheet sheet;
	bool done = diff_sheet_make(&sheet, diff, SHEET_IN_TEXT), some = false;

	for (size_t i = 0; done && i < diff->n; i++)
		some |= diff_is_shown(&sheet, &diff->compared[i]);
	if (done) {
		diff_put_sides(out, diff);
		done = sheet_text(out, &sheet.section[REGIONS], &style) &&
		       (!some || sheet_text(out, &sheet.section[COMPARED], &style));
	}
	if (done)
		diff_put_end(out, diff);
	diff_sheet_free(&sheet);
	return done;
}
