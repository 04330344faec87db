/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_data.c - prints one refresh of a shared unit as JSON or CSV.
 *
 * Terms: top/top_table.h.
 */
#include "top/top_data.h"

#include "sheet/sheet.h"

enum { REFRESH, UNIX_TIME, STATE, COUNTER, EVENT, VALUE, UNIT, KIND, RATE, NOTE, SECONDS };

static const struct sheet_column columns[] = {
	SHEET_COLUMN(REFRESH, SHEET_COUNT, "refresh", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(UNIX_TIME, SHEET_NUMBER, "unix_time", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(STATE, SHEET_TEXT, "state", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(COUNTER, SHEET_COUNT, "counter", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(EVENT, SHEET_TEXT, "event", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(VALUE, SHEET_VALUE, NULL, NULL, SHEET_IN_DATA),
	SHEET_COLUMN(UNIT, SHEET_TEXT, "unit", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(KIND, SHEET_TEXT, "kind", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(RATE, SHEET_NUMBER, "per_second", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(NOTE, SHEET_TEXT, "note", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(SECONDS, SHEET_NUMBER, "seconds", NULL, SHEET_IN_CSV),
};

static struct sheet_cell top_data_value(const struct top_line *line)
{
	const bool unread = line->note == TOP_UNREAD, none = unread || line->note == TOP_UNBOUND;

	return (struct sheet_cell){.whole = true,
				   .count = line->value,
				   .exactness = none ? SHEET_UNCOUNTED : SHEET_EXACT,
				   .reasons = none,
				   .reason = {unread ? "unread: its owner has not read it yet"
						     : "unbound: the counter has no event"}};
}

static void top_data_cell(const void *arg, const void *row, const struct sheet_column *column,
			  struct sheet_cell *cell)
{
	const struct top_look *look = arg;
	const struct top_line *line = row;
	const struct sheet_cell cells[] = {
		[REFRESH] = {.count = (uint64_t)look->refresh},
		[UNIX_TIME] = {.value = look->unix_time},
		[STATE] = {.text = look->state},
		[COUNTER] = {.count = line->counter},
		[EVENT] = {.text = line->event->name},
		[VALUE] = top_data_value(line),
		[UNIT] = {.text = line->event->unit},
		[KIND] = {.text = util_kind_name(line->event->kind)},
		[RATE] = {.value = line->rate, .absent = line->note != TOP_RATE},
		[NOTE] = {.text = top_table_note(line->note)},
		[SECONDS] = {.value = look->seconds},
	};

	*cell = cells[column->id];
}

static bool top_data_each(const void *arg, sheet_put *put, void *to)
{
	const struct top_look *look = arg;

	for (unsigned i = 0; i < look->lines; i++)
		if (!put(to, &look->line[i]))
			return false;
	return true;
}

int top_data_print(FILE *out, const struct top_look *look, enum util_format format)
{
	static const char *const keys[] = {"refresh", "unix_time", "state", "counter", NULL};
	static const char *const others[] = {"unit", "kind", "per_second", "note", "seconds", NULL};
	/* CSV has a line for each of the first ONCE facts, only once. The other facts vary between refreshes,
	 * so they are columns of each row. */
	enum { ONCE = 4 };
	const struct sheet_fact facts[] = {
		{.key = "name", .kind = SHEET_TEXT, .cell = {.text = look->name}},
		{.key = "user", .kind = SHEET_TEXT, .cell = {.text = look->user}},
		{.key = "pid", .kind = SHEET_COUNT, .cell = {.count = (uint64_t)look->process}},
		{.key = "command_line", .kind = SHEET_TEXT, .cell = {.text = look->command}},
		{.key = "refresh", .kind = SHEET_COUNT, .cell = {.count = (uint64_t)look->refresh}},
		{.key = "unix_time", .kind = SHEET_NUMBER, .cell = {.value = look->unix_time}},
		{.key = "state", .kind = SHEET_TEXT, .cell = {.text = look->state}},
		{.key = "age_seconds", .kind = SHEET_NUMBER, .cell = {.value = look->age}},
		{.key = "generation", .kind = SHEET_COUNT, .cell = {.count = look->generation}},
		{.key = "changed_by_tid", .kind = SHEET_COUNT, .cell = {.count = (uint64_t)look->changed_by}},
		{.key = "changed", .kind = SHEET_FLAG, .cell = {.count = look->changed}},
		{.key = "seconds", .kind = SHEET_NUMBER, .cell = {.value = look->seconds}},
	};
	const struct sheet_section section = {.key = "events",
					      .record = "event",
					      .forms = SHEET_IN_DATA,
					      .column = columns,
					      .columns = sizeof(columns) / sizeof(*columns),
					      .arg = look,
					      .each = top_data_each,
					      .cell = top_data_cell};
	const struct sheet_note note = {.what = look->notice, .times = 1};

	return sheet_print_data(out,
				&(struct sheet){.tool = "upc_top",
						.fact = facts,
						.facts = format == UTIL_JSON ? sizeof(facts) / sizeof(*facts)
							 : look->continued   ? 0
									     : ONCE,
						.section = &section,
						.sections = 1,
						.note = &note,
						.notes = look->notice != NULL,
						.keys = keys,
						.others = others,
						.one_line = true,
						.continued = look->continued},
				format);
}
