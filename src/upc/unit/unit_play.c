/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_play.c - public calls that play a script and inject faults.
 * Terms: replay/replay.h.
 */
#include "base/message.h"
#include "unit/registers.h"

static int fail_no_script(const struct upc_unit *u, const char *what)
{
	return upci_fail(UPC_ENOSUPP,
			 "%s: the unit's events are %s; a script drives it with "
			 "UPC_SOURCE=replay:FILE",
			 what, u->registers->whose);
}

int upc_unit_play(struct upc_unit *u)
{
	int error;

	if (!u->registers->play)
		return fail_no_script(u, "upc_unit_play");
	error = upci_unit_check_idle(u, "played");
	if (error)
		return error;
	if (!u->registers->play(u))
		return 0;
	u->stale = true;
	upci_unit_show(u, false);
	return 1;
}

int upc_unit_playable(const struct upc_unit *u)
{
	return u->registers->left && u->registers->left(u);
}

int upc_counter_inject(struct upc_unit *u, int counter, int bit)
{
	if (counter < 0 || counter >= UPC_COUNTERS || bit < 0 || bit > 51)
		return upci_fail(UPC_EINVAL, "counter %d, bit %d: they are 0 to %d, and 0 to 51", counter,
				 bit, UPC_COUNTERS - 1);
	if (!u->registers->flip)
		return fail_no_script(u, "fault injection");
	upci_unit_catch_up(u);
	u->registers->flip(u, (unsigned)counter, (unsigned)bit);
	u->stale = true;
	upci_unit_show(u, false);
	return 0;
}
