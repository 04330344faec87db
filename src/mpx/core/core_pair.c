/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_pair.c - counts pairs of events of running sets.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include "core/core_pair.h"

/* Return the group that counts both events; NULL: no group does. */
static const struct mpxi_group *common_group(const struct mpxi_pair *pair)
{
	return pair->a->group == pair->b->group ? pair->a->group : NULL;
}

/* Return the sum of the two events' counts in the group's last sample; saturates at UINT64_MAX. */
static uint64_t both_counts(const struct mpxi_pair *pair, const struct mpxi_group *group)
{
	uint64_t a = group->sample.count[pair->a->position], b = group->sample.count[pair->b->position];

	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void mpxi_pairs_open(struct mpxi_set *set)
{
	struct mpxi_core *core = set->core;
	unsigned i;

	for (i = 0; i < set->pairs; i++) {
		struct mpxi_pair *pair = set->pair[i];
		const struct mpxi_group *group = common_group(pair);
		bool running = group && group->running;

		mpxi_stat_open(&pair->stat, core->time);
		pair->base_run = running ? group->run : 0;
		pair->base_begin = core->time;
		pair->base_count = running ? both_counts(pair, group) : 0;
		pair->next = core->first_pair;
		core->first_pair = pair;
	}
}

void mpxi_pairs_close(struct mpxi_set *set)
{
	struct mpxi_pair **link = &set->core->first_pair;
	unsigned i;

	while (*link) {
		for (i = 0; i < set->pairs && set->pair[i] != *link; i++)
			;
		if (i < set->pairs)
			*link = (*link)->next;
		else
			link = &(*link)->next;
	}
}

static void fill_pair_slice(const struct mpxi_core *core, const struct mpxi_pair *pair,
			    const struct mpxi_group *group, struct mpxi_slice *slice)
{
	const bool based = pair->base_run == group->run;
	const uint64_t count = both_counts(pair, group), base = based ? pair->base_count : 0;

	*slice = (struct mpxi_slice){
		.begin = based ? pair->base_begin : group->begin,
		.end = core->time,
		.count = count > base ? count - base : 0,
		.typical = core->lengths.typical,
	};
}

void mpxi_pairs_halt_sig(struct mpxi_core *core, const struct mpxi_group *group)
{
	struct mpxi_spacing spacing = {0};
	struct mpxi_slice slice;
	struct mpxi_pair *pair;

	for (pair = core->first_pair; pair; pair = pair->next) {
		if (common_group(pair) != group)
			continue;
		fill_pair_slice(core, pair, group, &slice);
		mpxi_stat_slice_sig(&pair->stat, &slice, &spacing);
	}
}

/* Fill in the pair's running slice so far. Return false if no running group counts both events. */
static bool running_slice(const struct mpxi_core *core, const struct mpxi_pair *pair,
			  struct mpxi_slice *slice)
{
	const struct mpxi_group *group = common_group(pair);

	if (!group || !group->running)
		return false;
	fill_pair_slice(core, pair, group, slice);
	return true;
}

void mpxi_pairs_start(struct mpxi_set *set)
{
	const struct mpxi_core *core = set->core;
	struct mpxi_slice slice;
	unsigned i;

	for (i = 0; i < set->pairs; i++) {
		struct mpxi_pair *pair = set->pair[i];
		bool runs = running_slice(core, pair, &slice);

		mpxi_stat_start(&pair->stat, runs ? &slice : NULL, core->time, &pair->start);
	}
}

void mpxi_pairs_forget(struct mpxi_set *set)
{
	unsigned i;

	for (i = 0; i < set->pairs; i++)
		set->pair[i]->window = (struct mpxi_window){0};
}

/* Return the window of the event's entry. Its fields that describe the stretch apply to the pair, too
 * (core_count.c). */
static const struct mpxi_window *window_of_event(const struct mpxi_set *set, const struct mpxi_event *event)
{
	unsigned i;

	for (i = 0; set->event[i] != event; i++)
		;
	return &set->entry[i].window;
}

void mpxi_pairs_read(struct mpxi_set *set)
{
	const struct mpxi_core *core = set->core;
	struct mpxi_slice slice;
	struct mpxi_mark end;
	unsigned i;

	for (i = 0; i < set->pairs; i++) {
		struct mpxi_pair *pair = set->pair[i];
		bool runs = running_slice(core, pair, &slice);

		mpxi_stat_read(&pair->stat, runs ? &slice : NULL, core->time, &end);
		pair->window = *window_of_event(set, pair->a);
		pair->window.sums = (struct mpxi_sums){0};
		pair->window.time = pair->window.unknown = 0;
		pair->window.exact = false;
		mpxi_window_add(&pair->window, &pair->start, &end);
	}
}
