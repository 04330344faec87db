/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_places.c - a unit for each of several CPUs, processes or threads, and their rows in a report.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_places.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/stat_run.h"
#include "stat/topology.h"

#define SYSFS "/sys"

static int fail_places_memory(void)
{
	util_error("out of memory");
	return -1;
}

static bool are_cpus(const struct stat_places_plan *plan)
{
	return plan->options.context == UPC_CONTEXT_CPU;
}

static bool are_threads(const struct stat_places_plan *plan)
{
	return plan->options.context == UPC_CONTEXT_THREAD;
}

/* Format the name of the row for unit i. Return 0, or -1 after printing an error. */
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

static int create_unit_of(const struct stat_places_plan *plan, struct upc_catalogue *catalogue, unsigned i,
			  struct upc_unit **unit)
{
	struct upc_unit_options options = plan->options;

	if (are_cpus(plan))
		options.cpu = plan->list.number[i];
	else
		options.pid = plan->list.number[i];
	return upc_unit_create(catalogue, &options, unit);
}

int stat_places_unit(const struct stat_places_plan *plan, struct upc_catalogue *catalogue, unsigned i,
		     struct upc_unit **unit)
{
	if (create_unit_of(plan, catalogue, i, unit) == 0)
		return 0;
	util_error("%s", upc_last_message());
	return -1;
}

/* Return true if unit i is for a thread that has ended since the list was made. */
static bool is_planned_thread_gone(const struct stat_places_plan *plan, unsigned i)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", plan->list.number[i]);
	return are_threads(plan) && access(path, F_OK) != 0;
}

/* Create unit i, which is not the first, with its events. *unit is NULL if the thread has ended. Return 0, or
 * -1 after printing an error. */
static int further_unit(const struct stat_places_plan *plan, const struct stat_events *events, unsigned i,
			struct upc_unit **unit)
{
	*unit = NULL;
	if (create_unit_of(plan, events->catalogue, i, unit) == 0 &&
	    stat_events_give(events, *unit, NULL) == 0)
		return 0;
	if (!is_planned_thread_gone(plan, i)) {
		util_error("%s %d cannot be counted: %s",
			   are_cpus(plan)      ? "CPU"
			   : are_threads(plan) ? "thread"
					       : "process",
			   plan->list.number[i], upc_last_message());
		upc_unit_destroy(*unit);
		return -1;
	}
	upc_unit_destroy(*unit);
	*unit = NULL;
	return 0;
}

static struct stat_part *add_part(struct stat_parts *parts, const char *name, pid_t pid)
{
	struct stat_part *part = stat_parts_add(parts);

	if (part == NULL) {
		fail_places_memory();
		return NULL;
	}
	snprintf(part->name, sizeof(part->name), "%s", name);
	part->pid = pid;
	part->born = stat_run_now();
	return part;
}

/* Assign unit i to a row, which is created if necessary. Each thread has a separate row, since threads may
 * share a name. Return 0, or -1 after printing an error. */
static int add_to_row(struct stat_places *places, const struct stat_places_plan *plan, unsigned i, pid_t pid)
{
	char name[TOPOLOGY_NAME];
	struct stat_part *part;
	unsigned row = 0;

	if (name_row(plan, i, name) != 0)
		return -1;
	while (row < places->rows.n && (are_threads(plan) || strcmp(places->rows.part[row].name, name) != 0))
		row++;
	places->row[places->units.n - 1] = row;
	if (row < places->rows.n)
		return 0;
	part = add_part(&places->rows, name, pid);
	if (part == NULL)
		return -1;
	if (are_threads(plan)) {
		part->tid = plan->list.number[i];
		stat_part_read_name(part);
	}
	return 0;
}

/* Add a unit and its row. places owns the unit from here on. Return 0, or -1 after printing an error. */
static int add_unit(struct stat_places *places, const struct stat_places_plan *plan, unsigned i,
		    struct upc_unit *unit)
{
	const pid_t pid = are_cpus(plan) ? 0 : plan->list.number[are_threads(plan) ? 0 : i];
	struct stat_part *part = add_part(&places->units, "", pid);

	if (part == NULL) {
		upc_unit_destroy(unit);
		return -1;
	}
	part->unit = unit;
	return add_to_row(places, plan, i, pid);
}

int stat_places_ready(struct stat_places *places, const struct stat_places_plan *plan,
		      const struct stat_events *events, struct upc_unit *first)
{
	const unsigned n = plan->list.n;
	struct upc_unit *unit;

	*places = (struct stat_places){.units.events = events, .rows.events = events};
	places->row = calloc(n, sizeof(*places->row));
	places->member = calloc(n, sizeof(*places->member));
	if (places->row == NULL || places->member == NULL) {
		upc_unit_destroy(first);
		return fail_places_memory();
	}
	if (add_unit(places, plan, 0, first) != 0)
		return -1;
	for (unsigned i = 1; i < n; i++)
		if (further_unit(plan, events, i, &unit) != 0 ||
		    (unit != NULL && add_unit(places, plan, i, unit) != 0))
			return -1;
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
