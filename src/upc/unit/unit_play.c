/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_play.c - a unit with an exact source as it goes on: its making, its interrupts, which are
 * told in their own cycle, and the calls by which a script is played.
 */
#include "base/message.h"
#include "base/notice.h"
#include "replay/replay.h"
#include "node/sim.h"
#include "unit/unit.h"
#include "unit/unit_exact.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"

/* ---- interrupts ----------------------------------------------------------- */

/* A counter whose interrupt the handler of another one, of the same cycle, has
 * acknowledged or disabled. */
static bool acknowledged(const struct upc_unit *u, unsigned i)
{
	return !(u->regs.field[i] & UPC_FIELD_INTERRUPT_PENDING);
}

static bool know_already(struct upc_unit *u, unsigned i)
{
	bool known = u->damaged[i];

	u->damaged[i] = u->doubtful = true;
	if (!known)
		upci_notice("counter %u%s%s: its array word is damaged (parity)", i,
			    u->binding[i].references ? ", " : "",
			    u->binding[i].references ? u->binding[i].event->name : "");
	return known;
}

/* The engine is at rest in the cycle of the event. */
static void sink(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct upc_unit *u = arg;
	const struct upci_binding *b = &u->binding[counter];
	struct upc_interrupt interrupt = {
		.size = sizeof(interrupt),
		.kind = event == UPCI_ENGINE_PARITY ? UPC_INTERRUPT_PARITY : UPC_INTERRUPT_THRESHOLD,
		.counter = (int)counter,
		.code = b->references ? b->code : UPC_NO_CODE,
		.cycle = cycle,
	};

	u->stale = true;
	upci_unit_refresh(u);
	interrupt.value = upci_unit_count(u, counter);
	if (event == UPCI_ENGINE_PARITY ? know_already(u, counter) : acknowledged(u, counter))
		return;
	if (event == UPCI_ENGINE_INTERRUPT && u->thresholds.period[counter])
		upci_unit_preload(u, counter);
	if (u->interrupt)
		u->interrupt(u, &interrupt, u->interrupt_arg);
	/* The engine goes on. */
	u->stale = true;
}

/* ---- making one ----------------------------------------------------------- */

static int create_replay(struct upc_unit *u)
{
	const struct upci_engine_sink told = {.event = sink, .arg = u};

	return upci_replay_create(upci_catalogue_script(u->catalogue), &told, &u->exact);
}

int upci_unit_exact_create(struct upc_unit *u)
{
	int error = 0;

	if (upci_catalogue_script(u->catalogue))
		error = create_replay(u);
	else if (upci_catalogue_node(u->catalogue))
		error = upci_sim_create(&u->exact);
	/* What its registers hold is in them. */
	u->stale = u->exact != NULL;
	return error;
}

/* ---- public ---------------------------------------------------------------- */

static int fail_no_script(const struct upc_unit *u, const char *what)
{
	return upci_fail(UPC_ENOSUPP,
			 "%s: the unit's events are %s; a script drives it with "
			 "UPC_SOURCE=replay:FILE",
			 what, u->exact ? "the simulated node's, which goes on by itself" : "this machine's");
}

int upc_unit_play(struct upc_unit *u)
{
	int error;

	if (!u->exact || !u->exact->ops->play)
		return fail_no_script(u, "upc_unit_play");
	error = upci_unit_check_idle(u, "played");
	if (error)
		return error;
	if (!u->exact->ops->play(u->exact))
		return 0;
	u->stale = true;
	upci_unit_show(u, false);
	return 1;
}

int upc_unit_playable(const struct upc_unit *u)
{
	return u->exact && u->exact->ops->left && u->exact->ops->left(u->exact);
}

int upc_counter_inject(struct upc_unit *u, int counter, int bit)
{
	if (counter < 0 || counter >= UPC_COUNTERS || bit < 0 || bit > 51)
		return upci_fail(UPC_EINVAL, "counter %d, bit %d: they are 0 to %d, and 0 to 51", counter,
				 bit, UPC_COUNTERS - 1);
	if (!u->exact)
		return fail_no_script(u, "fault injection");
	upci_unit_catch_up(u);
	u->exact->ops->flip(u->exact, (unsigned)counter, (unsigned)bit);
	u->stale = true;
	upci_unit_show(u, false);
	return 0;
}
