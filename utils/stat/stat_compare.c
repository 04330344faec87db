/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare.c - reads two reports of upc_stat and compares their times and events.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *get_report_text(const json_t *object, const char *field)
{
	const char *text = json_string_value(json_object_get(object, field));

	return text != NULL ? text : "";
}

static int refuse_compared_file(const char *file, const char *why)
{
	util_error("cannot compare %s: %s", file, why);
	return -1;
}

/* ---- one report -------------------------------------------------------- */

static bool are_numbers(const json_t *object, const char *const fields[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!json_is_number(json_object_get(object, fields[i])))
			return false;
	return true;
}

/* Return true if each event has a name, and a value that is a number or null (not counted). */
static bool are_events(const json_t *events)
{
	size_t i;
	json_t *event;

	json_array_foreach(events, i, event)
	{
		const json_t *value = json_object_get(event, "value");
		const bool counted =
			sheet_exactness_of(get_report_text(event, "exactness")) != SHEET_UNCOUNTED;

		if (get_report_text(event, "event")[0] == '\0' ||
		    !(counted ? json_is_number(value) : json_is_null(value)))
			return false;
	}
	return json_is_array(events);
}

/* Check that a report can be compared: numbers and names have the right types. Return NULL, or the text of an
 * error. */
static const char *find_fault(const json_t *report)
{
	static const char *const times[] = {"seconds", "user_seconds", "system_seconds"};
	size_t i;
	json_t *run;

	if (strcmp(get_report_text(report, "tool"), "upc_stat") != 0)
		return "it is no report of upc_stat in JSON";
	if (json_integer_value(json_object_get(report, "schema")) != SHEET_SCHEMA)
		return "it is of another release, whose JSON has another schema; count again with this upc_stat";
	if (!are_numbers(report, times, 1) || json_object_get(report, "events") == NULL)
		return "seconds or events are missing";
	if (strcmp(get_report_text(report, "record"), "interval") == 0)
		return "it ends with an interval, the whole is missing";
	if (!are_events(json_object_get(report, "events")))
		return "an event has no name, or no value";
	json_array_foreach(json_object_get(report, "runs"), i, run)
	{
		if (!are_numbers(run, times, 3))
			return "a run has no times";
		if (!are_events(json_object_get(run, "counts")))
			return "a run's value is no number";
	}
	return NULL;
}

/* Return the words, separated by blanks; the caller frees the text. Return NULL if there are no words or
 * memory is short. */
static char *join_words(const json_t *words)
{
	char *text = NULL;
	size_t i, size;
	json_t *word;
	FILE *out = json_array_size(words) > 0 ? open_memstream(&text, &size) : NULL;

	json_array_foreach(words, i, word) if (out != NULL)
		fprintf(out, "%s%s", i > 0 ? " " : "", json_is_string(word) ? json_string_value(word) : "?");
	if (out != NULL)
		fclose(out);
	return text;
}

/* Return the number of failed runs. A report of several runs contains this number; a report of one run has an
 * exit status or a signal. */
static unsigned count_failed(const json_t *report)
{
	const json_t *failed = json_object_get(report, "failed_runs");

	if (failed != NULL)
		return (unsigned)json_integer_value(failed);
	return json_object_get(report, "signal") != NULL ||
	       json_integer_value(json_object_get(report, "exit_status")) != 0;
}

static int fail_reading_report(const char *path, int error)
{
	util_error("cannot read '%s': %s", path, strerror(error));
	return -1;
}

/* Load the last object of a file: with --interval, the last object covers the whole run. Return 0, or -1
 * after printing an error. */
static int load_compared_side(struct stat_side *side, const char *letter, const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error = {.text = "it is empty"};
	const char *fault;
	json_t *next;
	int c, failed;

	side->letter = letter;
	side->file = path;
	if (file == NULL)
		return fail_reading_report(path, errno);
	for (;;) {
		while ((c = getc(file)) == ' ' || c == '\n' || c == '\r' || c == '\t')
			;
		if (c == EOF)
			break;
		ungetc(c, file);
		next = json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
		json_decref(side->report);
		side->report = next;
		if (next == NULL)
			break;
	}
	failed = ferror(file) ? errno : 0;
	fclose(file);
	if (failed != 0)
		return fail_reading_report(path, failed);
	if (side->report == NULL)
		return refuse_compared_file(path, error.text);
	fault = find_fault(side->report);
	if (fault != NULL)
		return refuse_compared_file(path, fault);
	side->runs = (unsigned)json_array_size(json_object_get(side->report, "runs"));
	if (side->runs == 0)
		side->runs = 1;
	side->failed = count_failed(side->report);
	side->command = join_words(json_object_get(side->report, "command"));
	return 0;
}

static const json_t *find_event(const json_t *events, const char *name)
{
	size_t i;
	json_t *event;

	json_array_foreach(events, i,
			   event) if (strcmp(get_report_text(event, "event"), name) == 0) return event;
	return NULL;
}

/* ---- both -------------------------------------------------------------- */

/* Read a time, or an event's value, from a report or from one of its runs. Return false if nothing was
 * counted. */
static bool read_number(const json_t *object, const char *events, const struct stat_compared *row, bool time,
			double *number)
{
	const json_t *value =
		time ? json_object_get(object, row->name)
		     : json_object_get(find_event(json_object_get(object, events), row->name), "value");

	*number = json_number_value(value);
	return json_is_number(value);
}

/* Compute the spread over the runs, or of the single value. Return false if memory is short. */
static bool read_spread(const json_t *report, struct stat_compared *row, bool time, unsigned side)
{
	const json_t *runs = json_object_get(report, "runs");
	const size_t all = json_array_size(runs);
	double *value = calloc(all + 1, sizeof(*value));
	unsigned n = 0;

	if (value == NULL)
		return false;
	if (all == 0)
		n = read_number(report, "events", row, time, value);
	for (size_t i = 0; i < all; i++)
		n += read_number(json_array_get(runs, i), "counts", row, time, &value[n]);
	row->spread[side] = stat_spread_of(value, n);
	free(value);
	return true;
}

/* Read the exactness of an event's value, and set the shortcoming if the value is incomplete. A mean with a
 * standard error is an estimate but has no shortcoming. */
static void read_exactness(const json_t *event, struct stat_compared *row, unsigned side)
{
	const char *reason = json_string_value(json_array_get(json_object_get(event, "reasons"), 0));

	row->exactness[side] = sheet_exactness_of(get_report_text(event, "exactness"));
	if (row->exactness[side] != SHEET_EXACT && !json_is_number(json_object_get(event, "standard_error")))
		row->shortcoming[side] = reason != NULL ? reason : sheet_exactness_word(row->exactness[side]);
}

/* Add a time or an event that both reports have. Return false if memory is short. */
static bool add_compared(struct stat_comparison *c, const char *name, const json_t *a, const json_t *b,
			 bool time)
{
	struct stat_compared *row = &c->row[c->n];

	if (a == NULL || b == NULL)
		return true;
	*row = (struct stat_compared){.name = name, .unit = time ? "s" : get_report_text(a, "unit")};
	c->n++;
	if (!time) {
		read_exactness(a, row, 0);
		read_exactness(b, row, 1);
	}
	if (!read_spread(c->side[0].report, row, time, 0) || !read_spread(c->side[1].report, row, time, 1))
		return false;
	row->change = stat_spread_change(&row->spread[0], &row->spread[1]);
	if (row->shortcoming[0] != NULL || row->shortcoming[1] != NULL)
		row->change =
			(struct stat_change){.has_ratio = row->change.has_ratio, .ratio = row->change.ratio};
	return true;
}

static bool add_rows(struct stat_comparison *c)
{
	static const char *const times[] = {"seconds", "user_seconds", "system_seconds"};
	const json_t *events = json_object_get(c->side[0].report, "events");
	const json_t *others = json_object_get(c->side[1].report, "events");
	bool done;
	size_t i;
	json_t *event;

	c->row = calloc(json_array_size(events) + 3, sizeof(*c->row));
	done = c->row != NULL;
	for (i = 0; i < 3 && done; i++)
		done = add_compared(c, times[i], json_object_get(c->side[0].report, times[i]),
				    json_object_get(c->side[1].report, times[i]), true);
	json_array_foreach(events, i, event)
	{
		const char *name = get_report_text(event, "event");

		done = done && add_compared(c, name, event, find_event(others, name), false);
	}
	return done;
}

/* Collect the events that only the report `has` contains. Return false if memory is short. */
static bool find_missing(struct stat_side *has, const struct stat_side *has_not)
{
	const json_t *events = json_object_get(has->report, "events");
	const json_t *others = json_object_get(has_not->report, "events");
	size_t i;
	json_t *event;

	has->only = calloc(json_array_size(events) + 1, sizeof(*has->only));
	if (has->only == NULL)
		return false;
	json_array_foreach(events, i, event) if (find_event(others, get_report_text(event, "event")) == NULL)
		has->only[has->onlys++]
			.text = get_report_text(event, "event");
	return true;
}

int stat_compare_read(struct stat_comparison *c, const char *a, const char *b)
{
	*c = (struct stat_comparison){.n = 0};
	if (load_compared_side(&c->side[0], "A", a) != 0 || load_compared_side(&c->side[1], "B", b) != 0)
		return -1;
	if (add_rows(c) && find_missing(&c->side[0], &c->side[1]) && find_missing(&c->side[1], &c->side[0]))
		return 0;
	util_error("out of memory");
	return -1;
}

void stat_compare_free(struct stat_comparison *c)
{
	for (unsigned i = 0; i < 2; i++) {
		json_decref(c->side[i].report);
		free(c->side[i].command);
		free(c->side[i].only);
	}
	free(c->row);
}
