/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_places.c - a unit for each of several CPUs or processes, and their rows in a report.
 */
#include "stat/stat_places.h"

#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/stat_run.h"
#include "stat/topology.h"

#define SYSFS "/sys"

static int no_memory(void)
{
	util_error("out of memory");
	return -1;
}

static bool are_cpus(const struct stat_places_plan *plan)
{
	return plan->options.context == UPC_CONTEXT_CPU;
}

/* The row that unit i belongs to. */
static int name_row(const struct stat_places_plan *plan, unsigned i, char name[TOPOLOGY_NAME])
{
	static const enum topology_level level[] = {
		[STAT_BY_CPU] = TOPOLOGY_CPU,
		[STAT_BY_CORE] = TOPOLOGY_CORE,
		[STAT_BY_SOCKET] = TOPOLOGY_SOCKET,
		[STAT_BY_NODE] = TOPOLOGY_NODE,
	};

	if (!are_cpus(plan)) {
		snprintf(name, TOPOLOGY_NAME, "%d", plan->list.number[i]);
		return 0;
	}
	if (plan->by == STAT_BY_NONE)
		return topology_name(SYSFS, plan->list.number[i], TOPOLOGY_CPU, name);
	if (topology_name(SYSFS, plan->list.number[i], level[plan->by], name) == 0)
		return 0;
	util_error("the kernel does not tell where CPU %d is (/sys/devices/system/cpu)",
		   plan->list.number[i]);
	return -1;
}

int stat_places_unit(const struct stat_places_plan *plan, struct upc_catalogue *catalogue, unsigned i,
		     struct upc_unit **unit)
{
	struct upc_unit_options options = plan->options;

	if (are_cpus(plan))
		options.cpu = plan->list.number[i];
	else
		options.pid = plan->list.number[i];
	if (upc_unit_create(catalogue, &options, unit) == 0)
		return 0;
	util_error("%s", upc_last_message());
	return -1;
}

static struct stat_part *add_part(struct stat_parts *parts, const char *name, pid_t pid)
{
	struct stat_part *part = stat_parts_add(parts);

	if (part == NULL) {
		no_memory();
		return NULL;
	}
	snprintf(part->name, sizeof(part->name), "%s", name);
	part->pid = pid;
	part->born = stat_run_now();
	return part;
}

static int add_to_row(struct stat_places *places, unsigned i, const char *name, pid_t pid)
{
	unsigned row = 0;

	while (row < places->rows.n && strcmp(places->rows.part[row].name, name) != 0)
		row++;
	places->row[i] = row;
	return row < places->rows.n || add_part(&places->rows, name, pid) != NULL ? 0 : -1;
}

int stat_places_ready(struct stat_places *places, const struct stat_places_plan *plan,
		      const struct stat_events *events, struct upc_unit *first)
{
	const unsigned n = plan->list.n;

	*places = (struct stat_places){.units.events = events, .rows.events = events};
	places->row = calloc(n, sizeof(*places->row));
	places->member = calloc(n, sizeof(*places->member));
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = are_cpus(plan) ? 0 : plan->list.number[i];
		char name[TOPOLOGY_NAME];
		struct stat_part *unit;

		if (places->row == NULL || places->member == NULL) {
			upc_unit_destroy(first);
			return no_memory();
		}
		unit = add_part(&places->units, "", pid);
		if (unit == NULL && i == 0)
			upc_unit_destroy(first);
		if (unit == NULL)
			return -1;
		if (i == 0)
			unit->unit = first;
		else if (stat_places_unit(plan, events->catalogue, i, &unit->unit) != 0)
			return -1;
		if (i > 0 && stat_events_give(events, unit->unit, NULL) != 0) {
			util_error("%s %d cannot be counted: %s", are_cpus(plan) ? "CPU" : "process",
				   plan->list.number[i], upc_last_message());
			return -1;
		}
		if (name_row(plan, i, name) != 0 || add_to_row(places, i, name, pid) != 0)
			return -1;
	}
	return 0;
}

int stat_places_start(struct stat_places *places)
{
	for (unsigned i = 0; i < places->units.n; i++)
		if (upc_unit_start(places->units.part[i].unit) != 0) {
			util_error("cannot start counting: %s", upc_last_message());
			return -1;
		}
	return 0;
}

void stat_places_stop(struct stat_places *places)
{
	for (unsigned i = 0; i < places->units.n; i++)
		upc_unit_stop(places->units.part[i].unit);
}

void stat_places_read(struct stat_places *places)
{
	for (unsigned i = 0; i < places->units.n; i++)
		stat_part_read(places->units.events, &places->units.part[i]);
	for (unsigned row = 0; row < places->rows.n; row++) {
		unsigned n = 0;

		for (unsigned i = 0; i < places->units.n; i++)
			if (places->row[i] == row)
				places->member[n++] = i;
		stat_parts_sum(&places->units, places->member, n, places->rows.part[row].values,
			       places->rows.part[row].flags);
	}
}

void stat_places_free(struct stat_places *places)
{
	stat_parts_free(&places->units);
	stat_parts_free(&places->rows);
	free(places->row);
	free(places->member);
	*places = (struct stat_places){.row = NULL};
}
