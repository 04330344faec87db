/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_mpx.c - puts the events of a multiplexed set where they can be counted.
 *
 * A unit has 256 counters of one event each, but any number of units count at the same time. Only the
 * counters of the CPU's PMU are ever shared: an event that needs none of them is exact in a multiplexed
 * set, too.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "upc_mpx.h"
#include "upc_qualifiers.h"
#include "upc_report.h"

/* A unit, and the events that it has in the order of their adding. */
struct part {
	struct upc_unit *unit;
	unsigned n;
	uint32_t codes[UPCP_EVENTS];
	uint64_t counts[UPCP_EVENTS];
};

/* 1024 events in units of 256 counters; a unit is only added where one has no room. */
#define PARTS_MAX 64

struct upcp_mpx {
	unsigned parts;
	struct part *part[PARTS_MAX]; /* the first has the set's unit */
	struct mpxi_turns *turns;     /* NULL: no event takes turns   */
	unsigned turning;
	uint32_t turn_codes[UPCP_EVENTS];
	uint64_t turn_counts[UPCP_EVENTS];
	uint64_t *place[UPCP_EVENTS]; /* of the count of set->codes[i] */
};

static int refuse_multiplexed_set(const char *why)
{
	return upcp_report_core(mpxi_error(MPXI_ENOSUPP, "%s", why));
}

int upcp_mpx_refuse_overflow(void)
{
	return refuse_multiplexed_set(
		"PAPI_overflow and PAPI_profil are not for multiplexed sets, in which an "
		"event may count part of the time only: use a set of its own that is not "
		"multiplexed");
}

int upcp_mpx_refuse_write(void)
{
	return refuse_multiplexed_set(
		"PAPI_write is not for multiplexed sets, whose counts may be estimates");
}

/* For tests on machines without a PMU: perf events take turns in groups of so many. */
static unsigned group_max(void)
{
	const char *wish = secure_getenv("UPC_MULTIPLEX_GROUP");

	return wish ? (unsigned)strtoul(wish, NULL, 10) : 0;
}

int upcp_mpx_tries_unit(const struct upcp_set *set)
{
	return !set->mpx && !(set->slice_ns && group_max());
}

/* ---- what needs a counter of the PMU -------------------------------------------- */

enum need { NEEDS_NONE, NEEDS_COUNTER, NEEDS_BOTH };

/* For tests tracepoints and all other perf events do. */
static int plain_needs_pmu(const struct upcp_set *set, uint32_t code, const struct upc_event_info *info)
{
	if (group_max())
		return info->source == UPC_SOURCE_PERF || info->source == UPC_SOURCE_TRACEPOINT;
	return set->lib->upc_catalogue_needs_pmu(set->catalogue, code);
}

static int need_of(const struct upcp_set *set, uint32_t code, enum need *need)
{
	const struct mpxi_libupc *lib = set->lib;
	struct upc_catalogue *catalogue = set->catalogue;
	uint32_t term[UPC_COUNTERS] = {code};
	int terms = lib->upc_catalogue_terms(catalogue, code, term, UPC_COUNTERS);
	int files = 0, counters = 0, needs, i, error = 0;

	if (terms < 0)
		return terms;
	if (!terms)
		terms = 1; /* a plain event is its own */
	for (i = 0; i < terms && !error; i++) {
		struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

		error = lib->upc_catalogue_info(catalogue, term[i], &info);
		needs = error ? error : plain_needs_pmu(set, term[i], &info);
		error = needs < 0 ? needs : 0;
		counters += needs > 0;
		files += info.source != UPC_SOURCE_PERF && info.source != UPC_SOURCE_TRACEPOINT;
	}
	*need = !counters ? NEEDS_NONE : files ? NEEDS_BOTH : NEEDS_COUNTER;
	return error;
}

/* ---- units beside each other ------------------------------------------------------ */

/* One event into a unit, or out of it. */
static int change_part(const struct upcp_set *set, struct part *part, uint32_t code, int add)
{
	struct upc_transaction *transaction;
	unsigned i;
	int error = set->lib->upc_transaction_begin(part->unit, &transaction);

	if (error)
		return error;
	error = add ? set->lib->upc_transaction_add(transaction, code, UPC_ANY_COUNTER)
		    : set->lib->upc_transaction_remove(transaction, code);
	if (error) {
		set->lib->upc_transaction_abort(transaction);
		return error;
	}
	error = set->lib->upc_transaction_commit(transaction);
	if (error)
		return error;
	if (add) {
		part->codes[part->n++] = code;
		return 0;
	}
	for (i = 0; part->codes[i] != code; i++)
		;
	memmove(part->codes + i, part->codes + i + 1, (--part->n - i) * sizeof(*part->codes));
	return 0;
}

static int make_part(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	struct upc_unit_options options;
	struct part *part;
	int error;

	if (mpx->parts == PARTS_MAX)
		return UPC_ECONFLICT;
	error = upcp_set_options(set, &set->target, &options);
	part = error ? NULL : calloc(1, sizeof(*part));
	if (!part)
		return error ? error : UPC_ENOMEM;
	error = set->lib->upc_unit_create(set->catalogue, &options, &part->unit);
	if (error)
		free(part);
	else
		mpx->part[mpx->parts++] = part;
	return error;
}

/* The last one, which is not the first. */
static void drop_part(struct upcp_set *set)
{
	struct part *part = set->mpx->part[--set->mpx->parts];

	set->lib->upc_unit_destroy(part->unit);
	free(part);
}

/* Into the first unit that takes it. */
static int add_beside(struct upcp_set *set, uint32_t code)
{
	struct upcp_mpx *mpx = set->mpx;
	int error = UPC_ECONFLICT;
	unsigned k;

	for (k = 0; k < mpx->parts && error == UPC_ECONFLICT; k++)
		error = change_part(set, mpx->part[k], code, 1);
	if (error != UPC_ECONFLICT)
		return error;
	error = make_part(set);
	if (error)
		return error;
	error = change_part(set, mpx->part[mpx->parts - 1], code, 1);
	if (error)
		drop_part(set);
	return error;
}

/* ---- events that take turns --------------------------------------------------------- */

static pid_t counted_thread(const struct upcp_set *set, const struct upcp_target *target)
{
	return target->attached ? target->attached : set->owner_thread;
}

/* Slices are ended by the counted thread's own signals. */
static int can_take_turns(const struct upcp_set *set, const struct upcp_target *target)
{
	return target->reach == UPCP_REACH_THREAD && target->cpu == UPCP_NO_CPU && !target->inherit &&
	       !upcp_qualifiers_name_group(target->qualifiers) &&
	       counted_thread(set, target) == (pid_t)syscall(SYS_gettid);
}

static int refuse_turning_target(void)
{
	return refuse_multiplexed_set(
		"events that need more counters than the PMU has take turns only where a "
		"thread counts itself: not attached, on CPUs, inherited, of a process or a control group; "
		"count fewer hardware events, or in each thread");
}

static int make_turns(struct upcp_set *set, const struct upcp_target *target, struct mpxi_turns **turns)
{
	struct mpxi_turns_options options = {.lib = set->lib,
					     .catalogue = set->catalogue,
					     .slice_ns = set->slice_ns,
					     .group_max = group_max(),
					     .tell = upcp_report_core};
	int error = upcp_set_options(set, target, &options.unit);
	unsigned i;

	if (error)
		return error;
	error = mpxi_turns_create(&options, turns);
	if (error)
		return error;
	for (i = 0; i < set->mpx->turning && !error; i++)
		error = mpxi_turns_add(*turns, set->mpx->turn_codes[i]);
	if (error)
		mpxi_turns_destroy(*turns);
	return error;
}

static int add_turning(struct upcp_set *set, uint32_t code)
{
	struct upcp_mpx *mpx = set->mpx;
	int error;

	if (!can_take_turns(set, &set->target))
		return refuse_turning_target();
	if (!mpx->turns) {
		error = make_turns(set, &set->target, &mpx->turns);
		if (error) {
			mpx->turns = NULL;
			return error;
		}
	}
	error = mpxi_turns_add(mpx->turns, code);
	if (!error)
		mpx->turn_codes[mpx->turning++] = code;
	return error;
}

/* ---- the set as a whole ----------------------------------------------------------- */

/* Removes an event from its unit, or from the list of those that take turns; it cannot fail. */
static void take_event_out(struct upcp_set *set, uint32_t code)
{
	struct upcp_mpx *mpx = set->mpx;
	unsigned i, k;

	for (i = 0; i < mpx->turning; i++) {
		if (mpx->turn_codes[i] != code)
			continue;
		mpxi_turns_remove(mpx->turns, code);
		memmove(mpx->turn_codes + i, mpx->turn_codes + i + 1,
			(--mpx->turning - i) * sizeof(*mpx->turn_codes));
		return;
	}
	for (k = 0; k < mpx->parts; k++)
		for (i = 0; i < mpx->part[k]->n; i++)
			if (mpx->part[k]->codes[i] == code) {
				(void)change_part(set, mpx->part[k], code, 0);
				return;
			}
}

static int put_in(struct upcp_set *set, uint32_t code)
{
	enum need need;
	int error = need_of(set, code, &need);

	if (error)
		return error;
	switch (need) {
	case NEEDS_NONE:
		return add_beside(set, code);
	case NEEDS_COUNTER:
		return add_turning(set, code);
	default:
		return refuse_multiplexed_set(
			"a formula over both hardware events and files or clocks cannot take "
			"turns: count its terms");
	}
}

/* The set's unit has all events again, in their order; moved of them had left it. */
static int revert_conversion(struct upcp_set *set, unsigned moved)
{
	struct upcp_mpx *mpx = set->mpx;
	unsigned i;
	int error = 0;

	for (i = 0; i < moved && !error; i++)
		error = change_part(set, mpx->part[0], mpx->turn_codes[i], 1);
	if (!error)
		upcp_mpx_destroy(set);
	return error;
}

/*
 * The set as it is becomes a multiplexed one: what needs counters of the PMU leaves its
 * unit. Where that fails it goes back.
 */
static int convert_to_multiplexed(struct upcp_set *set)
{
	struct upcp_mpx *mpx = calloc(1, sizeof(*mpx));
	struct part *first = calloc(1, sizeof(*first));
	enum need need;
	unsigned i, moved;
	int error = mpx && first ? 0 : UPC_ENOMEM;

	if (error) {
		free(mpx);
		free(first);
		return error;
	}
	set->mpx = mpx;
	mpx->part[mpx->parts++] = first;
	first->unit = set->unit;
	first->n = set->n;
	memcpy(first->codes, set->codes, set->n * sizeof(*set->codes));
	for (i = 0; i < set->n && !error; i++) {
		error = need_of(set, set->codes[i], &need);
		if (!error && need != NEEDS_NONE)
			error = put_in(set, set->codes[i]);
	}
	for (moved = 0; moved < mpx->turning && !error; moved += !error)
		error = change_part(set, first, mpx->turn_codes[moved], 0);
	if (error)
		(void)revert_conversion(set, moved);
	return error;
}

/* Nothing is left that the unit alone could not have. */
static void shrink_parts(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;

	while (mpx->parts > 1 && !mpx->part[mpx->parts - 1]->n)
		drop_part(set);
	if (!mpx->turning) {
		mpxi_turns_destroy(mpx->turns);
		mpx->turns = NULL;
	}
	if (mpx->parts == 1 && !mpx->turns)
		upcp_mpx_destroy(set);
}

int upcp_mpx_change(struct upcp_set *set, const uint32_t *gone, unsigned n_gone, const uint32_t *fresh,
		    unsigned n_fresh, int error)
{
	const int was = set->mpx != NULL;
	unsigned i;

	if (error && error != UPC_ECONFLICT)
		return error;
	error = was ? 0 : convert_to_multiplexed(set);
	if (!error && set->mpx->turns)
		error = mpxi_turns_check(set->mpx->turns);
	if (error)
		return error;
	for (i = 0; i < n_fresh && !error; i++)
		error = put_in(set, fresh[i]);
	if (error) {
		for (i--; i-- > 0;)
			take_event_out(set, fresh[i]);
		/* Where an event cannot even go back, it goes on as it is. */
		if (was || revert_conversion(set, set->mpx->turning))
			shrink_parts(set);
		return error;
	}
	for (i = 0; i < n_gone; i++)
		take_event_out(set, gone[i]);
	shrink_parts(set);
	return 0;
}

/* The list has the codes in nearly the same order. */
static unsigned find_set_code(const struct upcp_set *set, uint32_t code, unsigned from)
{
	unsigned i = from;

	while (set->codes[i % set->n] != code && i < from + set->n)
		i++;
	return i % set->n;
}

void upcp_mpx_settle(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	unsigned i = 0, k, m;

	for (m = 0; m < mpx->turning; m++) {
		i = find_set_code(set, mpx->turn_codes[m], i);
		mpx->place[i] = &mpx->turn_counts[m];
	}
	for (k = 0; k < mpx->parts; k++)
		for (m = 0; m < mpx->part[k]->n; m++) {
			i = find_set_code(set, mpx->part[k]->codes[m], i);
			mpx->place[i] = &mpx->part[k]->counts[m];
		}
}

int upcp_mpx_aim(struct upcp_set *set, const struct upcp_target *target,
		 const struct upc_unit_options *options)
{
	struct upcp_mpx *mpx = set->mpx;
	struct upc_unit_options before;
	struct mpxi_turns *turns = NULL;
	unsigned k;
	int error = 0;

	if (mpx->turns) {
		error = mpxi_turns_check(mpx->turns);
		if (!error && !can_take_turns(set, target))
			error = refuse_turning_target();
		if (!error)
			error = make_turns(set, target, &turns);
		if (error)
			return error;
	}
	for (k = 0; k < mpx->parts && !error; k++)
		error = set->lib->upc_unit_retarget(mpx->part[k]->unit, options);
	if (error) {
		if (k > 1 && !upcp_set_options(set, &set->target, &before))
			for (k--; k-- > 0;)
				(void)set->lib->upc_unit_retarget(mpx->part[k]->unit, &before);
		mpxi_turns_destroy(turns);
		return error;
	}
	if (turns) {
		mpxi_turns_destroy(mpx->turns);
		mpx->turns = turns;
	}
	return 0;
}

void upcp_mpx_destroy(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;

	if (!mpx)
		return;
	mpxi_turns_destroy(mpx->turns);
	while (mpx->parts > 1)
		drop_part(set);
	free(mpx->part[0]);
	free(mpx);
	set->mpx = NULL;
}

/* ---- counting ------------------------------------------------------------------------ */

static int start_parts(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	unsigned k;
	int error = 0;

	for (k = 0; k < mpx->parts && !error; k++) {
		error = set->lib->upc_unit_reset(mpx->part[k]->unit);
		if (!error)
			error = set->lib->upc_unit_start(mpx->part[k]->unit);
	}
	if (error)
		for (k--; k-- > 0;)
			(void)set->lib->upc_unit_stop(mpx->part[k]->unit);
	return error;
}

static void stop_parts(struct upcp_set *set)
{
	unsigned k;

	for (k = 0; k < set->mpx->parts; k++)
		(void)set->lib->upc_unit_stop(set->mpx->part[k]->unit);
}

/* A forked child has copies of the parent's groups: it makes its own. */
static int renew_turns(struct upcp_set *set)
{
	struct mpxi_turns *turns;
	int error;

	if (!set->mpx->turns || !mpxi_turns_inherited(set->mpx->turns))
		return 0;
	error = make_turns(set, &set->target, &turns);
	if (error)
		return error;
	mpxi_turns_destroy(set->mpx->turns);
	set->mpx->turns = turns;
	return 0;
}

int upcp_mpx_start(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	int error = renew_turns(set);

	if (!error)
		error = start_parts(set);
	if (error || !mpx->turns)
		return error;
	error = mpxi_turns_start(mpx->turns, counted_thread(set, &set->target));
	if (error)
		stop_parts(set);
	return error;
}

int upcp_mpx_stop(struct upcp_set *set)
{
	struct mpxi_turns *turns = set->mpx->turns;
	int error;

	if (turns) {
		error = mpxi_turns_check(turns);
		if (error)
			return error;
		if (!mpxi_turns_inherited(turns))
			(void)mpxi_turns_stop(turns);
	}
	stop_parts(set);
	return 0;
}

int upcp_mpx_reset(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	int error = mpx->turns ? mpxi_turns_check(mpx->turns) : 0, failed;
	unsigned k;

	if (error)
		return error;
	mpxi_turns_hold(mpx->turns);
	for (k = 0; k < mpx->parts; k++) {
		failed = set->lib->upc_unit_reset(mpx->part[k]->unit);
		error = error ? error : failed;
	}
	if (mpx->turns && !mpxi_turns_inherited(mpx->turns)) {
		failed = mpxi_turns_reset(mpx->turns);
		error = error ? error : failed;
	}
	mpxi_turns_release(mpx->turns);
	return error;
}

static int read_turns(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	unsigned i;
	int error;

	/* In a child what it has inherited stands still, at 0. */
	if (mpxi_turns_inherited(mpx->turns)) {
		memset(mpx->turn_counts, 0, mpx->turning * sizeof(*mpx->turn_counts));
		return 0;
	}
	error = mpxi_turns_read(mpx->turns, mpx->turn_counts);
	set->lost = mpxi_turns_lost(mpx->turns);
	for (i = 0; i < mpx->turning && !error; i++)
		if (mpx->turn_counts[i] == MPXI_NEVER)
			set->never = mpx->turn_codes[i] + 1;
	return error;
}

int upcp_mpx_read(struct upcp_set *set)
{
	struct upcp_mpx *mpx = set->mpx;
	int error = mpx->turns ? mpxi_turns_check(mpx->turns) : 0, failed = 0;
	unsigned i, k;

	set->never = 0;
	set->lost = 0;
	if (error)
		return error;
	mpxi_turns_hold(mpx->turns);
	for (k = 0; k < mpx->parts && upcp_has_values(failed); k++) {
		struct part *part = mpx->part[k];

		failed = part->n ? set->lib->upc_unit_read_added(part->unit, part->counts, part->n) : 0;
		error = error ? error : failed;
	}
	if (mpx->turns && upcp_has_values(failed)) {
		failed = read_turns(set);
		error = error ? error : failed;
	}
	mpxi_turns_release(mpx->turns);
	for (i = 0; i < set->n && upcp_has_values(failed); i++)
		set->counts[i] = *mpx->place[i];
	return error;
}
