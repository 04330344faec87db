/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_set.c - one PAPI event set on one unit of libupc. Changes since the last list of events go
 * into one transaction, and values go to their positions in PAPI's array.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid of older C libraries */
#endif
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "upc_fork.h"
#include "upc_qualifiers.h"
#include "upc_report.h"
#include "upc_set.h"

static const struct mpxi_libupc *lib;
static struct upc_catalogue *catalogue;

/*
 * Protects list, making and catalogue. No other lock is taken while this lock is held, and no signal
 * handler takes it. It is held across a fork, so that a child finds the list consistent.
 */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct upcp_set *list;
static unsigned making; /* units being created, not in the list yet */

static void lock_list(void)
{
	pthread_mutex_lock(&list_lock);
}

static void unlock_list(void)
{
	pthread_mutex_unlock(&list_lock);
}

static void unlock_list_in_child(void)
{
	struct upcp_set *set;

	/* The child's copies of the units are not shown. */
	for (set = list; set; set = set->next)
		set->shown = 0;
	making = 0; /* the threads that were creating units do not exist in the child */
	unlock_list();
}

static pid_t my_thread(void)
{
	return (pid_t)syscall(SYS_gettid);
}

int upcp_sets_prepare(void)
{
	static struct upcp_fork fork = {lock_list, unlock_list, unlock_list_in_child, 0};

	return upcp_fork_register(&fork);
}

void upcp_sets_open(const struct mpxi_libupc *library, struct upc_catalogue *opened)
{
	lib = library;
	catalogue = opened;
}

static int belongs_to_other(const struct upcp_set *set)
{
	return set->maker != my_thread() && syscall(SYS_tgkill, getpid(), set->maker, 0) == 0;
}

int upcp_sets_close(void)
{
	struct upcp_set *set;
	int none;

	for (;;) {
		lock_list();
		for (set = list; set && belongs_to_other(set); set = set->next)
			;
		none = !list && !making;
		if (none)
			catalogue = NULL;
		unlock_list();
		if (!set)
			return none;
		upcp_set_clear(set);
	}
}

/* Keep the catalogue open until end_making. Return 0 if the catalogue is already closed. */
static int begin_making(void)
{
	int may;

	lock_list();
	may = catalogue != NULL;
	making += (unsigned)may;
	unlock_list();
	return may;
}

static void end_making(struct upcp_set *set)
{
	lock_list();
	making--;
	if (!set->unit) {
		unlock_list();
		return;
	}
	set->next = list;
	set->previous = &list;
	if (list)
		list->previous = &set->next;
	list = set;
	unlock_list();
}

static void unlink_set(struct upcp_set *set)
{
	lock_list();
	*set->previous = set->next;
	if (set->next)
		set->next->previous = set->previous;
	set->next = NULL;
	set->previous = NULL;
	unlock_list();
}

/* ---- the unit's target ------------------------------------------------- */

/*
 * Set the owner of an unattached set: the thread that first adds an event, or in a forked child the
 * thread that first uses the set.
 */
static void settle_owner(struct upcp_set *set)
{
	pid_t process = getpid();

	if (set->owner_process == process)
		return;
	set->owner_process = process;
	set->owner_thread = my_thread();
}

/*
 * Fill in the options of a unit that counts a control group. PAPI_INHERIT has no effect, because
 * child processes are in the same control group.
 */
static int set_group_options(const struct upcp_target *target, struct upc_unit_options *options)
{
	if (target->attached || target->cpu != UPCP_NO_CPU || target->reach != UPCP_REACH_THREAD)
		return upcp_report_core(
			mpxi_error(MPXI_ECNFLCT,
				   "%.200s: a set counts this control group, or what PAPI_attach, "
				   "PAPI_CPU_ATTACH or PAPI_GRANUL has chosen: use a set for each",
				   target->qualifiers->cgroup));
	options->context = UPC_CONTEXT_CGROUP;
	options->cgroup = target->qualifiers->cgroup;
	options->inherit = 0;
	return 0;
}

/*
 * Fill in the options of a unit that counts this target for the set. Errors: UPC_EINVAL (options
 * that exclude each other), and a reported MPXI_ECNFLCT (a control group together with another
 * target).
 */
static int fill_unit_options(struct upcp_set *set, const struct upcp_target *target,
			     struct upc_unit_options *options)
{
	*options = UPC_OPTIONS_INIT(upc_unit_options);
	options->domain = target->domain;
	options->inherit = target->inherit;
	options->flexible = target->qualifiers && target->qualifiers->flexible;
	if (upcp_qualifiers_name_group(target->qualifiers))
		return set_group_options(target, options);
	if (target->cpu != UPCP_NO_CPU) {
		if (target->attached)
			return UPC_EINVAL;
		options->context = UPC_CONTEXT_CPU;
		options->cpu = target->cpu;
		return 0;
	}
	settle_owner(set);
	switch (target->reach) {
	case UPCP_REACH_MACHINE:
		if (target->attached)
			return UPC_EINVAL;
		options->context = UPC_CONTEXT_MACHINE;
		return 0;
	case UPCP_REACH_PROCESS:
		options->context = UPC_CONTEXT_PROCESS;
		options->pid = target->attached ? target->attached : set->owner_process;
		return 0;
	case UPCP_REACH_THREAD:
		options->context = UPC_CONTEXT_THREAD;
		if (target->attached)
			options->pid = target->attached;
		else if (set->owner_thread != my_thread())
			options->pid = set->owner_thread;
		return 0;
	}
	return UPC_EINVAL;
}

/*
 * Return the thread whose events can take turns, or 0. Events can take turns only in a set that
 * counts one thread and nothing else.
 */
static pid_t turning_thread(const struct upcp_set *set, const struct upcp_target *target)
{
	if (target->reach != UPCP_REACH_THREAD || target->cpu != UPCP_NO_CPU || target->inherit ||
	    upcp_qualifiers_name_group(target->qualifiers))
		return 0;
	return target->attached ? target->attached : set->owner_thread;
}

/*
 * Fill in the description of a target. If an unattached set has no owner in this process, the calling
 * thread becomes its owner.
 */
static int describe_target(struct upcp_set *set, const struct upcp_target *target,
			   struct mpxi_spread_target *described)
{
	int error = fill_unit_options(set, target, &described->unit);

	described->turning = turning_thread(set, target);
	return error;
}

static int aim_spread(struct upcp_set *set, const struct mpxi_spread_target *target)
{
	struct upc_unit_options before;
	int error = fill_unit_options(set, &set->target, &before);

	return error ? error : mpxi_spread_aim(set->spread, target, &before);
}

int upcp_set_renew(struct upcp_set *set)
{
	struct mpxi_spread_target target;
	int error = describe_target(set, &set->target, &target);

	return error ? error : mpxi_spread_renew(set->spread, &target);
}

static int create_set_unit(struct upcp_set *set, const struct upc_unit_options *options)
{
	int error;

	if (!begin_making())
		return UPC_ESTATE;
	set->lib = lib;
	set->catalogue = catalogue;
	error = lib->upc_unit_create(set->catalogue, options, &set->unit);
	if (error)
		set->unit = NULL;
	set->maker = my_thread();
	end_making(set);
	return error;
}

int upcp_set_aim(struct upcp_set *set, const struct upcp_target *target)
{
	struct mpxi_spread_target aimed;
	int error = describe_target(set, target, &aimed);

	if (error)
		return error;
	/* Create the unit now, so that this call reports errors of the target. */
	if (set->spread)
		error = aim_spread(set, &aimed);
	else
		error = set->unit ? lib->upc_unit_retarget(set->unit, &aimed.unit)
				  : create_set_unit(set, &aimed.unit);
	/* The caller reports libupc's message of all other errors. */
	if (error == UPC_EINVAL && upcp_qualifiers_name_group(target->qualifiers))
		upcp_report(UPCP_REPORT_REFUSED, lib->upc_last_message());
	if (error)
		return error;
	set->target = *target;
	set->opened_for = aimed.unit.pid;
	return 0;
}

int upcp_set_take(struct upcp_set *set, const struct upcp_target *target)
{
	const pid_t process = set->owner_process, thread = set->owner_thread;
	int error;

	set->owner_process = 0;
	error = upcp_set_aim(set, target);
	if (error) {
		set->owner_process = process;
		set->owner_thread = thread;
	}
	return error;
}

/* ---- the unit's events ------------------------------------------------- */

static int position_is(const uint64_t *map, unsigned position)
{
	return (map[position / 64] >> (position % 64)) & 1;
}

static void position_set(uint64_t *map, unsigned position)
{
	map[position / 64] |= UINT64_C(1) << (position % 64);
}

static void position_put(uint64_t *map, unsigned position, int set)
{
	map[position / 64] &= ~(UINT64_C(1) << (position % 64));
	if (set)
		position_set(map, position);
}

/* Take the lowest free position. The caller makes sure that there is a free position. */
static unsigned position_take(struct upcp_set *set)
{
	unsigned word = 0;
	unsigned position;

	while (set->used[word] == UINT64_MAX)
		word++;
	position = word * 64 + (unsigned)__builtin_ctzll(~set->used[word]);
	position_set(set->used, position);
	return position;
}

/*
 * Set in kept the bits of the positions that entries keep. Return the number of new entries, or
 * UPC_EINVAL if the set has no event at the position of an entry.
 */
static int compare_entries(const struct upcp_set *set, const struct upcp_entry *entries, unsigned n,
			   uint64_t *kept)
{
	int fresh = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		int position = entries[i].position;

		if (position == UPCP_NO_POSITION) {
			fresh++;
			continue;
		}
		if (position < 0 || position >= UPCP_EVENTS || !position_is(set->used, (unsigned)position) ||
		    position_is(kept, (unsigned)position) || set->by_position[position] != entries[i].code)
			return UPC_EINVAL;
		position_set(kept, (unsigned)position);
	}
	return fresh;
}

/* Remove and add events in one transaction of libupc, which makes all of the changes or none. */
static int transact_events(struct upcp_set *set, const uint32_t *gone, unsigned n_gone, const uint32_t *fresh,
			   unsigned n_fresh)
{
	struct upc_transaction *transaction;
	unsigned i;
	int error;

	error = lib->upc_transaction_begin(set->unit, &transaction);
	if (error)
		return error;
	for (i = 0; i < n_gone && !error; i++)
		error = lib->upc_transaction_remove(transaction, gone[i]);
	for (i = 0; i < n_fresh && !error; i++)
		error = lib->upc_transaction_add(transaction, fresh[i], UPC_ANY_COUNTER);
	if (error) {
		lib->upc_transaction_abort(transaction);
		return error;
	}
	return lib->upc_transaction_commit(transaction);
}

/*
 * Choose how the values of a read get to their positions. libupc writes them directly into the array
 * values if it lists the events in the set's order and event i is at position i.
 */
static void settle_order(struct upcp_set *set)
{
	unsigned i = 0;

	if (set->spread) {
		set->in_order = set->direct = 0;
		mpxi_spread_settle(set->spread, set->codes, set->n);
		return;
	}
	set->in_order = lib->upc_unit_list(set->unit, set->listed, UPCP_EVENTS) == (int)set->n &&
			memcmp(set->listed, set->codes, set->n * sizeof(*set->listed)) == 0;
	while (i < set->n && set->positions[i] == i)
		i++;
	set->direct = set->in_order && i == set->n;
}

static int create_spread(struct upcp_set *set, const struct mpxi_spread_target *target)
{
	const struct mpxi_spread_options options = {
		.lib = lib,
		.catalogue = set->catalogue,
		.unit = set->unit,
		.slice_ns = set->slice_ns,
		.tell = upcp_report_core,
	};

	return mpxi_spread_create(&options, target, set->codes, set->n, &set->spread);
}

static void destroy_spread(struct upcp_set *set)
{
	mpxi_spread_destroy(set->spread);
	set->spread = NULL;
}

/*
 * Fill in the target for a change of events, without changing the owner. In a forked child the
 * owner remains until the next start, which aims all units anew.
 */
static int describe_change(struct upcp_set *set, struct mpxi_spread_target *target)
{
	const pid_t process = set->owner_process, thread = set->owner_thread;
	int error = fill_unit_options(set, &set->target, &target->unit);

	set->owner_process = process;
	set->owner_thread = thread;
	target->turning = turning_thread(set, &set->target);
	return error;
}

/*
 * Change the events of a spread set, whose mpxi_spread counts the events that do not fit into the
 * unit.
 */
static int change_spread(struct upcp_set *set, unsigned n_gone, unsigned n_fresh)
{
	const bool is_new = !set->spread;
	struct mpxi_spread_target target;
	int error = describe_change(set, &target);

	if (!error && is_new)
		error = create_spread(set, &target);
	if (error)
		return error;
	error = mpxi_spread_change(set->spread, &target, set->gone, n_gone, set->fresh, n_fresh);
	/* If an event cannot go back into the unit, the set stays spread. */
	if ((error && is_new && !mpxi_spread_revert(set->spread)) || mpxi_spread_shrink(set->spread))
		destroy_spread(set);
	return error;
}

static int commit_entries(struct upcp_set *set, const struct upcp_entry *entries, unsigned n,
			  const uint64_t *kept)
{
	uint32_t *const gone = set->gone, *const fresh = set->fresh;
	unsigned n_gone = 0, n_fresh = 0, i;
	int error = 0;

	for (i = 0; i < set->n; i++)
		if (!position_is(kept, set->positions[i]))
			gone[n_gone++] = set->codes[i];
	for (i = 0; i < n; i++)
		if (entries[i].position == UPCP_NO_POSITION)
			fresh[n_fresh++] = entries[i].code;
	if (!set->spread && !(set->slice_ns && mpxi_spread_is_forced())) {
		error = transact_events(set, gone, n_gone, fresh, n_fresh);
		if (error != UPC_ECONFLICT || !set->slice_ns)
			return error;
	}
	error = change_spread(set, n_gone, n_fresh);
	if (error)
		settle_order(set);
	return error;
}

/* Update the lists in *set after the transaction. This cannot fail. */
static void adopt_entries(struct upcp_set *set, struct upcp_entry *entries, unsigned n, const uint64_t *kept)
{
	unsigned left = 0;
	unsigned i;

	for (i = 0; i < set->n; i++) {
		unsigned position = set->positions[i];

		if (position_is(kept, position)) {
			set->codes[left] = set->codes[i];
			set->positions[left++] = (uint16_t)position;
		} else {
			set->values[position] = 0;
			if (position < UPCP_THRESHOLDS)
				set->thresholds[position] = 0;
		}
	}
	set->n = left;
	memcpy(set->used, kept, sizeof(set->used));
	for (i = 0; i < n; i++) {
		unsigned position;

		if (entries[i].position != UPCP_NO_POSITION)
			continue;
		position = position_take(set);
		entries[i].position = (int)position;
		set->tags[position] = entries[i].tag;
		set->by_position[position] = entries[i].code;
		set->values[position] = 0;
		set->codes[set->n] = entries[i].code;
		set->positions[set->n++] = (uint16_t)position;
	}
	settle_order(set);
}

/*
 * Aim an empty set at its target with other qualifiers. A set gets qualifiers with its first event,
 * and loses them with its last event.
 */
static int aim_qualified(struct upcp_set *set, const struct upcp_qualifiers *qualifiers)
{
	struct upcp_target target = set->target;

	target.qualifiers = qualifiers;
	return upcp_set_aim(set, &target);
}

int upcp_set_update(struct upcp_set *set, struct upcp_entry *entries, unsigned n,
		    const struct upcp_qualifiers *qualifiers)
{
	const struct upcp_qualifiers *const before = set->target.qualifiers;
	uint64_t kept[UPCP_WORDS] = {0};
	unsigned i;
	int fresh;
	int error;

	if (n > UPCP_EVENTS)
		return UPC_ECONFLICT;
	fresh = compare_entries(set, entries, n, kept);
	if (fresh < 0)
		return fresh;
	if (fresh && (!set->unit || qualifiers != before)) {
		error = aim_qualified(set, qualifiers);
		if (error)
			return error;
	}
	if (fresh || n != set->n) {
		error = commit_entries(set, entries, n, kept);
		if (error && qualifiers != before)
			(void)aim_qualified(set, before);
		if (error)
			return error;
		adopt_entries(set, entries, n, kept);
	}
	if (!n && before && set->unit)
		(void)aim_qualified(set, NULL); /* if this fails, the next event's qualifiers replace these */
	for (i = 0; i < n; i++)
		entries[i].tag = set->tags[entries[i].position];
	return 0;
}

void upcp_set_swap(struct upcp_set *set, unsigned a, unsigned b)
{
	const int used[2] = {position_is(set->used, a), position_is(set->used, b)};
	const uint32_t code = set->by_position[a];
	const uint64_t value = set->values[a];
	const int tag = set->tags[a];
	unsigned i;

	for (i = 0; i < set->n; i++) {
		if (set->positions[i] == a)
			set->positions[i] = (uint16_t)b;
		else if (set->positions[i] == b)
			set->positions[i] = (uint16_t)a;
	}
	set->by_position[a] = set->by_position[b];
	set->by_position[b] = code;
	set->values[a] = set->values[b];
	set->values[b] = value;
	set->tags[a] = set->tags[b];
	set->tags[b] = tag;
	position_put(set->used, a, used[1]);
	position_put(set->used, b, used[0]);
	settle_order(set);
}

int upcp_set_refuse_overflow(void)
{
	return upcp_report_core(mpxi_error(
		MPXI_ENOSUPP,
		"PAPI_overflow and PAPI_profil are not for multiplexed sets, in which an "
		"event may count part of the time only: use a set of its own that is not multiplexed"));
}

int upcp_set_multiplex(struct upcp_set *set, uint64_t ns)
{
	unsigned i;

	for (i = 0; i < UPCP_THRESHOLDS; i++)
		if (set->thresholds[i])
			return upcp_set_refuse_overflow();
	set->slice_ns = ns;
	return 0;
}

void upcp_set_clear(struct upcp_set *set)
{
	destroy_spread(set);
	if (set->unit) {
		unlink_set(set);
		lib->upc_unit_destroy(set->unit);
		set->unit = NULL;
	}
	set->n = 0;
	set->target.qualifiers = NULL;
	set->owner_process = 0;
	memset(set->used, 0, sizeof(set->used));
	memset(set->thresholds, 0, sizeof(set->thresholds));
}
