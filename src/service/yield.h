/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yield.h - decides whether the service's hardware counters run or step aside. Pure: all facts and the time
 * are arguments.
 * Terms: service/service.h.
 */
#ifndef SERVICE_YIELD_H
#define SERVICE_YIELD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Time for which no other process must have had a counter before the service runs its own counters again. It
 * lets tools that open and close their events repeatedly find the counters free each time. */
#define YIELD_QUIET_NS 1000000000u

enum yield_why {
	YIELD_NOT,   /* the counters run */
	YIELD_ASKED, /* for upcctl run, as long as its client is connected */
	YIELD_SEEN,  /* for a user that was noticed */
	YIELD_QUIET, /* the noticed user has ended less than YIELD_QUIET_NS ago */
};

struct yield_facts {
	unsigned asked; /* number of clients that have yielded */
	unsigned users; /* number of user processes that were found */
	bool notice;    /* step aside for users that were found */
};

struct yield {
	enum yield_why why;
	uint64_t last_seen_ns; /* when a user was last seen */
};

/* Decide. A yield of all zeros means that the counters run. now_ns never decreases. True if they run from now
 * on. */
bool yield_decide(struct yield *yield, uint64_t now_ns, const struct yield_facts *facts);

/* Return when to decide again even without new facts; UINT64_MAX: never. */
uint64_t yield_due(const struct yield *yield);

struct service_user;

/*
 * Write the reason why the counters do not run, such as "stepped aside for perf (pid 12, uid 0)", for the
 * counters' state. Cut to size; "" while they run.
 */
void yield_text(const struct yield *yield, const struct service_user *user, unsigned users, unsigned more,
		char *text, unsigned size);

#endif
