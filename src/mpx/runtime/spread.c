/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.c - distributes the events of a multiplexed set over units and over the events that take turns.
 *
 * A unit has 256 counters of one event each, but any number of units can count at the same time. Only the
 * counters of the CPU's PMU have to be shared by turns. An event that needs none of these counters is exact
 * even in a multiplexed set.
 *
 * Terms: runtime/turns.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "runtime/spread.h"

/* A unit, and its events in the order of adding. */
struct part {
	struct upc_unit *unit;
	unsigned n;
	uint32_t codes[UPC_EVENTS_MAX];
	uint64_t counts[UPC_EVENTS_MAX];
};

/*
 * Maximum number of units, for 1024 events in units of 256 counters. A unit is added only if no
 * existing unit has room for an event.
 */
#define PARTS_MAX 64

struct mpxi_spread {
	struct mpxi_spread_options options;
	unsigned parts;
	struct part *part[PARTS_MAX]; /* the units; part[0] has the set's first unit */
	struct mpxi_turns *turns;     /* NULL: no event takes turns   */
	unsigned turning;
	uint32_t turn_codes[UPC_EVENTS_MAX];
	uint64_t turn_counts[UPC_EVENTS_MAX];
	unsigned n;                      /* number of events of the set */
	uint64_t *place[UPC_EVENTS_MAX]; /* address of the count of the set's i-th event */
};

static int refuse_spread_event(const struct mpxi_spread *spread, const char *why)
{
	return spread->options.tell(mpxi_error(MPXI_ENOSUPP, "%s", why));
}

/*
 * Return the maximum number of events in a group from $UPC_MULTIPLEX_GROUP, or 0. The variable is for tests
 * on machines without a PMU.
 */
static unsigned group_max(void)
{
	const char *wish = secure_getenv("UPC_MULTIPLEX_GROUP");

	return wish ? (unsigned)strtoul(wish, NULL, 10) : 0;
}

bool mpxi_spread_is_forced(void)
{
	return group_max() != 0;
}

/* ---- events that need a counter of the PMU ---------------------------------------- */

enum need { NEEDS_NONE, NEEDS_COUNTER, NEEDS_BOTH };

/*
 * Return 1 if a plain event needs a counter of the PMU, 0 if not, or an error of libupc. If
 * $UPC_MULTIPLEX_GROUP is set, all perf events, including tracepoints, are treated as if they needed one.
 */
static int plain_needs_pmu(const struct mpxi_spread *spread, uint32_t code, const struct upc_event_info *info)
{
	if (group_max())
		return info->source == UPC_SOURCE_PERF || info->source == UPC_SOURCE_TRACEPOINT;
	return spread->options.lib->upc_catalogue_needs_pmu(spread->options.catalogue, code);
}

static int need_of(const struct mpxi_spread *spread, uint32_t code, enum need *need)
{
	const struct mpxi_libupc *lib = spread->options.lib;
	struct upc_catalogue *catalogue = spread->options.catalogue;
	uint32_t term[UPC_COUNTERS] = {code};
	int terms = lib->upc_catalogue_terms(catalogue, code, term, UPC_COUNTERS);
	int files = 0, counters = 0, needs, i, error = 0;

	if (terms < 0)
		return terms;
	if (!terms)
		terms = 1; /* a plain event is treated as a sum of one term */
	for (i = 0; i < terms && !error; i++) {
		struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

		error = lib->upc_catalogue_info(catalogue, term[i], &info);
		needs = error ? error : plain_needs_pmu(spread, term[i], &info);
		error = needs < 0 ? needs : 0;
		counters += needs > 0;
		files += info.source != UPC_SOURCE_PERF && info.source != UPC_SOURCE_TRACEPOINT;
	}
	*need = !counters ? NEEDS_NONE : files ? NEEDS_BOTH : NEEDS_COUNTER;
	return error;
}

/* ---- additional units ------------------------------------------------------------- */

/* Add an event to a unit, or remove it. */
static int change_part(const struct mpxi_spread *spread, struct part *part, uint32_t code, int add)
{
	const struct mpxi_libupc *lib = spread->options.lib;
	struct upc_transaction *transaction;
	unsigned i;
	int error = lib->upc_transaction_begin(part->unit, &transaction);

	if (error)
		return error;
	error = add ? lib->upc_transaction_add(transaction, code, UPC_ANY_COUNTER)
		    : lib->upc_transaction_remove(transaction, code);
	if (error) {
		lib->upc_transaction_abort(transaction);
		return error;
	}
	error = lib->upc_transaction_commit(transaction);
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

static int make_part(struct mpxi_spread *spread, const struct mpxi_spread_target *target)
{
	struct part *part;
	int error;

	if (spread->parts == PARTS_MAX)
		return UPC_ECONFLICT;
	part = calloc(1, sizeof(*part));
	if (!part)
		return UPC_ENOMEM;
	error = spread->options.lib->upc_unit_create(spread->options.catalogue, &target->unit, &part->unit);
	if (error)
		free(part);
	else
		spread->part[spread->parts++] = part;
	return error;
}

/* Destroy the last unit. It must not be the set's first unit. */
static void drop_part(struct mpxi_spread *spread)
{
	struct part *part = spread->part[--spread->parts];

	spread->options.lib->upc_unit_destroy(part->unit);
	free(part);
}

/* Add an event to the first unit that accepts it, or to a new unit. */
static int add_beside(struct mpxi_spread *spread, const struct mpxi_spread_target *target, uint32_t code)
{
	int error = UPC_ECONFLICT;
	unsigned k;

	for (k = 0; k < spread->parts && error == UPC_ECONFLICT; k++)
		error = change_part(spread, spread->part[k], code, 1);
	if (error != UPC_ECONFLICT)
		return error;
	error = make_part(spread, target);
	if (error)
		return error;
	error = change_part(spread, spread->part[spread->parts - 1], code, 1);
	if (error)
		drop_part(spread);
	return error;
}

/* ---- events that take turns --------------------------------------------------------- */

/*
 * True if the target's events can take turns. The calling thread must be the counted thread, since signals
 * to the counted thread end the slices.
 */
static int can_take_turns(const struct mpxi_spread_target *target)
{
	return target->turning == (int)syscall(SYS_gettid);
}

static int refuse_turning_target(const struct mpxi_spread *spread)
{
	return refuse_spread_event(
		spread,
		"events that need more counters than the PMU has take turns only where a "
		"thread counts itself: not attached, on CPUs, inherited, of a process or a control group; "
		"count fewer hardware events, or in each thread");
}

static int make_turns(const struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		      struct mpxi_turns **turns)
{
	const struct mpxi_turns_options options = {
		.lib = spread->options.lib,
		.catalogue = spread->options.catalogue,
		.unit = target->unit,
		.counted = target->turning,
		.slice_ns = spread->options.slice_ns,
		.group_max = group_max(),
		.tell = spread->options.tell,
	};
	int error = mpxi_turns_create(&options, turns);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < spread->turning && !error; i++)
		error = mpxi_turns_add(*turns, spread->turn_codes[i]);
	if (error)
		mpxi_turns_destroy(*turns);
	return error;
}

static int add_turning(struct mpxi_spread *spread, const struct mpxi_spread_target *target, uint32_t code)
{
	int error;

	if (!can_take_turns(target))
		return refuse_turning_target(spread);
	if (!spread->turns) {
		error = make_turns(spread, target, &spread->turns);
		if (error) {
			spread->turns = NULL;
			return error;
		}
	}
	error = mpxi_turns_add(spread->turns, code);
	if (!error)
		spread->turn_codes[spread->turning++] = code;
	return error;
}

/* ---- the set as a whole ----------------------------------------------------------- */

/* Remove an event from its unit, or from the events that take turns. This cannot fail. */
static void take_event_out(struct mpxi_spread *spread, uint32_t code)
{
	unsigned i, k;

	for (i = 0; i < spread->turning; i++) {
		if (spread->turn_codes[i] != code)
			continue;
		mpxi_turns_remove(spread->turns, code);
		memmove(spread->turn_codes + i, spread->turn_codes + i + 1,
			(--spread->turning - i) * sizeof(*spread->turn_codes));
		return;
	}
	for (k = 0; k < spread->parts; k++)
		for (i = 0; i < spread->part[k]->n; i++)
			if (spread->part[k]->codes[i] == code) {
				(void)change_part(spread, spread->part[k], code, 0);
				return;
			}
}

static int put_in(struct mpxi_spread *spread, const struct mpxi_spread_target *target, uint32_t code)
{
	enum need need;
	int error = need_of(spread, code, &need);

	if (error)
		return error;
	switch (need) {
	case NEEDS_NONE:
		return add_beside(spread, target, code);
	case NEEDS_COUNTER:
		return add_turning(spread, target, code);
	default:
		return refuse_spread_event(
			spread, "a formula over both hardware events and files or clocks cannot take "
				"turns: count its terms");
	}
}

/*
 * Move the first `moved' of the events that take turns back into the set's unit.
 */
static int revert_moved(struct mpxi_spread *spread, unsigned moved)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < moved && !error; i++)
		error = change_part(spread, spread->part[0], spread->turn_codes[i], 1);
	return error;
}

int mpxi_spread_revert(struct mpxi_spread *spread)
{
	return revert_moved(spread, spread->turning);
}

int mpxi_spread_create(const struct mpxi_spread_options *options, const struct mpxi_spread_target *target,
		       const uint32_t *codes, unsigned n, struct mpxi_spread **made)
{
	struct mpxi_spread *spread = calloc(1, sizeof(*spread));
	struct part *first = calloc(1, sizeof(*first));
	enum need need;
	unsigned i, moved;
	int error = spread && first ? 0 : UPC_ENOMEM;

	if (error) {
		free(spread);
		free(first);
		return error;
	}
	spread->options = *options;
	spread->part[spread->parts++] = first;
	first->unit = options->unit;
	first->n = n;
	memcpy(first->codes, codes, n * sizeof(*codes));
	for (i = 0; i < n && !error; i++) {
		error = need_of(spread, codes[i], &need);
		if (!error && need != NEEDS_NONE)
			error = put_in(spread, target, codes[i]);
	}
	for (moved = 0; moved < spread->turning && !error; moved += !error)
		error = change_part(spread, first, spread->turn_codes[moved], 0);
	if (error && !revert_moved(spread, moved))
		mpxi_spread_destroy(spread);
	else
		*made = spread;
	return error;
}

bool mpxi_spread_shrink(struct mpxi_spread *spread)
{
	while (spread->parts > 1 && !spread->part[spread->parts - 1]->n)
		drop_part(spread);
	if (!spread->turning) {
		mpxi_turns_destroy(spread->turns);
		spread->turns = NULL;
	}
	return spread->parts == 1 && !spread->turns;
}

int mpxi_spread_change(struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		       const uint32_t *gone, unsigned n_gone, const uint32_t *fresh, unsigned n_fresh)
{
	int error = spread->turns ? mpxi_turns_check(spread->turns) : 0;
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < n_fresh && !error; i++)
		error = put_in(spread, target, fresh[i]);
	if (error) {
		for (i--; i-- > 0;)
			take_event_out(spread, fresh[i]);
		return error;
	}
	for (i = 0; i < n_gone; i++)
		take_event_out(spread, gone[i]);
	return 0;
}

/*
 * Return the index of a code in the list. The search starts at from, because the list has nearly
 * the same order.
 */
static unsigned find_listed_code(const uint32_t *codes, unsigned n, uint32_t code, unsigned from)
{
	unsigned i = from;

	while (codes[i % n] != code && i < from + n)
		i++;
	return i % n;
}

void mpxi_spread_settle(struct mpxi_spread *spread, const uint32_t *codes, unsigned n)
{
	unsigned i = 0, k, m;

	spread->n = n;
	for (m = 0; m < spread->turning; m++) {
		i = find_listed_code(codes, n, spread->turn_codes[m], i);
		spread->place[i] = &spread->turn_counts[m];
	}
	for (k = 0; k < spread->parts; k++)
		for (m = 0; m < spread->part[k]->n; m++) {
			i = find_listed_code(codes, n, spread->part[k]->codes[m], i);
			spread->place[i] = &spread->part[k]->counts[m];
		}
}

int mpxi_spread_aim(struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		    const struct upc_unit_options *before)
{
	const struct mpxi_libupc *lib = spread->options.lib;
	struct mpxi_turns *turns = NULL;
	unsigned k;
	int error = 0;

	if (spread->turns) {
		error = mpxi_turns_check(spread->turns);
		if (!error && !can_take_turns(target))
			error = refuse_turning_target(spread);
		if (!error)
			error = make_turns(spread, target, &turns);
		if (error)
			return error;
	}
	for (k = 0; k < spread->parts && !error; k++)
		error = lib->upc_unit_retarget(spread->part[k]->unit, &target->unit);
	if (error) {
		for (k--; k-- > 0;)
			(void)lib->upc_unit_retarget(spread->part[k]->unit, before);
		mpxi_turns_destroy(turns);
		return error;
	}
	if (turns) {
		mpxi_turns_destroy(spread->turns);
		spread->turns = turns;
	}
	return 0;
}

void mpxi_spread_destroy(struct mpxi_spread *spread)
{
	if (!spread)
		return;
	mpxi_turns_destroy(spread->turns);
	while (spread->parts > 1)
		drop_part(spread);
	free(spread->part[0]);
	free(spread);
}

/* ---- counting ------------------------------------------------------------------------ */

static int start_parts(struct mpxi_spread *spread)
{
	const struct mpxi_libupc *lib = spread->options.lib;
	unsigned k;
	int error = 0;

	for (k = 0; k < spread->parts && !error; k++) {
		error = lib->upc_unit_reset(spread->part[k]->unit);
		if (!error)
			error = lib->upc_unit_start(spread->part[k]->unit);
	}
	if (error)
		for (k--; k-- > 0;)
			(void)lib->upc_unit_stop(spread->part[k]->unit);
	return error;
}

static void stop_parts(struct mpxi_spread *spread)
{
	unsigned k;

	for (k = 0; k < spread->parts; k++)
		(void)spread->options.lib->upc_unit_stop(spread->part[k]->unit);
}

bool mpxi_spread_is_inherited(const struct mpxi_spread *spread)
{
	return spread->turns && mpxi_turns_inherited(spread->turns);
}

int mpxi_spread_renew(struct mpxi_spread *spread, const struct mpxi_spread_target *target)
{
	struct mpxi_turns *turns;
	int error = make_turns(spread, target, &turns);

	if (error)
		return error;
	mpxi_turns_destroy(spread->turns);
	spread->turns = turns;
	return 0;
}

int mpxi_spread_start(struct mpxi_spread *spread)
{
	int error = start_parts(spread);

	if (error || !spread->turns)
		return error;
	error = mpxi_turns_start(spread->turns);
	if (error)
		stop_parts(spread);
	return error;
}

int mpxi_spread_stop(struct mpxi_spread *spread)
{
	struct mpxi_turns *turns = spread->turns;
	int error;

	if (turns) {
		error = mpxi_turns_check(turns);
		if (error)
			return error;
		if (!mpxi_turns_inherited(turns))
			(void)mpxi_turns_stop(turns);
	}
	stop_parts(spread);
	return 0;
}

int mpxi_spread_reset(struct mpxi_spread *spread)
{
	int error = spread->turns ? mpxi_turns_check(spread->turns) : 0, failed;
	unsigned k;

	if (error)
		return error;
	mpxi_turns_hold(spread->turns);
	for (k = 0; k < spread->parts; k++) {
		failed = spread->options.lib->upc_unit_reset(spread->part[k]->unit);
		error = error ? error : failed;
	}
	if (spread->turns && !mpxi_turns_inherited(spread->turns)) {
		failed = mpxi_turns_reset(spread->turns);
		error = error ? error : failed;
	}
	mpxi_turns_release(spread->turns);
	return error;
}

static int read_turns(struct mpxi_spread *spread, struct mpxi_spread_gaps *gaps)
{
	unsigned i;
	int error;

	/* A forked child's copies of its parent's groups do not count, and their values are 0. */
	if (mpxi_turns_inherited(spread->turns)) {
		memset(spread->turn_counts, 0, spread->turning * sizeof(*spread->turn_counts));
		return 0;
	}
	error = mpxi_turns_read(spread->turns, spread->turn_counts);
	gaps->lost = mpxi_turns_lost(spread->turns);
	for (i = 0; i < spread->turning && !error; i++)
		if (spread->turn_counts[i] == MPXI_NEVER)
			gaps->never = spread->turn_codes[i] + 1;
	return error;
}

int mpxi_spread_read(struct mpxi_spread *spread, uint64_t *counts, struct mpxi_spread_gaps *gaps)
{
	int error = spread->turns ? mpxi_turns_check(spread->turns) : 0, failed = 0;
	unsigned i, k;

	gaps->never = 0;
	gaps->lost = 0;
	if (error)
		return error;
	mpxi_turns_hold(spread->turns);
	for (k = 0; k < spread->parts && mpxi_has_values(failed); k++) {
		struct part *part = spread->part[k];

		failed = part->n ? spread->options.lib->upc_unit_read_added(part->unit, part->counts, part->n)
				 : 0;
		error = error ? error : failed;
	}
	if (spread->turns && mpxi_has_values(failed)) {
		failed = read_turns(spread, gaps);
		error = error ? error : failed;
	}
	mpxi_turns_release(spread->turns);
	for (i = 0; i < spread->n && mpxi_has_values(failed); i++)
		counts[i] = *spread->place[i];
	return error;
}
