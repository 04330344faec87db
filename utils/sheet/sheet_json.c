/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet_json.c - writes a sheet as one JSON object, one row per line or all on one line. Only one row is in
 * memory at a time.
 *
 * Terms: sheet/sheet.h.
 */
#include <math.h>
#include <string.h>

#include "lib/data.h"
#include "sheet/sheet.h"

struct json {
	int (*put)(const char *text, size_t size, void *to);
	void *to;
	const struct sheet_section *section;
	bool first; /* the next row is the first of its section */
	bool one_line;
	bool failed;
};

/* Write the text between two values. In a sheet of one line, a line end at the text's start or end is left
 * out. */
static void sheet_json_put(struct json *json, const char *text)
{
	size_t size = strlen(text);

	if (json->one_line && *text == '\n')
		text++, size--;
	else if (json->one_line && size && text[size - 1] == '\n')
		size--;
	if (!json->failed && json->put(text, size, json->to) != 0)
		json->failed = true;
}

/* Write a value and drop the reference to it. If value is NULL, memory was short. */
static void sheet_json_value(struct json *json, json_t *value)
{
	if (!value || json->failed ||
	    json_dump_callback(value, json->put, json->to, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)) != 0)
		json->failed = true;
	json_decref(value);
}

static json_t *sheet_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *sheet_json_cell(enum sheet_kind kind, const struct sheet_cell *cell)
{
	if (cell->absent || cell->exactness == SHEET_UNCOUNTED)
		return json_null();
	switch (kind) {
	case SHEET_TEXT:
		return util_json_string(cell->text ? cell->text : "");
	case SHEET_FLAG:
		return json_boolean(cell->count != 0);
	case SHEET_COUNT:
		return util_json_count(cell->count);
	case SHEET_NUMBER:
		return cell->whole ? util_json_count(cell->count) : sheet_json_real(cell->value);
	case SHEET_VALUE:
		break;
	}
	return cell->whole ? util_json_count(cell->count) : sheet_json_real(cell->value);
}

/* Add the fields of a value to an object, which may have other fields. */
static void sheet_json_set(json_t *object, const struct sheet_cell *cell)
{
	json_object_set_new(object, "value", sheet_json_cell(SHEET_VALUE, cell));
	json_object_set_new(object, "exactness", json_string(sheet_exactness_word(cell->exactness)));
	if (cell->exactness == SHEET_EXACT)
		return;
	/* An estimate without error and without upper end has none of these fields. */
	if (cell->exactness == SHEET_ESTIMATE && (isfinite(cell->error) || isfinite(cell->high))) {
		json_object_set_new(object, "low", sheet_json_real(cell->low));
		json_object_set_new(object, "high", sheet_json_real(cell->high));
		json_object_set_new(object, "standard_error", sheet_json_real(cell->error));
		json_object_set_new(object, "freedom", sheet_json_real(cell->freedom));
		json_object_set_new(object, "coverage", sheet_json_real(cell->coverage));
	}
	json_object_set_new(object, "reasons", json_array());
	for (unsigned i = 0; i < cell->reasons; i++)
		json_array_append_new(json_object_get(object, "reasons"), util_json_string(cell->reason[i]));
}

/* Return an object with a measure's name, and its value or its value in each aspect. NULL: the row does not
 * have the measure. */
static json_t *sheet_json_measure(const struct sheet_section *section, const struct sheet_list *list,
				  const void *row, size_t measure)
{
	json_t *object = json_object();
	bool some = false;

	json_object_set_new(object, list->name,
			    list->measure[measure].name ? util_json_string(list->measure[measure].name)
							: json_null());
	for (size_t a = 0; a < list->aspects; a++) {
		const struct sheet_aspect *aspect = &list->aspect[a];
		struct sheet_cell cell;
		json_t *at = object;

		if (!(aspect->forms & SHEET_IN_JSON) ||
		    !sheet_value_of(section, list, row, measure, a, &cell))
			continue;
		some = true;
		if (aspect->kind != SHEET_VALUE) {
			json_object_set_new(object, aspect->key, sheet_json_cell(aspect->kind, &cell));
			continue;
		}
		if (aspect->key) {
			at = json_object();
			json_object_set_new(object, aspect->key, at);
		}
		sheet_json_set(at, &cell);
	}
	if (some)
		return object;
	json_decref(object);
	return NULL;
}

static bool sheet_json_row(void *to, const void *row)
{
	struct json *json = to;
	const struct sheet_section *section = json->section;
	json_t *object = json_object();

	for (size_t i = 0; i < section->columns; i++) {
		const struct sheet_column *column = &section->column[i];
		struct sheet_cell cell;

		if (!(column->forms & SHEET_IN_JSON))
			continue;
		cell = sheet_cell_of(section, row, column);
		if (column->kind == SHEET_VALUE && !cell.absent) {
			json_t *value = column->key ? json_object() : object;

			sheet_json_set(value, &cell);
			if (column->key)
				json_object_set_new(object, column->key, value);
			continue;
		}
		json_object_set_new(object, column->key, sheet_json_cell(column->kind, &cell));
	}
	for (size_t i = 0; i < section->lists; i++) {
		const struct sheet_list *list = &section->list[i];
		json_t *measures;

		if (!(list->forms & SHEET_IN_JSON))
			continue;
		measures = json_array();
		for (size_t m = 0; m < list->measures; m++) {
			json_t *measure = sheet_json_measure(section, list, row, m);

			if (measure)
				json_array_append_new(measures, measure);
		}
		json_object_set_new(object, list->key, measures);
	}
	sheet_json_put(json, json->first ? "\n" : ",\n");
	json->first = false;
	sheet_json_value(json, object);
	return !json->failed;
}

static void sheet_json_key(struct json *json, const char *key)
{
	sheet_json_put(json, ",\n");
	sheet_json_value(json, json_string(key));
	sheet_json_put(json, ": ");
}

static json_t *sheet_json_fact(const struct sheet_fact *fact)
{
	json_t *list;

	if (!fact->list)
		return sheet_json_cell(fact->kind, &fact->cell);
	list = json_array();
	for (size_t i = 0; i < fact->n; i++)
		json_array_append_new(list, sheet_json_cell(fact->kind, &fact->list[i]));
	return list;
}

static json_t *sheet_json_note(const struct sheet_note *note)
{
	json_t *object = json_object();

	json_object_set_new(object, "what", util_json_string(note->what));
	json_object_set_new(object, "name", note->name ? util_json_string(note->name) : json_null());
	json_object_set_new(object, "times", util_json_count(note->times));
	return object;
}

bool sheet_json_to(int (*put_text)(const char *text, size_t size, void *to), void *to,
		   const struct sheet *sheet)
{
	struct json json = {.put = put_text, .to = to, .one_line = sheet->one_line};

	sheet_json_put(&json, "{");
	sheet_json_value(&json, json_string("schema"));
	sheet_json_put(&json, ": ");
	sheet_json_value(&json, json_integer(SHEET_SCHEMA));
	sheet_json_key(&json, "tool");
	sheet_json_value(&json, json_string(sheet->tool));
	sheet_json_key(&json, "version");
	sheet_json_value(&json, json_string(upc_version()));
	for (size_t i = 0; i < sheet->facts; i++) {
		sheet_json_key(&json, sheet->fact[i].key);
		sheet_json_value(&json, sheet_json_fact(&sheet->fact[i]));
	}
	for (size_t i = 0; i < sheet->sections; i++) {
		const struct sheet_section *section = &sheet->section[i];

		if (!(section->forms & SHEET_IN_JSON))
			continue;
		sheet_json_key(&json, section->key);
		sheet_json_put(&json, "[");
		json.section = section;
		json.first = true;
		if (!section->each(section->arg, sheet_json_row, &json))
			return false;
		sheet_json_put(&json, json.first ? "]" : "\n]");
	}
	sheet_json_key(&json, "notes");
	sheet_json_put(&json, "[");
	for (size_t i = 0; i < sheet->notes; i++) {
		sheet_json_put(&json, i ? ",\n" : "\n");
		sheet_json_value(&json, sheet_json_note(&sheet->note[i]));
	}
	sheet_json_put(&json, sheet->notes ? "\n]" : "]");
	json.one_line = false;
	sheet_json_put(&json, "}\n");
	return !json.failed;
}

static int sheet_json_file(const char *text, size_t size, void *to)
{
	return fwrite(text, 1, size, to) == size ? 0 : -1;
}

bool sheet_json(FILE *out, const struct sheet *sheet)
{
	return sheet_json_to(sheet_json_file, out, sheet);
}
