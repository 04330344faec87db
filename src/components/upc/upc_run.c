/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_run.c - starts, reads and plays a set that has its events, and sets thresholds. Values are
 * copied from libupc's order, in which the events were added, to PAPI's positions.
 *
 * Terms: upc_set.h.
 */
#include <unistd.h>

#include "core/error.h"
#include "upc_report.h"
#include "upc_set.h"
#include "upc_share.h"

static int start_spread(struct upcp_set *set)
{
	int error = mpxi_spread_is_inherited(set->spread) ? upcp_set_renew(set) : 0;

	return error ? error : mpxi_spread_start(set->spread);
}

int upcp_set_start(struct upcp_set *set)
{
	int error, shown;

	if (!set->unit)
		return UPC_ESTATE;
	/*
	 * In a forked child, a unit that was created for "the calling thread" counts the child
	 * without further action. A unit that was created for an explicit thread id (opened_for)
	 * still counts the parent, so the set is aimed at the child.
	 */
	if (set->opened_for && !set->target.attached && set->owner_process != getpid()) {
		error = upcp_set_aim(set, &set->target);
		if (error)
			return error;
	}
	/*
	 * Share the unit before anything counts, so that the program's counts do not include the
	 * creation of the shared page.
	 */
	shown = set->shown;
	upcp_share(set);
	error = set->spread ? start_spread(set) : set->lib->upc_unit_reset(set->unit);
	if (!error && !set->spread)
		error = set->lib->upc_unit_start(set->unit);
	if (error && !shown)
		upcp_unshare(set);
	return error;
}

int upcp_set_stop(struct upcp_set *set)
{
	int error;

	if (!set->unit)
		return 0;
	if (set->spread)
		return mpxi_spread_stop(set->spread);
	error = set->lib->upc_unit_stop(set->unit);
	/*
	 * PAPI has already read the values. An error of libupc's last read is no failure to stop: if it
	 * were returned, PAPI would treat the set as running for ever.
	 */
	return set->lib->upc_unit_running(set->unit) ? error : 0;
}

int upcp_set_finish(struct upcp_set *set)
{
	int error;

	if (!set->unit || set->spread)
		return UPC_ENOSUPP;
	error = set->lib->upc_unit_stop(set->unit);
	if (error) {
		(void)set->lib->upc_unit_start(set->unit);
		return error;
	}
	return upcp_set_read(set); /* reads a stopped unit from memory */
}

int upcp_set_reset(struct upcp_set *set)
{
	if (set->spread)
		return mpxi_spread_reset(set->spread);
	return set->unit ? set->lib->upc_unit_reset(set->unit) : UPC_ESTATE;
}

static void scatter_counts(struct upcp_set *set)
{
	unsigned i;

	for (i = 0; i < set->n; i++)
		set->values[set->positions[i]] = set->counts[i];
}

int upcp_set_read(struct upcp_set *set)
{
	int error;

	if (!set->unit)
		return UPC_ESTATE;
	if (set->spread) {
		error = mpxi_spread_read(set->spread, set->counts, &set->gaps);
		if (mpxi_has_values(error))
			scatter_counts(set);
		return error;
	}
	if (set->direct)
		return set->lib->upc_unit_read_added(set->unit, set->values, set->n);
	error = set->in_order ? set->lib->upc_unit_read_added(set->unit, set->counts, set->n)
			      : set->lib->upc_unit_read_events(set->unit, set->codes, set->n, set->counts);
	if (mpxi_has_values(error))
		scatter_counts(set);
	return error;
}

void upcp_set_peek(struct upcp_set *set)
{
	if (mpxi_has_values(set->lib->upc_unit_get_events(set->unit, set->codes, set->n, set->counts)))
		scatter_counts(set);
}

int upcp_set_write(struct upcp_set *set, const uint64_t *values)
{
	if (set->slice_ns)
		return upcp_report_core(
			mpxi_error(MPXI_ENOSUPP,
				   "PAPI_write is not for multiplexed sets, whose counts may be estimates"));
	return set->unit ? set->lib->upc_unit_write_events(set->unit, set->codes, set->n, values)
			 : UPC_ESTATE;
}

int upcp_set_playable(const struct upcp_set *set)
{
	return set->unit && set->lib->upc_unit_playable(set->unit) > 0;
}

int upcp_set_play(struct upcp_set *set)
{
	int played = set->lib->upc_unit_play(set->unit);

	return played < 0 ? played : 0;
}

/* ---- thresholds ---------------------------------------------------------- */

int upcp_set_watch(struct upcp_set *set, void (*fn)(struct upc_unit *, const struct upc_interrupt *, void *),
		   void *arg, int signal)
{
	return set->unit ? set->lib->upc_unit_set_interrupt(set->unit, fn, arg, signal) : UPC_ESTATE;
}

int upcp_set_threshold(struct upcp_set *set, unsigned position, uint64_t threshold)
{
	int error;

	if (position >= UPCP_THRESHOLDS || !set->unit)
		return UPC_EINVAL;
	if (threshold && set->slice_ns)
		return upcp_set_refuse_overflow();
	error = set->lib->upc_unit_set_threshold(set->unit, set->by_position[position], threshold);
	if (!error)
		set->thresholds[position] = threshold;
	return error;
}

int upcp_set_find_threshold(const struct upcp_set *set, uint32_t code)
{
	int position;

	for (position = 0; position < UPCP_THRESHOLDS; position++)
		if (set->thresholds[position] && set->by_position[position] == code)
			return position;
	return UPCP_NO_POSITION;
}

int upcp_set_signalled(const struct upcp_set *set, int fd)
{
	uint32_t code;

	if (!set->unit || set->lib->upc_unit_signalled(set->unit, fd, &code))
		return UPCP_NO_POSITION;
	return upcp_set_find_threshold(set, code);
}
