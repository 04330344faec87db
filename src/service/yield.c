/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yield.c - see yield.h.
 *
 * A client that has yielded has priority over a user that was noticed. When upcctl run ends, the counters go
 * on at once, since upcctl run reports its end. When a noticed user ends, the counters stay yielded for
 * YIELD_QUIET_NS, since that user may start the next tool in a moment. If a user still has counters when
 * upcctl run ends, the service waits for that user, too.
 * Terms: service/service.h.
 */
#include <stdio.h>

#include "service/service.h"
#include "service/yield.h"

bool yield_decide(struct yield *y, uint64_t now_ns, const struct yield_facts *facts)
{
	bool seen = facts->notice && facts->users;
	bool for_user = y->why == YIELD_SEEN || y->why == YIELD_QUIET;

	if (seen)
		y->last_seen_ns = now_ns;
	if (facts->asked)
		y->why = YIELD_ASKED;
	else if (seen)
		y->why = YIELD_SEEN;
	else if (for_user && facts->notice && now_ns - y->last_seen_ns < YIELD_QUIET_NS)
		y->why = YIELD_QUIET;
	else
		y->why = YIELD_NOT;
	return y->why == YIELD_NOT;
}

uint64_t yield_due(const struct yield *y)
{
	return y->why == YIELD_QUIET ? y->last_seen_ns + YIELD_QUIET_NS : UINT64_MAX;
}

void yield_text(const struct yield *y, const struct service_user *user, unsigned users, unsigned more,
		char *text, unsigned size)
{
	unsigned others = users + more - (users > 0);
	char beside[48] = "";

	if (others)
		snprintf(beside, sizeof(beside), " and %u other%s", others, others == 1 ? "" : "s");
	switch (y->why) {
	case YIELD_NOT:
		snprintf(text, size, "%s", "");
		break;
	case YIELD_ASKED:
		snprintf(text, size, "stepped aside: upcctl asked for it");
		break;
	case YIELD_QUIET:
		snprintf(text, size, "stepped aside: its user has ended, the counters go on in a moment");
		break;
	case YIELD_SEEN:
		if (users)
			snprintf(text, size, "stepped aside for %s (pid %d, uid %ld)%s", user->command,
				 (int)user->pid, user->uid == (uid_t)-1 ? -1L : (long)user->uid, beside);
		else
			snprintf(text, size, "stepped aside for a user of the counters");
	}
}
