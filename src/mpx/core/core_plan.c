/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_plan.c - changes the groups of the plan, and which of them run.
 *
 * An event gets a place in a group when it is first activated, and keeps this place, so that a set that
 * starts again and again finds its groups unchanged. Groups without an active event are skipped, and are
 * dropped when new events need places. After sets have stopped, the remaining events move into fewer
 * groups, if the counters hold these.
 *
 * A change first allocates memory and opens groups. Then it is committed, which cannot fail. A committed
 * change can still be undone: the former groups stay open until the new groups count, when mpxi_plan_keep
 * closes them.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/core_private.h"
#include "core/error.h"

/* A plan under construction; the core is still unchanged. */
struct change {
	struct mpxi_draft draft;
	struct mpxi_group **slot;
	unsigned *order, *was;
	unsigned taken; /* number of slots filled so far */
	/* The always-counted events: the former plan's array if they are the same, or else a new array. */
	struct mpxi_event **always;
	uint32_t *code; /* codes of these events */
	unsigned alwayses;
	struct mpxi_group *idle;
	struct mpxi_covariate covariate;
	bool anew; /* all groups must be new, since the always-counted events or the covariate have changed */
};

static struct mpxi_codes codes_of(const struct change *change)
{
	return (struct mpxi_codes){change->code, change->alwayses};
}

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
	if (change->idle && change->idle != core->plan.idle)
		mpxi_groups_put(&core->groups, change->idle);
	if (change->always != core->plan.always)
		free(change->always);
	mpxi_draft_clear(&change->draft);
	free(change->code);
	free(change->slot);
	free(change->order);
	free(change->was);
	mpxi_covariate_choose(core, &core->plan.covariate);
}

/* True if no event was added to the list. The list's group then stays in the plan, including its
 * inactive events. */
static bool is_same(const struct mpxi_list *list)
{
	return list->from != MPXI_NEW_LIST && list[1].begin - list->begin == list->taken;
}

/* Find or open groups for all lists of the draft. */
static int resolve_draft_lists(struct mpxi_core *core, struct change *change)
{
	const struct mpxi_draft *draft = &change->draft;
	unsigned i, n = draft->lists;
	int error;

	change->slot = calloc(n + 1, sizeof(change->slot[0]));
	change->order = calloc(n + 1, sizeof(change->order[0]));
	change->was = calloc(n + 1, sizeof(change->was[0]));
	if (!change->slot || !change->order || !change->was)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan of %u groups", n);
	for (i = 0; i < n; i++) {
		const struct mpxi_list *list = &draft->list[i];

		change->was[i] = list->from;
		if (is_same(list)) {
			change->slot[i] = core->plan.slot[list->from];
		} else {
			const struct mpxi_codes own = {draft->code + list->begin,
						       list[1].begin - list->begin};

			error = mpxi_groups_get(&core->groups, own, codes_of(change), &change->slot[i]);
			if (error)
				return error;
		}
		change->taken = i + 1;
	}
	change->idle = core->plan.idle;
	if (!change->anew)
		return 0;
	change->idle = NULL;
	return mpxi_groups_get(&core->groups, (struct mpxi_codes){0}, codes_of(change), &change->idle);
}

/* Halt a group that leaves the plan, and take the places of its events away. */
static void unbind_group_events(struct mpxi_core *core, struct mpxi_group *group)
{
	unsigned k;

	if (group == core->current)
		(void)mpxi_core_halt_sig(core, group);
	for (k = 0; k < group->n; k++)
		group->event[k]->group = NULL;
}

static void bind_group_events(struct mpxi_core *core, struct mpxi_group *group)
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

/* Fill in the group's events, including the always-counted ones, from its codes. */
static void fill_group_events(struct mpxi_core *core, struct mpxi_group *group)
{
	const unsigned all = group->n + group->always;
	unsigned k;

	for (k = 0; k < all; k++)
		group->event[k] = core->event[mpxi_core_find(core, group->code[k])];
	if (all > core->largest)
		core->largest = all;
}

static bool is_in_all(const struct mpxi_plan *plan, const struct mpxi_event *event)
{
	unsigned i;

	for (i = 0; i < plan->alwayses && plan->always[i] != event; i++)
		;
	return i < plan->alwayses;
}

/* Update the roles of the events that become or cease to be always-counted. Groups that count these
 * events must not be running. */
static void exchange_always(struct mpxi_core *core, const struct mpxi_plan *from)
{
	const struct mpxi_plan *to = &core->plan;
	unsigned i;

	if (from->always == to->always)
		return;
	for (i = 0; i < from->alwayses; i++)
		if (from->always[i] != &core->nobody && !is_in_all(to, from->always[i]))
			mpxi_plan_part(core, from->always[i]);
	for (i = 0; i < to->alwayses; i++)
		if (to->always[i] != &core->nobody && !is_in_all(from, to->always[i]))
			mpxi_plan_join(core, to->always[i]);
}

/* Make the core use core->plan in place of the plan `from`. The groups of core->plan already have their
 * events. Groups in both plans are not affected. */
static void exchange_plans(struct mpxi_core *core, const struct mpxi_plan *from)
{
	const struct mpxi_plan *to = &core->plan;
	unsigned i;

	for (i = 0; i < to->slots; i++)
		to->slot[i]->slot = i;
	for (i = 0; i < from->slots; i++)
		if (!in_plan(to, from->slot[i]))
			unbind_group_events(core, from->slot[i]);
	if (from->idle != to->idle && core->current == from->idle)
		(void)mpxi_core_halt_sig(core, from->idle);
	exchange_always(core, from);
	if (!mpxi_covariate_is(&from->covariate, &to->covariate))
		mpxi_covariate_changed(core);
	mpxi_covariate_choose(core, &to->covariate);
	core->active_slots = 0;
	for (i = 0; i < to->slots; i++)
		bind_group_events(core, to->slot[i]);
}

/* Free a plan that core->plan has replaced. */
static void retire_plan(struct mpxi_core *core, struct mpxi_plan *plan)
{
	unsigned i;

	for (i = 0; i < plan->slots; i++)
		if (!in_plan(&core->plan, plan->slot[i]))
			mpxi_groups_put(&core->groups, plan->slot[i]);
	if (plan->idle != core->plan.idle)
		mpxi_groups_put(&core->groups, plan->idle);
	if (plan->always != core->plan.always)
		free(plan->always);
	free(plan->slot);
	free(plan->order.slot);
	core->former = (struct mpxi_plan){0};
	core->changing = false;
}

/* Make the changed plan the core's plan. Cannot fail. */
static void commit_change(struct mpxi_core *core, struct change *change)
{
	const struct mpxi_list *list = change->draft.list;
	unsigned i;

	for (i = 0; i < change->taken; i++)
		if (!is_same(&list[i]))
			fill_group_events(core, change->slot[i]);
	if (change->idle != core->plan.idle)
		fill_group_events(core, change->idle);
	core->former = core->plan;
	core->changing = true;
	core->plan.slot = change->slot;
	core->plan.slots = change->taken;
	core->plan.always = change->always;
	core->plan.alwayses = change->alwayses;
	core->plan.idle = change->idle;
	core->plan.covariate = change->covariate;
	mpxi_order_set(&core->plan.order, change->was, change->order, change->taken);
	exchange_plans(core, &core->former);
	free(change->code);
	free(change->was);
	mpxi_draft_clear(&change->draft);
}

void mpxi_plan_keep(struct mpxi_core *core)
{
	struct mpxi_plan former = core->former;

	if (core->changing)
		retire_plan(core, &former);
}

void mpxi_plan_undo(struct mpxi_core *core)
{
	struct mpxi_plan undone = core->plan;

	if (!core->changing)
		return;
	core->plan = core->former;
	exchange_plans(core, &undone);
	retire_plan(core, &undone);
}

/* Choose the always-counted events and the covariate for the changed plan. */
static int choose_always(struct mpxi_core *core, struct change *change)
{
	struct mpxi_event **always = calloc(core->events + 1, sizeof(*always));
	uint32_t *code = calloc(core->events + 1, sizeof(*code));
	unsigned i, n;

	if (!always || !code) {
		free(always);
		free(code);
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	}
	n = mpxi_always_wanted(core, always);
	for (i = 0; i < n; i++)
		code[i] = always[i]->code;
	change->always = always;
	change->code = code;
	change->alwayses = n;
	if (n == core->plan.alwayses && (!n || !memcmp(always, core->plan.always, n * sizeof(*always)))) {
		change->always = core->plan.always;
		free(always);
	}
	change->covariate = mpxi_covariate_wanted(core);
	change->anew = change->always != core->plan.always ||
		       !mpxi_covariate_is(&change->covariate, &core->plan.covariate);
	mpxi_covariate_choose(core, &change->covariate);
	return 0;
}

/* Place new events into the existing lists or new ones. With n = 0, only reduce the number of lists. */
static int place_in_lists(struct mpxi_core *core, struct change *change, struct mpxi_event *const *event,
			  unsigned n)
{
	const struct mpxi_plan *plan = &core->plan;
	unsigned i;
	int error = 0;

	for (i = 0; !error && i < plan->slots; i++)
		error = mpxi_draft_add(&change->draft, plan->slot[i]->event, plan->slot[i]->n, true, i);
	return error ? error : mpxi_always_place(core, codes_of(change), &change->draft, event, n);
}

/* Place all events into new lists, since the always-counted events or the covariate have changed. */
static int place_anew(struct mpxi_core *core, struct change *change)
{
	struct mpxi_event **event = calloc(core->events + 1, sizeof(*event));
	int error;

	if (!event)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	error = mpxi_always_place(core, codes_of(change), &change->draft, event,
				  mpxi_always_others(core, event));
	free(event);
	return error;
}

/* Count the slots that contain an active or pinned event. */
static unsigned wanted_slots(const struct mpxi_core *core)
{
	unsigned i, k, found = 0;

	for (i = 0; i < core->plan.slots; i++) {
		const struct mpxi_group *group = core->plan.slot[i];

		for (k = 0; k < group->n && !group->event[k]->activations && !group->event[k]->pins; k++)
			;
		found += k < group->n;
	}
	return found;
}

/* Form and commit groups for the active and pinned events, n new events, and the always-counted events.
 * fewer: commit only if the number of groups decreases. */
static int place_in_groups(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n, bool fewer)
{
	struct change change = {.taken = 0};
	int error = choose_always(core, &change);

	if (error)
		return error;
	error = change.anew ? place_anew(core, &change) : place_in_lists(core, &change, event, n);
	if (!error && !(fewer && change.draft.lists >= wanted_slots(core)))
		error = resolve_draft_lists(core, &change);
	if (error || !change.slot)
		change_clear(core, &change);
	else
		commit_change(core, &change);
	return error;
}

/* True if the event is counted, or is about to be. */
static bool event_is_wanted(const struct mpxi_event *event)
{
	return event->activations || event->pins;
}

/* Drop the steady groups in which no event is active or pinned. */
static void drop_steadies(struct mpxi_core *core)
{
	unsigned i, k, left = 0;

	for (i = 0; i < core->steadies; i++) {
		struct mpxi_group *group = core->steady[i];

		for (k = 0; k < group->n; k++)
			if (event_is_wanted(group->event[k]))
				break;
		if (k < group->n) {
			core->steady[left++] = group;
			continue;
		}
		unbind_group_events(core, group);
		mpxi_groups_put(&core->groups, group);
	}
	core->steadies = left;
}

/* Open a group for events of one role, and reserve an element for it in core->steady. */
static int open_steady(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n,
		       struct mpxi_group **group)
{
	struct mpxi_draft draft = {0};
	struct mpxi_group **more;
	int error = mpxi_draft_add(&draft, event, n, false, MPXI_NEW_LIST);

	if (!error) {
		more = realloc(core->steady, (core->steadies + 1) * sizeof(*more));
		if (!more)
			error = mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		else
			core->steady = more;
	}
	if (!error)
		error = mpxi_groups_get(&core->groups, (struct mpxi_codes){draft.code, draft.codes},
					(struct mpxi_codes){0}, group);
	mpxi_draft_clear(&draft);
	return error;
}

/* Give the events of a new steady group their places in it, and vacate the events' former places. */
static void seat_group_events(struct mpxi_core *core, struct mpxi_group *group)
{
	unsigned k;

	for (k = 0; k < group->n; k++) {
		struct mpxi_event *one = core->event[mpxi_core_find(core, group->code[k])];

		if (one->group)
			one->group->event[one->position] = &core->nobody;
		group->event[k] = one;
		group->active += one->activations > 0;
		one->group = group;
		one->position = k;
	}
	group->outside = group->event[0]->role == MPXI_OUTSIDE;
	core->steady[core->steadies++] = group;
	drop_steadies(core);
}

/* Open a group for MPXI_UNLIMITED events. The group runs while any of its events is active. */
static int place_unlimited(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_group *group;
	int error = open_steady(core, event, n, &group);

	if (!error)
		seat_group_events(core, group);
	return error;
}

static struct mpxi_group *outside_group(const struct mpxi_core *core)
{
	unsigned i;

	for (i = 0; i < core->steadies && !core->steady[i]->outside; i++)
		;
	return i < core->steadies ? core->steady[i] : NULL;
}

/* Replace the former group of MPXI_OUTSIDE events. A single group has all these events, since most PAPI
 * components that count MPXI_OUTSIDE events allow a thread only one running set. If the former group
 * ran, the new group continues at once, and the change does not count as a break of the events. */
static void succeed_group(struct mpxi_core *core, struct mpxi_group *former, struct mpxi_group *group)
{
	const bool ran = former && former->running;
	const int error = ran ? mpxi_core_halt_sig(core, former) : 0;
	unsigned k;

	seat_group_events(core, group);
	if (!ran || mpxi_core_run_sig(core, group) || error)
		return;
	for (k = 0; k < group->n; k++)
		group->event[k]->breaks -= group->event[k]->activations > 0;
}

static int place_outside(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_group *former = outside_group(core), *group;
	struct mpxi_event **all = calloc(n + (former ? former->n : 0), sizeof(*all));
	unsigned k, found = n;
	int error;

	if (!all)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	memcpy(all, event, n * sizeof(*all));
	for (k = 0; former && k < former->n; k++)
		if (event_is_wanted(former->event[k]))
			all[found++] = former->event[k];
	error = open_steady(core, all, found, &group);
	free(all);
	if (!error)
		succeed_group(core, former, group);
	return error;
}

/* True if a set wants the event always counted, but the event still takes turns. */
static bool is_to_join(const struct mpxi_event *event)
{
	return event->wishes && mpxi_event_is_ordinary(event);
}

/* True if the event needs a place and has none, or is to become always-counted. */
static bool is_newcomer(const struct mpxi_event *event)
{
	if (is_to_join(event))
		return true;
	return !event->group && (mpxi_event_is_ordinary(event) || mpxi_event_is_steady(event));
}

static unsigned newcomers_of(enum mpxi_role role, struct mpxi_event *const *event, unsigned n,
			     struct mpxi_event **newcomer)
{
	unsigned i, found = 0;

	for (i = 0; i < n; i++)
		if (is_newcomer(event[i]) && !is_to_join(event[i]) && event[i]->role == role)
			newcomer[found++] = event[i];
	return found;
}

/* Give places to the newcomers among n events. Events of different roles (MPXI_UNLIMITED, MPXI_OUTSIDE,
 * MPXI_ORDINARY) never share a group. */
static int place_newcomers(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n,
			   unsigned newcomers)
{
	struct mpxi_event **newcomer = calloc(newcomers + 1, sizeof(*newcomer));
	bool joins = mpxi_covariate_is_missing(core);
	unsigned i, found;
	int error = 0;

	if (!newcomer)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	for (i = 0; i < n; i++)
		joins |= is_to_join(event[i]);
	found = newcomers_of(MPXI_UNLIMITED, event, n, newcomer);
	if (found)
		error = place_unlimited(core, newcomer, found);
	found = newcomers_of(MPXI_OUTSIDE, event, n, newcomer);
	if (!error && found)
		error = place_outside(core, newcomer, found);
	found = newcomers_of(MPXI_ORDINARY, event, n, newcomer);
	if (!error && (found || joins))
		error = place_in_groups(core, newcomer, found, false);
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

/* Return an event that had left the master list to its former place, if a group still lists its code and
 * that place is vacant. Otherwise the code would be in two groups at once. */
static bool rejoin_event(struct mpxi_core *core, struct mpxi_event *event)
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
		newcomers += is_newcomer(event[i]) && (is_to_join(event[i]) || !rejoin_event(core, event[i]));
	if (!newcomers && !mpxi_covariate_is_missing(core))
		return 0;
	/* Pin the events, so that groups made for some of them are not dropped while the others are
	 * placed. None of the events may be active yet. */
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
	/* After an error the groups stay as they are. No caller has requested fewer groups, so the error
	 * is not reported. */
	(void)place_in_groups(core, NULL, 0, true);
	return core->changing;
}

static void replace_in_all(struct mpxi_group *group, const struct mpxi_event *event, struct mpxi_event *other)
{
	unsigned k;

	for (k = group->n; k < group->n + group->always; k++)
		if (group->event[k] == event)
			group->event[k] = other;
}

static void expel_from_all(struct mpxi_core *core, const struct mpxi_event *event)
{
	unsigned i;

	for (i = 0; i < core->plan.alwayses; i++)
		if (core->plan.always[i] == event)
			core->plan.always[i] = &core->nobody;
	for (i = 0; i < core->plan.slots; i++)
		replace_in_all(core->plan.slot[i], event, &core->nobody);
	replace_in_all(core->plan.idle, event, &core->nobody);
}

void mpxi_plan_expel(struct mpxi_core *core, struct mpxi_event *event)
{
	if (event->role == MPXI_ALWAYS)
		expel_from_all(core, event);
	/* The group stays open. core->nobody, a placeholder that is never active, takes the event's
	 * place in it. */
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
	mpxi_groups_put(&core->groups, core->plan.idle);
	free(core->plan.always);
	free(core->plan.slot);
	free(core->plan.order.slot);
	free(core->steady);
}
