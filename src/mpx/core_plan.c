/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_plan.c - changes which groups there are, and which of them run.
 *
 * A place in a group is given when an event is first activated, and kept: a region
 * that is entered again and again finds its groups as it left them. Groups none of
 * whose events is active are passed over, and dropped when there are newcomers.
 */
#include <stdlib.h>
#include <string.h>

#include "core_private.h"
#include "error.h"

/* A new plan in the making: nothing of the core has changed yet. */
struct change {
	struct mpxi_draft draft;
	struct mpxi_group **slot;
	unsigned *order, *was;
	unsigned taken; /* slots that are filled in */
};

static bool is_ordinary(const struct mpxi_event *event)
{
	return event->role == MPXI_ORDINARY;
}

static struct mpxi_event *find_event(const struct mpxi_core *core, uint32_t code)
{
	unsigned i;

	for (i = 0; i < core->events; i++)
		if (core->event[i]->code == code)
			return core->event[i];
	return NULL;
}

static unsigned slot_of(const struct mpxi_core *core, const struct mpxi_group *group)
{
	unsigned i;

	for (i = 0; i < core->slots && core->slot[i] != group; i++)
		;
	return i;
}

/* The slot that has exactly these events now. */
static struct mpxi_group *same_slot(const struct mpxi_core *core, const uint32_t *code, unsigned n)
{
	struct mpxi_event *event = find_event(core, code[0]);
	struct mpxi_group *group = event->group;

	return group && group->n == n && !memcmp(group->code, code, n * sizeof(*code)) ? group
										       : NULL;
}

static void change_clear(struct mpxi_core *core, struct change *change)
{
	unsigned i;

	for (i = 0; i < change->taken; i++)
		if (slot_of(core, change->slot[i]) == core->slots)
			mpxi_groups_put(&core->groups, change->slot[i]);
	mpxi_draft_clear(&change->draft);
	free(change->slot);
	free(change->order);
	free(change->was);
}

/* Groups for all lists of the draft. */
static int resolve(struct mpxi_core *core, struct change *change)
{
	const struct mpxi_draft *draft = &change->draft;
	unsigned i, k, n = draft->lists;
	int error;

	change->slot = calloc(n, sizeof(change->slot[0]));
	change->order = calloc(n, sizeof(change->order[0]));
	change->was = calloc(n, sizeof(change->was[0]));
	if (!change->slot || !change->order || !change->was)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan of %u groups", n);
	for (i = 0; i < n; i++) {
		const uint32_t *code = draft->code + draft->begin[i];
		unsigned count = draft->begin[i + 1] - draft->begin[i];

		change->was[i] = core->slots;
		for (k = 0; k < count && change->was[i] == core->slots; k++)
			change->was[i] = slot_of(core, find_event(core, code[k])->group);
		change->slot[i] = same_slot(core, code, count);
		if (!change->slot[i]) {
			error = mpxi_groups_get(&core->groups, code, count, &change->slot[i]);
			if (error)
				return error;
		}
		change->taken = i + 1;
	}
	return 0;
}

/* From here on nothing fails. */
static void commit(struct mpxi_core *core, struct change *change)
{
	struct mpxi_group **old = core->slot;
	unsigned i, k, slots = core->slots, *order;

	for (i = 0; i < slots; i++) {
		struct mpxi_group *group = old[i];

		for (k = 0; k < change->taken && change->slot[k] != group; k++)
			;
		if (k < change->taken)
			continue;
		if (group == core->current)
			(void)mpxi_core_halt_sig(core, group);
		for (k = 0; k < group->n; k++) {
			group->event[k]->breaks += group->event[k]->activations > 0;
			group->event[k]->group = NULL;
		}
		mpxi_groups_put(&core->groups, group);
	}
	core->active_slots = 0;
	for (i = 0; i < change->taken; i++) {
		struct mpxi_group *group = change->slot[i];

		group->active = 0;
		for (k = 0; k < group->n; k++) {
			struct mpxi_event *event = find_event(core, group->code[k]);

			group->event[k] = event;
			event->group = group;
			event->position = k;
			group->active += event->activations > 0;
		}
		core->active_slots += group->active > 0;
	}
	order = core->order.slot;
	mpxi_order_set(&core->order, change->was, change->order, change->taken);
	core->slot = change->slot;
	core->slots = change->taken;
	free(old);
	free(order);
	free(change->was);
	mpxi_draft_clear(&change->draft);
}

/* Groups that hold all active events and n newcomers. */
static int place(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	struct change change = {.taken = 0};
	unsigned i;
	int error = 0;

	for (i = 0; !error && i < core->slots; i++)
		error = mpxi_draft_add(&change.draft, core->slot[i]->event, core->slot[i]->n, true);
	if (!error)
		error = mpxi_draft_place(&change.draft, core->options.ops, core->options.backend,
					 event, n);
	if (!error)
		error = resolve(core, &change);
	if (error)
		change_clear(core, &change);
	else
		commit(core, &change);
	return error;
}

/* A group for unlimited events, which runs while one of them is active. */
static int place_unlimited(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_draft draft = {0};
	struct mpxi_group **more, *group;
	unsigned i, k;
	int error = mpxi_draft_add(&draft, event, n, false);

	if (!error) {
		more = realloc(core->steady, (core->steadies + 1) * sizeof(*more));
		if (!more)
			error = mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		else
			core->steady = more;
	}
	if (!error)
		error = mpxi_groups_get(&core->groups, draft.code, draft.codes, &group);
	for (i = 0; !error && i < n; i++) {
		for (k = 0; draft.code[k] != event[i]->code; k++)
			;
		group->event[k] = event[i];
		event[i]->group = group;
		event[i]->position = k;
	}
	if (!error)
		core->steady[core->steadies++] = group;
	mpxi_draft_clear(&draft);
	return error;
}

int mpxi_plan_admit(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_event **newcomer = calloc(n ? n : 1, sizeof(*newcomer));
	unsigned i, ordinary = 0, unlimited = n;
	int error = 0;

	if (!newcomer)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	/* Ordinary ones from the left, unlimited ones from the right. */
	for (i = 0; i < n; i++) {
		if (event[i]->group)
			continue;
		if (is_ordinary(event[i]))
			newcomer[ordinary++] = event[i];
		else if (event[i]->role == MPXI_UNLIMITED)
			newcomer[--unlimited] = event[i];
	}
	if (unlimited < n)
		error = place_unlimited(core, newcomer + unlimited, n - unlimited);
	if (!error && ordinary)
		error = place(core, newcomer, ordinary);
	free(newcomer);
	return error;
}

void mpxi_plan_activate(struct mpxi_core *core, struct mpxi_event *event)
{
	struct mpxi_group *group = event->group;

	if (event->activations++)
		return;
	mpxi_stat_open(&event->stat, core->time);
	event->base_begin = core->time;
	event->base_covariate = core->covariate;
	if (group) {
		/* In the middle of a run the event begins at what was counted so far. */
		event->base_run = group->running ? group->run : 0;
		event->base_count = group->running ? group->sample.count[event->position] : 0;
		if (!group->active++ && is_ordinary(event))
			core->active_slots++;
	}
	core->active_others += !is_ordinary(event);
}

void mpxi_plan_deactivate(struct mpxi_core *core, struct mpxi_event *event)
{
	struct mpxi_slice slice;

	if (event->activations > 1) {
		event->activations--;
		return;
	}
	/* Its slice ends here, whatever becomes of its group. */
	if (mpxi_core_running(core, event, &slice))
		mpxi_stat_slice_sig(&event->stat, &slice);
	event->activations = 0;
	if (event->group && !--event->group->active && is_ordinary(event))
		core->active_slots--;
	core->active_others -= !is_ordinary(event);
}

/* The group that T is to go by. */
static int settle_current(struct mpxi_core *core)
{
	struct mpxi_group *current = core->current;
	int error;

	if (core->active_slots) {
		if (current && current != core->idle && current->active)
			return 0;
		return mpxi_core_switch_sig(core);
	}
	if (current == core->idle && core->active_others)
		return 0;
	if (current)
		(void)mpxi_core_halt_sig(core, current);
	if (!core->active_others)
		return 0;
	error = mpxi_core_run_sig(core, core->idle);
	if (!error)
		core->current = core->idle;
	return error;
}

static int settle_steady(struct mpxi_core *core)
{
	unsigned i;
	int failed = 0;

	for (i = 0; i < core->steadies; i++) {
		struct mpxi_group *group = core->steady[i];
		int error = 0;

		if (group->running && !group->active)
			(void)mpxi_core_halt_sig(core, group);
		else if (!group->running && group->active)
			error = mpxi_core_run_sig(core, group);
		failed = failed ? failed : error;
	}
	return failed;
}

int mpxi_plan_settle(struct mpxi_core *core)
{
	bool sharing = core->active_slots > 1;
	int error = settle_current(core);
	int failed = settle_steady(core);

	error = error ? error : failed;
	if (sharing != core->sharing && core->options.sharing) {
		failed = core->options.sharing(core->options.arg, sharing);
		error = error ? error : failed;
	}
	core->sharing = sharing;
	return error;
}

void mpxi_plan_expel(struct mpxi_core *core, struct mpxi_event *event)
{
	/* The group goes on; what stands in the event's place is never active. */
	if (event->group)
		event->group->event[event->position] = &core->nobody;
	event->group = NULL;
}

void mpxi_plan_clear(struct mpxi_core *core)
{
	free(core->slot);
	free(core->order.slot);
	free(core->steady);
}
