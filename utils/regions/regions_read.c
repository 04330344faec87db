/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_read.c - reads the files of processes. They may contain anything: each number in them is checked
 * before it is used as an index.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_read.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/common.h"
#include "regions/regions_records.h"
#include "regions/regions_whole.h"
#include "sheet/sheet.h"

/* State while one file is read. */
struct reader {
	const char *file;
	struct regions_data *data;
	struct regions_process *process;
	uint32_t *name, *event; /* the data's numbers of the file's names and events */
	size_t names, events;
	unsigned runs;
};

static bool refuse_regions_file(const struct reader *reader, const char *what)
{
	util_error("'%s' is no file of upc_regions: %s", reader->file, what);
	return false;
}

static bool refuse_file_memory(const struct reader *reader)
{
	util_error("'%s' cannot be read: out of memory", reader->file);
	return false;
}

/* ---- values -------------------------------------------------------------------------------- */

/* Return the number at key, or the argument `otherwise` if there is no number, as for null, which stands for
 * an infinite number. */
static double number_or(const json_t *object, const char *key, double otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : otherwise;
}

static uint64_t read_json_count(const json_t *value)
{
	double real;

	if (json_is_integer(value))
		return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
	real = json_is_real(value) ? json_real_value(value) : 0;
	return !(real > 0) ? 0 : real < 18446744073709549568. ? (uint64_t)real : UINT64_MAX;
}

static long long_or(const json_t *object, const char *key, long otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (long)json_integer_value(value) : otherwise;
}

static char *copy_json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return strdup(text ? text : "");
}

static unsigned read_json_flags(const json_t *words)
{
	unsigned flags = 0, i;
	size_t k;
	const json_t *word;

	json_array_foreach(words, k, word) for (i = 0; i < UPCR_FLAGS;
						i++) if (json_is_string(word) &&
							 !strcmp(json_string_value(word), upcr_flag_word(i)))
		flags |= 1u << i;
	return flags;
}

static bool read_value(const struct reader *reader, const json_t *object, struct upcr_value *value)
{
	double number, error, low, high;
	unsigned flags;

	if (!json_is_object(object))
		return refuse_regions_file(reader, "a value is no object");
	if (json_is_true(json_object_get(object, "uncounted"))) {
		*value = upcr_uncounted();
		return true;
	}
	if (!json_is_number(json_object_get(object, "value")))
		return refuse_regions_file(reader, "a value has no number");
	if (json_is_true(json_object_get(object, "exact"))) {
		*value = upcr_exact(read_json_count(json_object_get(object, "value")));
		return true;
	}
	number = fmax(number_or(object, "value", 0), 0);
	error = fmax(number_or(object, "standard_error", 0), 0);
	low = fmin(fmax(number_or(object, "low", 0), 0), number);
	high = fmax(number_or(object, "high", INFINITY), number);
	flags = read_json_flags(json_object_get(object, "flags"));
	*value = upcr_estimated(number, error, low, high, number_or(object, "coverage", 0), flags);
	value->freedom = fmax(number_or(object, "freedom", INFINITY), .5);
	return true;
}

/* ---- paths and threads ----------------------------------------------------------------------- */

/* Read a path. "under" is an earlier node of the thread, whose path this node's path continues. */
static bool read_path(const struct reader *reader, const json_t *node, const struct regions_thread *thread,
		      uint32_t *path)
{
	const json_t *list = json_object_get(node, "path"), *under = json_object_get(node, "under"), *index;
	size_t i;

	if (!json_is_array(list))
		return refuse_regions_file(reader, "a path is no list");
	if (under && (!json_is_integer(under) || json_integer_value(under) < 0 ||
		      (size_t)json_integer_value(under) >= thread->rows))
		return refuse_regions_file(reader, "a path is under another that is not there");
	*path = under ? thread->row[json_integer_value(under)].path : 0;
	json_array_foreach(list, i, index)
	{
		json_int_t name = json_is_integer(index) ? json_integer_value(index) : -1;

		if (name < 0 || (size_t)name >= reader->names)
			return refuse_regions_file(reader, "a path has a name that is not there");
		*path = regions_path(reader->data, *path, reader->name[name]);
		if (*path == REGIONS_NONE)
			return refuse_file_memory(reader);
	}
	return true;
}

static bool read_row(const struct reader *reader, const json_t *node, struct regions_thread *thread)
{
	const json_t *values = json_object_get(node, "values"), *value;
	struct regions_row *row;
	uint32_t path;
	size_t i;

	if (!read_path(reader, node, thread, &path))
		return false;
	row = regions_add_row(reader->process, thread, path);
	if (!row)
		return refuse_file_memory(reader);
	row->calls = read_json_count(json_object_get(node, "calls"));
	row->seconds = fmax(number_or(node, "seconds", 0), 0);
	if (json_array_size(values) != reader->events)
		return refuse_regions_file(reader, "a path has not as many values as there are events");
	json_array_foreach(values, i,
			   value) if (!read_value(reader, value, &row->value[reader->event[i]])) return false;
	return true;
}

static bool read_thread(const struct reader *reader, const json_t *object)
{
	const json_t *nodes = json_object_get(object, "nodes"), *node;
	struct regions_thread *thread = regions_add_thread(reader->process);
	size_t i;

	if (!thread)
		return refuse_file_memory(reader);
	thread->name = copy_json_text(object, "name");
	thread->number = long_or(object, "thread", -1);
	thread->tid = long_or(object, "tid", -1);
	thread->threads = (unsigned)fmin(fmax(number_or(object, "threads", 1), 1), UINT_MAX);
	thread->seconds = fmax(number_or(object, "seconds", 0), 0);
	if (!thread->name)
		return refuse_file_memory(reader);
	if (!json_is_array(nodes))
		return refuse_regions_file(reader, "a thread has no paths");
	json_array_foreach(nodes, i, node) if (!read_row(reader, node, thread)) return false;
	return true;
}

/* ---- the process --------------------------------------------------------------------------- */

/* Read a list of texts, or of objects with names, and store their numbers. */
static bool read_numbers(const struct reader *reader, const json_t *list, struct regions_table *table,
			 uint32_t **number, size_t *n)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return refuse_regions_file(reader, "it has no names and events");
	*n = json_array_size(list);
	*number = malloc((*n + 1) * sizeof(**number));
	if (!*number)
		return refuse_file_memory(reader);
	json_array_foreach(list, i, item)
	{
		const char *text =
			json_string_value(json_is_object(item) ? json_object_get(item, "name") : item);

		if (!text)
			return refuse_regions_file(reader, "a name is no text");
		(*number)[i] = regions_number(table, text);
		if ((*number)[i] == REGIONS_NONE)
			return refuse_file_memory(reader);
	}
	return true;
}

static char *command_of(const json_t *words)
{
	size_t size = 1, i;
	const json_t *word;
	char *text;

	json_array_foreach(words, i, word) size += json_string_length(word) + 1;
	text = calloc(1, size);
	json_array_foreach(words, i, word) if (text && json_is_string(word))
	{
		strcat(text, i ? " " : "");
		strcat(text, json_string_value(word));
	}
	return text;
}

static bool read_regions_head(struct reader *reader, const json_t *root)
{
	struct regions_process *process = reader->process;

	process->file = strdup(reader->file);
	process->command = command_of(json_object_get(root, "command"));
	process->host = copy_json_text(root, "host");
	process->started = copy_json_text(root, "started");
	process->ended = copy_json_text(root, "ended");
	process->clock = copy_json_text(root, "clock");
	if (!process->file || !process->command || !process->host || !process->started || !process->ended ||
	    !process->clock)
		return refuse_file_memory(reader);
	process->pid = long_or(root, "pid", -1);
	process->parent = long_or(root, "parent", -1);
	process->rank = long_or(root, "rank", -1);
	process->ranks = long_or(root, "ranks", -1);
	process->seconds = fmax(number_or(root, "seconds", 0), 0);
	process->slice_ns = read_json_count(json_object_get(root, "slice_ns"));
	if (!read_numbers(reader, json_object_get(root, "names"), &reader->data->names, &reader->name,
			  &reader->names) ||
	    !read_numbers(reader, json_object_get(root, "events"), &reader->data->events, &reader->event,
			  &reader->events))
		return false;
	process->events = reader->data->events.n;
	return true;
}

static bool read_notes(const struct reader *reader, const json_t *list)
{
	const json_t *note;
	size_t i;

	json_array_foreach(list, i, note)
	{
		const char *what = json_string_value(json_object_get(note, "what"));

		if (!what)
			return refuse_regions_file(reader, "a note says nothing");
		if (!regions_add_note(reader->process, what, json_string_value(json_object_get(note, "name")),
				      read_json_count(json_object_get(note, "times"))))
			return refuse_file_memory(reader);
	}
	return true;
}

static bool read_regions_process(struct reader *reader, const json_t *root)
{
	const json_t *threads = json_object_get(root, "threads"), *thread;
	size_t i;

	if (json_integer_value(json_object_get(root, "upc_regions")) != 1)
		return refuse_regions_file(reader,
					   "\"upc_regions\" is not 1, the form that this release reads");
	reader->process = regions_add_process(reader->data);
	if (!reader->process)
		return refuse_file_memory(reader);
	reader->runs = 1;
	if (!read_regions_head(reader, root) || !read_notes(reader, json_object_get(root, "notes")))
		return false;
	json_array_foreach(threads, i, thread) if (!read_thread(reader, thread)) return false;
	return true;
}

/* ---- a report of upc_regions, whose call paths hold all that the report is made from ------------------ */

/* Read a value of a report, whose exactness is a word. */
static bool read_report_value(const struct reader *reader, const json_t *object, struct upcr_value *value)
{
	const enum sheet_exactness exactness =
		sheet_exactness_of(json_string_value(json_object_get(object, "exactness")));
	double number;

	if (exactness == SHEET_UNCOUNTED)
		return true;
	if (!json_is_number(json_object_get(object, "value")))
		return refuse_regions_file(reader, "a value has no number");
	if (exactness == SHEET_EXACT) {
		*value = upcr_exact(read_json_count(json_object_get(object, "value")));
		return true;
	}
	number = fmax(number_or(object, "value", 0), 0);
	*value = upcr_estimated(number, fmax(number_or(object, "standard_error", INFINITY), 0),
				fmin(fmax(number_or(object, "low", 0), 0), number),
				fmax(number_or(object, "high", INFINITY), number),
				number_or(object, "coverage", 0),
				exactness == SHEET_AT_LEAST ? UPCR_PARTIAL : 0);
	value->freedom = fmax(number_or(object, "freedom", INFINITY), .5);
	return true;
}

/* Paths of a report by their numbers in the report; each parent comes before its children. */
struct report_paths {
	uint32_t *of; /* [room]: the data's number of the path; REGIONS_NONE: none yet */
	size_t room;
};

static bool read_report_parent(const struct reader *reader, const json_t *object,
			       const struct report_paths *paths, uint32_t *path)
{
	const json_t *parent = json_object_get(object, "parent"), *name = json_object_get(object, "region");
	size_t at = json_is_integer(parent) ? (size_t)json_integer_value(parent) : SIZE_MAX;
	uint32_t number;

	*path = 0;
	if (json_is_null(parent))
		return true;
	if (at >= paths->room || paths->of[at] == REGIONS_NONE)
		return refuse_regions_file(reader, "a path is below another that is not there");
	if (!json_is_string(name))
		return refuse_regions_file(reader, "a path has no name");
	number = regions_number(&reader->data->names, json_string_value(name));
	*path = number == REGIONS_NONE ? number : regions_path(reader->data, paths->of[at], number);
	return *path != REGIONS_NONE || refuse_file_memory(reader);
}

static bool read_report_path(const struct reader *reader, const json_t *object,
			     const struct report_paths *paths)
{
	const json_t *counts = json_object_get(object, "counts"), *item,
		     *number = json_object_get(object, "path"), *run = json_object_get(object, "run");
	size_t i, at = json_is_integer(number) ? (size_t)json_integer_value(number) : SIZE_MAX;
	struct regions_process *process = reader->process + json_integer_value(run);
	struct regions_row *row;
	uint32_t path;

	if (at >= paths->room)
		return refuse_regions_file(reader, "a path has no number");
	if (json_integer_value(run) < 0 || json_integer_value(run) >= reader->runs)
		return refuse_regions_file(reader, "a path is of a run that is not there");
	if (!read_report_parent(reader, object, paths, &path))
		return false;
	paths->of[at] = path;
	row = regions_add_row(process, process->thread, path);
	if (!row)
		return refuse_file_memory(reader);
	row->calls = read_json_count(json_object_get(object, "calls"));
	row->seconds = fmax(number_or(object, "exclusive_seconds", 0), 0);
	if (json_array_size(counts) != reader->events)
		return refuse_regions_file(reader, "a path has not as many values as there are events");
	json_array_foreach(counts, i, item)
	{
		if (!read_report_value(reader, json_object_get(item, "exclusive"),
				       &row->value[reader->event[i]]))
			return false;
	}
	return true;
}

/* Read all paths. Paths that no thread was in have no line in the report, so there are gaps in their
 * numbers. */
static bool read_report_paths(const struct reader *reader, const json_t *list)
{
	struct report_paths paths = {.room = 4 * json_array_size(list) + 64};
	const json_t *path;
	bool done = true;
	size_t i;

	json_array_foreach(list, i, path)
	{
		json_int_t number = json_integer_value(json_object_get(path, "path"));

		if (number >= 0 && number < 1 << 26 && (size_t)number >= paths.room)
			paths.room = (size_t)number + 1;
	}
	paths.of = malloc(paths.room * sizeof(*paths.of));
	if (!paths.of)
		return refuse_file_memory(reader);
	memset(paths.of, 0xff, paths.room * sizeof(*paths.of));
	for (i = 0; done && i < json_array_size(list); i++)
		done = read_report_path(reader, json_array_get(list, i), &paths);
	free(paths.of);
	return done;
}

/* Add the process of a run, with one thread. */
static bool read_report_run(struct reader *reader, const json_t *root, unsigned run)
{
	struct regions_process *process = regions_add_process(reader->data);
	struct regions_thread *thread;

	if (!process)
		return refuse_file_memory(reader);
	/* regions_add_process may have moved the processes. */
	reader->process = process - run;
	reader->runs = run + 1;
	process->run += run;
	process->file = strdup(reader->file);
	process->command = copy_json_text(root, "title");
	process->host = strdup("");
	process->started = strdup("");
	process->ended = strdup("");
	process->clock = strdup("");
	process->events = reader->data->events.n;
	if (!process->file || !process->command || !process->host || !process->started || !process->ended ||
	    !process->clock)
		return refuse_file_memory(reader);
	thread = regions_add_thread(process);
	return (thread && (thread->name = strdup(""))) || refuse_file_memory(reader);
}

/* Read the run's position, if runs of two sides took turns. */
static bool read_report_turn(const struct reader *reader, const json_t *root, const json_t *run)
{
	struct regions_process *process = &reader->data->process[reader->data->processes - 1];
	const char *turns = json_string_value(json_object_get(root, "turns"));

	process->turn = long_or(run, "turn", -1);
	if (!turns || process->turn < 0)
		return true;
	process->turns = strdup(turns);
	return process->turns || refuse_file_memory(reader);
}

/* Read a report. A report of several runs has the paths of each run, in addition to the means. */
static bool read_report(struct reader *reader, const json_t *root)
{
	const json_t *runs = json_object_get(root, "runs");
	const json_t *paths = json_object_get(root, runs ? "run_paths" : "call_paths");
	const size_t n = runs ? json_array_size(runs) : 1;
	bool done = true;

	if (json_integer_value(json_object_get(root, "schema")) != SHEET_SCHEMA)
		return refuse_regions_file(reader,
					   "its \"schema\" is not 2; make the report anew with this release");
	if (!json_is_array(paths))
		return refuse_regions_file(reader, "it has no call paths");
	if (n < 1 || n > REGIONS_RUNS_MAX)
		return refuse_regions_file(reader, "it has no runs, or too many");
	if (!read_numbers(reader, json_object_get(root, "events"), &reader->data->events, &reader->event,
			  &reader->events))
		return false;
	for (unsigned i = 0; done && i < n; i++)
		done = read_report_run(reader, root, i) &&
		       read_report_turn(reader, root, json_array_get(runs, i));
	return done && read_report_paths(reader, paths);
}

int regions_read_file(struct regions_data *data, const char *path)
{
	struct reader reader = {.file = path, .data = data};
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	bool done;

	if (!root) {
		if (error.line > 0)
			util_error("'%s', line %d: %s", path, error.line, error.text);
		else
			util_error("'%s': %s", path, error.text);
		return -1;
	}
	done = json_object_get(root, "call_paths") ? read_report(&reader, root)
						   : read_regions_process(&reader, root);
	/* An incomplete process is dropped. */
	for (unsigned i = 0; !done && i < reader.runs; i++)
		regions_drop_last(data);
	free(reader.name);
	free(reader.event);
	json_decref(root);
	return done ? (int)reader.runs : -1;
}

/* ---- directories --------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static int is_visible_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Read one file of a directory: a process's file, or the record that a ".part" file names. */
static void read_entry(struct regions_data *data, const char *file, unsigned *unfinished, unsigned *bad,
		       int *read)
{
	char made[PATH_MAX];
	struct stat about;
	int runs;

	if (ends_with(file, ".new") || ends_with(file, REGIONS_WHOLE_END) ||
	    (ends_with(file, ".part") && regions_records_tidy(file)))
		return;
	if (ends_with(file, ".part")) {
		if (!regions_records_finish(file, made)) {
			(*unfinished)++;
			return;
		}
		file = made;
	}
	if (stat(file, &about) || !S_ISREG(about.st_mode))
		return;
	runs = regions_read_file(data, file);
	if (runs > 1)
		util_error("'%s' is a report of %d runs, and not the file of a process", file, runs);
	for (int i = 0; runs > 1 && i < runs; i++)
		regions_drop_last(data);
	if (runs == 1)
		(*read)++;
	else
		(*bad)++;
}

int regions_read_directory(struct regions_data *data, const char *path, unsigned *unfinished, unsigned *bad)
{
	struct dirent **entry;
	int n = scandir(path, &entry, is_visible_entry, alphasort), i, read = 0;
	const size_t first = data->processes;
	char file[PATH_MAX];

	*unfinished = *bad = 0;
	if (n < 0) {
		util_error("cannot read the directory '%s': %s", path, strerror(errno));
		return -1;
	}
	for (i = 0; i < n; i++) {
		if (snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name) < (int)sizeof(file))
			read_entry(data, file, unfinished, bad, &read);
		free(entry[i]);
	}
	free(entry);
	if (regions_whole_gather(data, first, path))
		return read;
	util_error("'%s' cannot be read: out of memory", path);
	return -1;
}
