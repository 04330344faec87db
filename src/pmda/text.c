/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.c - see text.h. A counter's help is the catalogue's description of its event.
 * Terms: pmda/agent.h.
 */
#include "pmda/text.h"

#include <stdio.h>
#include <string.h>

#include "pmda/clean.h"

static const char *const indom_text[INDOM_COUNT] = {
	[INDOM_CPU] = "CPUs of this node",
	[INDOM_NUMA] = "NUMA nodes of this node that have CPUs",
	[INDOM_CGROUP] = "control groups that are counted, by their labels in the configuration",
	[INDOM_COUNTER] = "counters of the service: each by its number and name",
	[INDOM_USER] = "processes other than the service that have hardware counters",
};

/* Return a text about the places of a family's values. */
static const char *places_text(enum metric_family family)
{
	const struct metric_kind *kind = &metric_kind[family];

	return kind->numa ? "of each NUMA node: the sum over its CPUs, while all that are online count"
	       : kind->scope == SERVICE_CPU    ? "of each CPU"
	       : kind->scope == SERVICE_CGROUP ? "of each control group"
					       : "of the whole node";
}

const char *text_counter(const struct pmids_entry *entry, enum metric_family family, bool line, char *text,
			 size_t size)
{
	char description[2048], name[METRIC_NAME_MAX];

	switch (metric_kind[family].what) {
	case WHAT_RUNNING:
		if (line)
			snprintf(text, size, "time in which %s was counted", entry->key.event);
		else
			snprintf(
				text, size,
				"Time in which %s was counted, %s.\nIt stands still while nothing is. A rate is the "
				"growth of the value by the growth of this.",
				entry->key.event, places_text(family));
		break;
	case WHAT_STATE:
		if (line)
			snprintf(text, size, "state of the counting of %s", entry->key.event);
		else
			snprintf(
				text, size,
				"State of the counting of %s, %s:\n0 opening, 1 counting, 2 halted, 3 taken "
				"(somebody else has the hardware counter),\n4 yielded (the service stepped aside), "
				"5 failed, 6 offline.",
				entry->key.event, places_text(family));
		break;
	default:
		clean_text(entry->counter ? entry->counter->description : "", description,
			   sizeof(description));
		metric_name(entry, family, name);
		if (line)
			snprintf(text, size, "%s: %.200s", entry->key.event, description);
		else
			snprintf(
				text, size,
				"%s (%s), %s.\n%s\nThere is no value while it is not counted: see upc.state. "
				"Time counted: upc.running%s.",
				entry->key.event, entry->key.unit, places_text(family), description,
				name + 3);
	}
	return text;
}

const char *text_always(const struct metric_always *always, bool line, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", always->line, line ? "" : ".\n", line ? "" : always->help);
	return text;
}

const char *text_indom(enum metric_indom indom)
{
	return indom_text[indom];
}
