/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_hatchet.c - call paths in the form that Hatchet reads (GraphFrame.from_literal), one node at a
 * time.
 * Terms: regions/regions_data.h.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/data.h"
#include "regions/regions_report.h"

/* Readers of JSON accept no greater depth. Deeper paths become siblings at this depth. */
#define DEEPEST 400

static void set_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *hatchet_metrics(const struct regions_data *data, const struct regions_counts *counts)
{
	json_t *metrics = json_object();
	char name[512];

	set_real(metrics, "time (inc)", counts->seconds);
	set_real(metrics, "time", counts->own_seconds);
	json_object_set_new(metrics, "calls",
			    counts->calls == floor(counts->calls) ? util_json_count((uint64_t)counts->calls)
								  : json_real(counts->calls));
	for (uint32_t i = 0; i < data->events.n; i++) {
		snprintf(name, sizeof(name), "%s (inc)", data->events.text[i]);
		set_real(metrics, name,
			 regions_is_nothing(&counts->value[i]) ? INFINITY : counts->value[i].value);
		set_real(metrics, data->events.text[i],
			 regions_is_nothing(&counts->own[i]) ? INFINITY : counts->own[i].value);
	}
	return metrics;
}

/* Write a node up to its list of children, which stays open. */
static bool hatchet_node(FILE *out, const struct regions_report *report, uint32_t key)
{
	const struct regions_data *data = report->data;
	json_t *frame = json_object(), *metrics = hatchet_metrics(data, &report->by_path->line[key].counts);
	bool done;

	json_object_set_new(frame, "name",
			    util_json_string(key ? data->names.text[data->path[key].name] : report->title));
	json_object_set_new(frame, "type", json_string(key ? "region" : "program"));
	fputs("{\"frame\": ", out);
	done = json_dumpf(frame, out, 0) == 0;
	fputs(", \"metrics\": ", out);
	done = done && json_dumpf(metrics, out, JSON_REAL_PRECISION(12)) == 0;
	fputs(", \"children\": [", out);
	json_decref(frame);
	json_decref(metrics);
	return done;
}

/* Each node follows its parent, so all open nodes are ancestors of the current one. */
bool regions_print_hatchet(FILE *out, const struct regions_report *report)
{
	uint32_t n, open = 0, *order = regions_order(report->data, report->by_path, &n);
	bool done = order != NULL;

	fputs("[", out);
	for (uint32_t i = 0; done && i < n; i++) {
		const uint32_t depth = report->data->path[order[i]].depth;
		const uint32_t level = depth < DEEPEST ? depth : DEEPEST;
		const bool beside = i && open > level;

		for (; open > level; open--)
			fputs("]}", out);
		fputs(beside ? ",\n" : "\n", out);
		done = hatchet_node(out, report, order[i]);
		open = level + 1;
	}
	for (; open; open--)
		fputs("]}", out);
	fputs("]\n", out);
	free(order);
	return done && !ferror(out);
}
