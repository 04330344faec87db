/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare.c - reads two reports of upc_stat and puts them beside each other.
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
	util_error("%s is no report of upc_stat in JSON: %s", file, why);
	return -1;
}

/* ---- one report -------------------------------------------------------- */

/* Checks that a report can be compared: numbers where numbers have to be, names where names. */
static const char *find_fault(const json_t *report)
{
	const json_t *events = json_object_get(report, "events");
	size_t i, k;
	json_t *event, *run, *value;

	if (json_integer_value(json_object_get(report, "schema")) != UTIL_SCHEMA)
		return "it has another schema";
	if (strcmp(get_report_text(report, "tool"), "upc_stat") != 0)
		return "it is another tool's";
	if (!json_is_number(json_object_get(report, "seconds")) || !json_is_array(events))
		return "seconds or events are missing";
	if (strcmp(get_report_text(report, "record"), "interval") == 0)
		return "it ends with an interval, the whole is missing";
	json_array_foreach(
		json_object_get(report, "runs"), i,
		run) if (!json_is_number(json_object_get(run, "seconds")) ||
			 !json_is_number(json_object_get(run, "user_seconds")) ||
			 !json_is_number(json_object_get(run, "system_seconds"))) return "a run has no times";
	json_array_foreach(events, i, event)
	{
		if (get_report_text(event, "event")[0] == '\0' ||
		    !json_is_number(json_object_get(event, "value")))
			return "an event has no name, or no value";
		json_array_foreach(json_object_get(event, "runs"), k,
				   value) if (!json_is_number(value)) return "a run's value is no number";
	}
	return NULL;
}

/* A report of several runs has the number of failed ones, a report of one run has its end. */
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

/* The last object of a file: with an interval, that is the whole. */
static int load_compared_side(struct stat_side *side, const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error = {.text = "it is empty"};
	const char *fault;
	json_t *next;
	int c, failed;

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
	return 0;
}

static const json_t *find_side_event(const struct stat_side *side, const char *name)
{
	size_t i;
	json_t *event;

	json_array_foreach(json_object_get(side->report, "events"), i,
			   event) if (strcmp(get_report_text(event, "event"), name) == 0) return event;
	return NULL;
}

/* ---- both -------------------------------------------------------------- */

/* The spread over the runs, or of the single value. field: of each object of runs, or NULL where runs
 * are numbers themselves. */
static int spread_of(const json_t *one, const json_t *runs, const char *field, struct stat_spread *spread)
{
	size_t n = json_array_size(runs);
	double alone = json_number_value(one), *value;

	*spread = stat_spread_of(&alone, 1);
	if (n == 0)
		return 0;
	value = calloc(n, sizeof(*value));
	if (value == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const json_t *run = json_array_get(runs, i);

		value[i] = json_number_value(field != NULL ? json_object_get(run, field) : run);
	}
	*spread = stat_spread_of(value, (unsigned)n);
	free(value);
	return 0;
}

static int add_time(struct stat_comparison *c, const char *field)
{
	const json_t *a = c->a.report, *b = c->b.report;
	struct stat_compared *row = &c->row[c->n];

	if (json_object_get(a, field) == NULL || json_object_get(b, field) == NULL)
		return 0;
	*row = (struct stat_compared){.name = field, .unit = "s"};
	c->n++;
	if (spread_of(json_object_get(a, field), json_object_get(a, "runs"), field, &row->a) != 0)
		return -1;
	return spread_of(json_object_get(b, field), json_object_get(b, "runs"), field, &row->b);
}

static int add_compared_event(struct stat_comparison *c, const json_t *a, const json_t *b)
{
	struct stat_compared *row = &c->row[c->n++];
	const char *shortcoming = get_report_text(a, "shortcoming");

	if (shortcoming[0] == '\0')
		shortcoming = get_report_text(b, "shortcoming");
	*row = (struct stat_compared){
		.name = get_report_text(a, "event"),
		.unit = get_report_text(a, "unit"),
		.shortcoming = shortcoming[0] != '\0' ? shortcoming : NULL,
	};
	if (spread_of(json_object_get(a, "value"), json_object_get(a, "runs"), NULL, &row->a) != 0)
		return -1;
	return spread_of(json_object_get(b, "value"), json_object_get(b, "runs"), NULL, &row->b);
}

static int add_rows(struct stat_comparison *c)
{
	static const char *const times[] = {"seconds", "user_seconds", "system_seconds"};
	const json_t *events = json_object_get(c->a.report, "events");
	int error = 0;
	size_t i;
	json_t *event;

	c->row = calloc(json_array_size(events) + 3, sizeof(*c->row));
	if (c->row == NULL)
		return -1;
	for (i = 0; i < 3 && error == 0; i++)
		error = add_time(c, times[i]);
	json_array_foreach(events, i, event)
	{
		const json_t *other = find_side_event(&c->b, get_report_text(event, "event"));

		if (other != NULL && error == 0)
			error = add_compared_event(c, event, other);
	}
	for (unsigned k = 0; k < c->n; k++) {
		c->row[k].change = stat_spread_change(&c->row[k].a, &c->row[k].b);
		if (c->row[k].shortcoming != NULL)
			c->row[k].change.verdict = STAT_UNKNOWN;
	}
	return error;
}

int stat_compare_read(struct stat_comparison *c, const char *a, const char *b)
{
	*c = (struct stat_comparison){.n = 0};
	if (load_compared_side(&c->a, a) != 0 || load_compared_side(&c->b, b) != 0)
		return -1;
	if (add_rows(c) == 0)
		return 0;
	util_error("out of memory");
	return -1;
}

void stat_compare_free(struct stat_comparison *c)
{
	json_decref(c->a.report);
	json_decref(c->b.report);
	free(c->row);
}

const char *stat_compare_missing(const struct stat_side *has, const struct stat_side *has_not, unsigned i)
{
	size_t k;
	json_t *event;

	json_array_foreach(json_object_get(has->report, "events"), k,
			   event) if (find_side_event(has_not, get_report_text(event, "event")) == NULL &&
				      i-- == 0) return get_report_text(event, "event");
	return NULL;
}
