/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_plan.c - changes which groups there are, and which of them run.
 *
 * A place in a group is given when an event is first activated, and kept: a region
 * that is entered again and again finds its groups as it left them. Groups none of
 * whose events is active are passed over, and dropped when there are newcomers. When
 * sets have stopped, what is left is put into fewer groups, if these hold it.
 *
 * A change makes and opens all that it needs first. Then it is committed, which cannot
 * fail, but can be undone: the former groups stay open until what is new counts.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/core_private.h"
#include "core/error.h"

/* A new plan in the making: nothing of the core has changed yet. */
struct change {
	struct mpxi_draft draft;
	struct mpxi_group **slot;
	unsigned *order, *was;
	unsigned taken; /* slots that are filled in */
};

static bool in_plan(const struct mpxi_plan *plan, const struct mpxi_group *group)
{
	return group->slot < plan->slots && plan->slot[group->slot] == group;
}

static void change_clear(struct mpxi_core *core, struct change *change)
{
	unsigned i;

	for (i = 0; i < change->taken; i++)
		if (!in_plan(&core->plan, change->slot[i]))
			mpxi_groups_put(&core->groups, change->slot[i]);
	mpxi_draft_clear(&change->draft);
	free(change->slot);
	free(change->order);
	free(change->was);
}

/* Nothing has come to the list: its group stays, with its events that are not active. */
static bool is_same(const struct mpxi_list *list)
{
	return list->from != MPXI_NEW_LIST && list[1].begin - list->begin == list->taken;
}

/* Groups for all lists of the draft. */
static int resolve(struct mpxi_core *core, struct change *change)
{
	const struct mpxi_draft *draft = &change->draft;
	unsigned i, n = draft->lists;
	int error;

	change->slot = calloc(n, sizeof(change->slot[0]));
	change->order = calloc(n, sizeof(change->order[0]));
	change->was = calloc(n, sizeof(change->was[0]));
	if (!change->slot || !change->order || !change->was)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan of %u groups", n);
	for (i = 0; i < n; i++) {
		const struct mpxi_list *list = &draft->list[i];

		change->was[i] = list->from;
		if (is_same(list)) {
			change->slot[i] = core->plan.slot[list->from];
		} else {
			error = mpxi_groups_get(&core->groups, draft->code + list->begin,
						list[1].begin - list->begin, &change->slot[i]);
			if (error)
				return error;
		}
		change->taken = i + 1;
	}
	return 0;
}

/* The events of a group that leaves the plan have no place until they get another. */
static void unbind(struct mpxi_core *core, struct mpxi_group *group)
{
	unsigned k;

	if (group == core->current)
		(void)mpxi_core_halt_sig(core, group);
	for (k = 0; k < group->n; k++)
		group->event[k]->group = NULL;
}

static void bind(struct mpxi_core *core, struct mpxi_group *group)
{
	unsigned k;

	group->active = 0;
	for (k = 0; k < group->n; k++) {
		struct mpxi_event *event = group->event[k];

		if (event == &core->nobody)
			continue;
		event->group = group;
		event->position = k;
		group->active += event->activations > 0;
	}
	core->active_slots += group->active > 0;
}

/* The events that a list of the draft says are in a group. */
static void fill_in(struct mpxi_core *core, struct mpxi_group *group)
{
	unsigned k;

	for (k = 0; k < group->n; k++)
		group->event[k] = core->event[mpxi_core_find(core, group->code[k])];
	if (group->n > core->largest)
		core->largest = group->n;
}

/* From one plan to core->plan, whose groups have their events. Groups that are in both
 * do not notice. */
static void exchange(struct mpxi_core *core, const struct mpxi_plan *from)
{
	const struct mpxi_plan *to = &core->plan;
	unsigned i;

	for (i = 0; i < to->slots; i++)
		to->slot[i]->slot = i;
	for (i = 0; i < from->slots; i++)
		if (!in_plan(to, from->slot[i]))
			unbind(core, from->slot[i]);
	core->active_slots = 0;
	for (i = 0; i < to->slots; i++)
		bind(core, to->slot[i]);
}

/* Frees a plan that core->plan is instead of. */
static void retire(struct mpxi_core *core, struct mpxi_plan *plan)
{
	unsigned i;

	for (i = 0; i < plan->slots; i++)
		if (!in_plan(&core->plan, plan->slot[i]))
			mpxi_groups_put(&core->groups, plan->slot[i]);
	free(plan->slot);
	free(plan->order.slot);
	core->former = (struct mpxi_plan){0};
	core->changing = false;
}

/* From here on nothing fails. */
static void commit(struct mpxi_core *core, struct change *change)
{
	const struct mpxi_list *list = change->draft.list;
	unsigned i;

	for (i = 0; i < change->taken; i++)
		if (!is_same(&list[i]))
			fill_in(core, change->slot[i]);
	core->former = core->plan;
	core->changing = true;
	core->plan.slot = change->slot;
	core->plan.slots = change->taken;
	mpxi_order_set(&core->plan.order, change->was, change->order, change->taken);
	exchange(core, &core->former);
	free(change->was);
	mpxi_draft_clear(&change->draft);
}

void mpxi_plan_keep(struct mpxi_core *core)
{
	struct mpxi_plan former = core->former;

	if (core->changing)
		retire(core, &former);
}

void mpxi_plan_undo(struct mpxi_core *core)
{
	struct mpxi_plan undone = core->plan;

	if (!core->changing)
		return;
	core->plan = core->former;
	exchange(core, &undone);
	retire(core, &undone);
}

/* Groups that hold what is active or pinned, and n newcomers; without newcomers, only
 * if fewer do. */
static int place(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	const struct mpxi_backend_ops *ops = core->options.ops;
	struct change change = {.taken = 0};
	struct mpxi_draft *draft = &change.draft;
	unsigned i, before;
	int error = 0;

	for (i = 0; !error && i < core->plan.slots; i++)
		error = mpxi_draft_add(draft, core->plan.slot[i]->event, core->plan.slot[i]->n, true, i);
	before = draft->lists;
	if (!error && n)
		error = mpxi_draft_place(draft, ops, core->options.backend, event, n);
	else if (!error)
		error = mpxi_draft_shrink(draft, ops, core->options.backend);
	if (error || (!n && draft->lists == before)) {
		mpxi_draft_clear(draft);
		return error;
	}
	error = resolve(core, &change);
	if (error)
		change_clear(core, &change);
	else
		commit(core, &change);
	return error;
}

/* Groups of unlimited events go when nothing in them is active. */
static void drop_steadies(struct mpxi_core *core)
{
	unsigned i, k, left = 0;

	for (i = 0; i < core->steadies; i++) {
		struct mpxi_group *group = core->steady[i];

		for (k = 0; k < group->n; k++)
			if (group->event[k]->activations || group->event[k]->pins)
				break;
		if (k < group->n) {
			core->steady[left++] = group;
			continue;
		}
		unbind(core, group);
		mpxi_groups_put(&core->groups, group);
	}
	core->steadies = left;
}

/* A group for unlimited events, which runs while one of them is active. */
static int place_unlimited(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_draft draft = {0};
	struct mpxi_group **more, *group;
	unsigned k;
	int error = mpxi_draft_add(&draft, event, n, false, MPXI_NEW_LIST);

	if (!error) {
		more = realloc(core->steady, (core->steadies + 1) * sizeof(*more));
		if (!more)
			error = mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		else
			core->steady = more;
	}
	if (!error)
		error = mpxi_groups_get(&core->groups, draft.code, draft.codes, &group);
	mpxi_draft_clear(&draft);
	if (error)
		return error;
	for (k = 0; k < n; k++) {
		struct mpxi_event *one = core->event[mpxi_core_find(core, group->code[k])];

		group->event[k] = one;
		one->group = group;
		one->position = k;
	}
	core->steady[core->steadies++] = group;
	drop_steadies(core);
	return 0;
}

/* Needs a place and has none. */
static bool is_newcomer(const struct mpxi_event *event)
{
	return !event->group && (mpxi_event_is_ordinary(event) || event->role == MPXI_UNLIMITED);
}

static int place_newcomers(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n,
			   unsigned newcomers)
{
	struct mpxi_event **newcomer = calloc(newcomers, sizeof(*newcomer));
	unsigned i, ordinary = 0, unlimited = newcomers;
	int error = 0;

	if (!newcomer)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	/* Ordinary ones from the left, unlimited ones from the right. */
	for (i = 0; i < n; i++) {
		if (!is_newcomer(event[i]))
			continue;
		if (mpxi_event_is_ordinary(event[i]))
			newcomer[ordinary++] = event[i];
		else
			newcomer[--unlimited] = event[i];
	}
	if (unlimited < newcomers)
		error = place_unlimited(core, newcomer + unlimited, newcomers - unlimited);
	if (!error && ordinary)
		error = place(core, newcomer, ordinary);
	free(newcomer);
	return error;
}

static bool rejoin_group(struct mpxi_core *core, struct mpxi_group *group, struct mpxi_event *event)
{
	unsigned low = 0, high = group->n;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (group->code[middle] < event->code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == group->n || group->code[low] != event->code || group->event[low] != &core->nobody)
		return false;
	group->event[low] = event;
	event->group = group;
	event->position = low;
	return true;
}

/* An event that had left the list takes the place again that still waits for it. So no
 * event is in two groups, one of which counts it for nobody. */
static bool rejoin(struct mpxi_core *core, struct mpxi_event *event)
{
	bool turns = mpxi_event_is_ordinary(event);
	struct mpxi_group *const *group = turns ? core->plan.slot : core->steady;
	unsigned i, n = turns ? core->plan.slots : core->steadies;

	for (i = 0; core->vacancies && i < n; i++)
		if (rejoin_group(core, group[i], event))
			return true;
	return false;
}

int mpxi_plan_admit(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	unsigned i, newcomers = 0;
	int error;

	for (i = 0; i < n; i++)
		newcomers += is_newcomer(event[i]) && !rejoin(core, event[i]);
	if (!newcomers)
		return 0;
	/* Their groups stay, though nothing in them may be active yet. */
	for (i = 0; i < n; i++)
		event[i]->pins++;
	error = place_newcomers(core, event, n, newcomers);
	for (i = 0; i < n; i++)
		event[i]->pins--;
	return error;
}

bool mpxi_plan_shrink(struct mpxi_core *core)
{
	if (!core->may_shrink || core->changing || core->active_slots < 2 || core->turns < core->shrink_at ||
	    core->active_ordinary > (uint64_t)(core->active_slots - 1) * core->largest)
		return false;
	core->may_shrink = false;
	core->shrink_at = core->turns + core->active_slots;
	/* After an error the groups stay as they are: nobody has asked for fewer. */
	(void)place(core, NULL, 0);
	return core->changing;
}

void mpxi_plan_expel(struct mpxi_core *core, struct mpxi_event *event)
{
	/* The group goes on; what stands in the event's place is never active. */
	if (event->group) {
		event->group->event[event->position] = &core->nobody;
		core->vacancies = true;
	}
	event->group = NULL;
}

void mpxi_plan_clear(struct mpxi_core *core)
{
	unsigned i;

	for (i = 0; i < core->plan.slots; i++)
		mpxi_groups_put(&core->groups, core->plan.slot[i]);
	for (i = 0; i < core->steadies; i++)
		mpxi_groups_put(&core->groups, core->steady[i]);
	free(core->plan.slot);
	free(core->plan.order.slot);
	free(core->steady);
}
