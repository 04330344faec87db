/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet_event.c - writes events of the catalogue as JSON or CSV for upc_avail and upc_wire.
 *
 * Terms: sheet/sheet.h.
 */
#include "sheet/sheet.h"

/* Columns of an event. The texts are in the order of the array in sheet_event_cell. */
enum {
	NAME,
	SOURCE,
	SCOPE,
	KIND,
	UNIT,
	SUBSYSTEM,
	DESCRIPTION,
	DRIVER,
	WHY,
	DIFFERS,
	ALSO,
	ID,
	COUNTER,
	INPUT
};

static const struct sheet_column columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, "event", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(SOURCE, SHEET_TEXT, "source", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(SCOPE, SHEET_TEXT, "scope", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(KIND, SHEET_TEXT, "kind", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(UNIT, SHEET_TEXT, "unit", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(SUBSYSTEM, SHEET_TEXT, "subsystem", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(DESCRIPTION, SHEET_TEXT, "description", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(ID, SHEET_COUNT, "id", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(COUNTER, SHEET_COUNT, "counter", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(INPUT, SHEET_COUNT, "input", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(DRIVER, SHEET_TEXT, "driver", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(WHY, SHEET_TEXT, "why", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(DIFFERS, SHEET_TEXT, "differs", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(ALSO, SHEET_TEXT, "also", NULL, SHEET_IN_DATA),
};

static void sheet_event_cell(const void *arg, const void *row, const struct sheet_column *column,
			     struct sheet_cell *cell)
{
	const struct upc_event_info *event = row;
	const char *const text[] = {event->name,
				    util_source_name(event->source),
				    util_scope_name(event->scope),
				    util_kind_name(event->kind),
				    event->unit,
				    event->subsystem,
				    event->description,
				    event->driver,
				    event->why,
				    event->differs,
				    event->also};
	const unsigned id = (unsigned)event->id;

	(void)arg;
	if (column->kind == SHEET_TEXT) {
		cell->text = text[column->id];
		return;
	}
	cell->absent = event->id == UPC_NO_ID;
	cell->count = column->id == ID ? id : column->id == COUNTER ? id % UPC_COUNTERS : id / UPC_COUNTERS;
}

static bool sheet_event_each(const void *arg, sheet_put *put, void *to)
{
	const struct sheet_events *events = arg;

	for (size_t i = 0; i < events->n; i++)
		if ((!events->shown || events->shown[i]) && !put(to, &events->event[i]))
			return false;
	return true;
}

int sheet_print_events(FILE *out, const char *tool, enum util_format format, const struct sheet_fact *fact,
		       size_t facts, const struct sheet_events *events)
{
	static const char *const none[] = {NULL}, *const keys[] = {"id", "counter", "input", NULL};
	static const char *const others[] = {"source", "scope", "kind",    "unit", "subsystem", "description",
					     "driver", "why",   "differs", "also", NULL};
	const struct sheet_section section = {.key = "events",
					      .record = "event",
					      .forms = SHEET_IN_DATA,
					      .column = columns,
					      .columns = sizeof(columns) / sizeof(*columns),
					      .arg = events,
					      .each = sheet_event_each,
					      .cell = sheet_event_cell};

	return sheet_print_data(out,
				&(struct sheet){.tool = tool,
						.fact = fact,
						.facts = facts,
						.section = &section,
						.sections = events ? 1 : 0,
						.keys = events ? keys : none,
						.others = events ? others : none,
						.plain = true},
				format);
}
