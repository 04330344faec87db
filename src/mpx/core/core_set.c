/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_set.c - creates and destroys event sets, and adds and removes their events.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core_pair.h"
#include "core/core_step.h"
#include "core/error.h"

int mpxi_set_create(struct mpxi_core *core, struct mpxi_set **made)
{
	struct mpxi_set *set = calloc(1, sizeof(*set));

	if (!set)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	mpxi_core_hold(core);
	set->core = core;
	set->next = core->first_set;
	if (set->next)
		set->next->previous = set;
	core->first_set = set;
	core->memory += sizeof(*set);
	mpxi_core_release(core);
	*made = set;
	return 0;
}

static bool has_beside(const struct mpxi_set *set)
{
	return set->core->options.covariate || set->covariate.there;
}

static size_t bytes_of_entry(const struct mpxi_set *set)
{
	return sizeof(set->entry[0]) + sizeof(set->event[0]) + sizeof(set->line[0]) + sizeof(set->again[0]) +
	       (has_beside(set) ? sizeof(set->beside[0]) : 0);
}

static void destroy_set(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	unsigned i;

	for (i = 0; i < set->entries; i++) {
		set->event[i]->pins -= set->admitted;
		mpxi_list_unreference(core, set->event[i]);
	}
	if (set->previous)
		set->previous->next = set->next;
	else
		core->first_set = set->next;
	if (set->next)
		set->next->previous = set->previous;
	core->memory -= sizeof(*set) + set->room * bytes_of_entry(set);
	mpxi_pairs_clear(set);
	mpxi_step_clear(set);
	free(set->line);
	free(set->again);
	free(set->entry);
	free(set->beside);
	free(set->event);
	free(set);
}

void mpxi_set_destroy(struct mpxi_set *set)
{
	struct mpxi_core *core;

	if (!set)
		return;
	core = set->core;
	mpxi_core_hold(core);
	if (set->running)
		(void)mpxi_set_stop(set);
	destroy_set(set);
	mpxi_core_release(core);
}

void mpxi_sets_clear(struct mpxi_core *core, bool quietly)
{
	while (core->first_set) {
		if (core->first_set->running && !quietly)
			(void)mpxi_set_stop(core->first_set);
		destroy_set(core->first_set);
	}
}

static int reserve_set_entry(struct mpxi_set *set)
{
	unsigned room = set->room ? 2 * set->room : 4;
	struct mpxi_event **event;
	struct mpxi_line *line;
	struct mpxi_entry *entry;
	struct mpxi_beside *beside = NULL;
	bool covariate = has_beside(set);
	unsigned *again;

	if (set->entries < set->room)
		return 0;
	entry = realloc(set->entry, room * sizeof(*entry));
	if (entry)
		set->entry = entry;
	event = realloc(set->event, room * sizeof(*event));
	if (event)
		set->event = event;
	line = realloc(set->line, room * sizeof(*line));
	if (line)
		set->line = line;
	again = realloc(set->again, room * sizeof(*again));
	if (again)
		set->again = again;
	if (covariate)
		beside = realloc(set->beside, room * sizeof(*beside));
	if (beside)
		set->beside = beside;
	if (!entry || !event || !line || !again || (covariate && !beside))
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	set->core->memory += (room - set->room) * bytes_of_entry(set);
	set->room = room;
	return 0;
}

int mpxi_set_add(struct mpxi_set *set, uint32_t code)
{
	struct mpxi_event *event = NULL;
	unsigned i;
	int error;

	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs: stop it before events are added");
	for (i = 0; i < set->entries; i++)
		if (set->event[i]->code == code)
			return mpxi_error(MPXI_ECNFLCT, "the event is in the event set already");
	if (set->admitted)
		return mpxi_error(MPXI_EISRUN, "the event set's events have their places");
	mpxi_core_hold(set->core);
	error = reserve_set_entry(set);
	if (!error)
		error = mpxi_list_reference(set->core, code, &event);
	if (!error) {
		i = set->entries++;
		set->entry[i] = (struct mpxi_entry){.event = event};
		if (set->beside)
			set->beside[i] = (struct mpxi_beside){0};
		set->event[i] = event;
	}
	mpxi_core_release(set->core);
	return error ? error : (int)i;
}

int mpxi_set_remove(struct mpxi_set *set, uint32_t code)
{
	unsigned i;

	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs: stop it before events are removed");
	for (i = 0; i < set->entries && set->event[i]->code != code; i++)
		;
	if (i == set->entries)
		return mpxi_error(MPXI_ENOEVNT, "the event is not in the event set");
	mpxi_core_hold(set->core);
	mpxi_pairs_remove(set, set->event[i]);
	set->event[i]->pins -= set->admitted;
	mpxi_list_unreference(set->core, set->event[i]);
	set->entries--;
	memmove(set->entry + i, set->entry + i + 1, (set->entries - i) * sizeof(set->entry[0]));
	if (set->beside)
		memmove(set->beside + i, set->beside + i + 1, (set->entries - i) * sizeof(set->beside[0]));
	memmove(set->event + i, set->event + i + 1, (set->entries - i) * sizeof(set->event[0]));
	mpxi_core_release(set->core);
	return 0;
}

bool mpxi_set_lost(const struct mpxi_set *set)
{
	return set->has_lost;
}

bool mpxi_set_runs(const struct mpxi_set *set)
{
	return set->running;
}

unsigned mpxi_set_events(const struct mpxi_set *set)
{
	return set->entries;
}

uint32_t mpxi_set_event(const struct mpxi_set *set, unsigned i)
{
	return set->event[i]->code;
}

const struct mpxi_window *mpxi_set_window(const struct mpxi_set *set, unsigned i)
{
	return &set->entry[i].window;
}
