/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_data.c - a look at a shared unit for other programs: JSON and CSV.
 */
#include "top/top_data.h"

#include <inttypes.h>

#include "lib/data.h"

static json_t *json_line(const struct top_line *line)
{
	json_t *object = json_object();

	json_object_set_new(object, "counter", json_integer(line->counter));
	json_object_set_new(object, "event", util_json_string(line->event->name));
	json_object_set_new(object, "value",
			    line->note == TOP_UNREAD ? json_null() : util_json_count(line->value));
	json_object_set_new(object, "unit", util_json_string(line->event->unit));
	json_object_set_new(object, "kind", json_string(util_kind_name(line->event->kind)));
	json_object_set_new(object, "per_second",
			    line->note == TOP_RATE ? json_real(line->rate) : json_null());
	json_object_set_new(object, "note", json_string(top_table_note(line->note)));
	return object;
}

void top_data_json(FILE *out, const struct top_look *look, const struct top_line *lines, unsigned n)
{
	json_t *object = util_json_begin("upc_top"), *events = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(events, json_line(&lines[i]));
	json_object_set_new(object, "name", util_json_string(look->name));
	json_object_set_new(object, "user", util_json_string(look->user));
	json_object_set_new(object, "pid", json_integer(look->process));
	json_object_set_new(object, "command_line", util_json_string(look->command));
	json_object_set_new(object, "refresh", json_integer(look->refresh));
	json_object_set_new(object, "unix_time", json_real(look->unix_time));
	json_object_set_new(object, "state", json_string(look->state));
	json_object_set_new(object, "age_seconds", json_real(look->age));
	json_object_set_new(object, "generation", util_json_count(look->generation));
	json_object_set_new(object, "changed_by_tid", json_integer(look->changed_by));
	json_object_set_new(object, "changed", json_boolean(look->changed));
	json_object_set_new(object, "seconds", json_real(look->seconds));
	if (look->notice != NULL)
		json_object_set_new(object, "notice", util_json_string(look->notice));
	json_object_set_new(object, "events", events);
	util_json_put(out, object, true);
}

void top_data_csv_head(FILE *out)
{
	fputs("refresh,unix_time,name,pid,state,counter,event,value,unit,kind,per_second,note,seconds,version\n",
	      out);
}

void top_data_csv(FILE *out, const struct top_look *look, const struct top_line *lines, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct top_line *line = &lines[i];

		fprintf(out, "%ld,%.6f,", look->refresh, look->unix_time);
		util_csv_put(out, look->name);
		fprintf(out, ",%d,%s,%u,", (int)look->process, look->state, line->counter);
		util_csv_put(out, line->event->name);
		fputc(',', out);
		if (line->note != TOP_UNREAD)
			fprintf(out, "%" PRIu64, line->value);
		fputc(',', out);
		util_csv_put(out, line->event->unit);
		fprintf(out, ",%s,", util_kind_name(line->event->kind));
		if (line->note == TOP_RATE)
			fprintf(out, "%.6f", line->rate);
		fprintf(out, ",%s,%.6f,%s\n", top_table_note(line->note), look->seconds, upc_version());
	}
}
