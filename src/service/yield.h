/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yield.h - whether the service's hardware counters run, or step aside for somebody. It decides on
 * what it is told, by a clock that it is told: it looks at nothing itself.
 */
#ifndef SERVICE_YIELD_H
#define SERVICE_YIELD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long nobody must have had a counter before the service takes its own again: tools that open
 * and close their events in turn find them free each time. */
#define YIELD_QUIET_NS 1000000000u

enum yield_why {
	YIELD_NOT,   /* the counters run                              */
	YIELD_ASKED, /* for upcctl run, for as long as its client lasts */
	YIELD_SEEN,  /* for a user who was noticed                    */
	YIELD_QUIET, /* he has ended, less than YIELD_QUIET_NS ago    */
};

struct yield_facts {
	unsigned asked; /* how many clients ask for it       */
	unsigned users; /* how many users' processes are seen */
	bool notice;    /* users who are seen are made way for */
};

struct yield {
	enum yield_why why;
	uint64_t last_seen_ns; /* of a user, while the service steps aside for him */
};

/* All zero: the counters run. now_ns never goes back. Returns whether they run from now on. */
bool yield_decide(struct yield *yield, uint64_t now_ns, const struct yield_facts *facts);

/* When to decide again though nothing was heard: UINT64_MAX for never. */
uint64_t yield_due(const struct yield *yield);

struct service_user;

/*
 * The user that has the counters, in words, for the counters' state: "stepped aside for perf (pid 12,
 * uid 0)". Cut to size; "" while they run.
 */
void yield_text(const struct yield *yield, const struct service_user *user, unsigned users, unsigned more,
		char *text, unsigned size);

#endif
