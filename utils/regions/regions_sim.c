/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sim.c - makes upc_run's command line, and reads its report.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "catalogue/nearest.h"
#include "decode/model.h"
#include "lib/common.h"
#include "sheet/sheet.h"

enum { NEAREST = 3 };

/* ---- events -------------------------------------------------------------------------------------- */

static bool refuse_simulated_event(const char *event)
{
	struct upci_nearest nearest = {.max = NEAREST};
	char list[256] = "";
	size_t used = 0;
	unsigned item;
	int i;

	for (item = 0; item < UPCS_ITEMS; item++)
		if (upcs_item_of(upcs_item_name(item)) == item)
			upci_nearest_offer(&nearest, event, upcs_item_name(item));
	for (i = 0; i < nearest.count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? ", " : "; the nearest: ", nearest.name[i]);
	util_error("the simulator has no count '%s' of a region%s; upc_run -z -- true shows all, without "
		   "those of one core",
		   event, list);
	return false;
}

bool regions_sim_check(const char *events)
{
	char *list = strdup(events), *rest = list, *event;
	bool good = true;

	if (!list)
		util_error("out of memory");
	while (good && list && (event = strsep(&rest, ",")))
		if (*event && upcs_item_of(event) == UPCS_ITEMS)
			good = refuse_simulated_event(event);
	free(list);
	return good && list;
}

/* ---- the command --------------------------------------------------------------------------------- */

char **regions_sim_command(char **command, char *report)
{
	static char run[] = UPC_RUN_PATH, accounts[] = "--accounts", form[] = "--format=json",
		    output[] = "--output", end[] = "--";
	char *first[] = {getenv("UPC_RUN"), accounts, form, output, report, end};
	const size_t n = sizeof(first) / sizeof(first[0]);
	size_t words = 0;
	char **all;

	if (!first[0] || !first[0][0])
		first[0] = run;
	while (command[words])
		words++;
	all = calloc(n + words + 1, sizeof(*all));
	if (!all) {
		util_error("out of memory");
		return NULL;
	}
	memcpy(all, first, sizeof(first));
	memcpy(all + n, command, words * sizeof(*all));
	return all;
}

/* ---- the report ---------------------------------------------------------------------------------- */

/* Return the count of upc_run for the whole run. */
static struct upcr_value whole_of_simulated(const json_t *events, const char *event)
{
	unsigned item = upcs_item_of(event);
	const json_t *object;
	size_t i;

	json_array_foreach(events, i, object)
	{
		const char *name = json_string_value(json_object_get(object, "event"));
		uint64_t count = (uint64_t)json_integer_value(json_object_get(object, "value"));
		struct upcr_value value = upcr_exact(count);

		if (item == UPCS_ITEMS || !name || strcmp(name, upcs_item_name(item)))
			continue;
		switch (sheet_exactness_of(json_string_value(json_object_get(object, "exactness")))) {
		case SHEET_EXACT:
			break;
		case SHEET_AT_LEAST:
			value.flags |= UPCR_PARTIAL;
			break;
		case SHEET_AT_MOST:
		case SHEET_ESTIMATE:
			value = upcr_estimated((double)count, INFINITY, 0, INFINITY, 1, UPCR_ROUGH);
			break;
		case SHEET_UNCOUNTED:
			return upcr_uncounted();
		}
		return value;
	}
	return upcr_uncounted();
}

/* Return the sum of an event over the threads of the processes from first on. */
static uint64_t sim_counted(const struct regions_data *data, size_t first, uint32_t event)
{
	uint64_t sum = 0;
	size_t p, t, r;

	for (p = first; p < data->processes; p++)
		for (t = 0; t < data->process[p].threads && event < data->process[p].events; t++)
			for (r = 0; r < data->process[p].thread[t].rows; r++)
				sum += data->process[p].thread[t].row[r].value[event].whole;
	return sum;
}

static bool add_simulated_rest(struct regions_data *data, size_t first, const json_t *events)
{
	struct regions_process *process = &data->process[first];
	struct upcr_value *rest = calloc(process->events + 1, sizeof(*rest));
	struct regions_thread *thread;
	struct regions_row *row;
	uint32_t i;

	process->whole = calloc(process->events + 1, sizeof(*process->whole));
	for (size_t p = first; p < data->processes; p++)
		data->process[p].covered = true;
	/* Sum the counts before the row for the rest is added. */
	for (i = 0; rest && process->whole && i < process->events; i++) {
		uint64_t have = sim_counted(data, first, i);

		rest[i] = process->whole[i] = whole_of_simulated(events, data->events.text[i]);
		rest[i].whole -= have < rest[i].whole ? have : rest[i].whole;
		if (!rest[i].uncounted)
			rest[i].value = rest[i].low = (double)rest[i].whole;
		if (upcr_is_exact(&rest[i]))
			rest[i].high = rest[i].value;
	}
	thread = rest && process->whole ? regions_add_thread(process) : NULL;
	if (thread) {
		thread->name = strdup("rest of the run");
		thread->number = thread->tid = -1;
		thread->threads = 0;
	}
	row = thread && thread->name ? regions_add_row(process, thread, 0) : NULL;
	if (row)
		memcpy(row->value, rest, process->events * sizeof(*rest));
	else
		util_error("out of memory");
	free(rest);
	return row;
}

bool regions_sim_rest(struct regions_data *data, size_t first, const char *report)
{
	json_error_t error;
	json_t *root = json_load_file(report, 0, &error);
	const json_t *events = json_object_get(json_array_get(json_object_get(root, "run"), 0), "counts");
	bool done = false;

	if (!json_is_array(events))
		util_error("upc_run has left no report of the whole run");
	else
		done = add_simulated_rest(data, first, events);
	json_decref(root);
	return done;
}

void regions_sim_advise(const char *report)
{
	static const char begin[] = "the emulator does not have the instruction";
	json_error_t error;
	json_t *root = json_load_file(report, 0, &error), *note;
	size_t i;

	json_array_foreach(json_object_get(root, "notes"), i, note)
	{
		const char *what = json_string_value(json_object_get(note, "what"));

		if (what && !strncmp(what, begin, strlen(begin)))
			util_error("%s", what);
	}
	json_decref(root);
}
