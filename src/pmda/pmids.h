/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmids.h - which metrics there have ever been: a counter's identity, its name in PCP, and the number
 * that its PMIDs are made of. An entry stays for ever, whether its counter is there or not: so
 * archives of different runs agree.
 */
#ifndef PMDA_PMIDS_H
#define PMDA_PMIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmda/names.h"
#include "service/service.h"

#define PMIDS_SLOTS (1u << 18) /* 8 bits of the cluster and the item's 10 */
#define PMIDS_MOST 65536u      /* entries; further counters have no metric */

/* The identity of a metric: a difference in any field makes another metric. Texts are clean (clean.h). */
#define PMIDS_TEXT 512 /* longest of them that is told apart, with its 0 */
struct pmids_key {
	const char *name, *event, *unit;
	enum service_scope scope;
	bool level;
};

struct pmids_entry {
	struct pmids_key key; /* its strings are the entry's own */
	char metric[NAMES_MAX];
	unsigned slot;
	uint64_t hash;
	unsigned id;     /* of the counter that has it or had it last, in this epoch; 0: none */
	unsigned number; /* its place among the entries: as they are written, from 0 */
	const struct service_counter *counter; /* in the sample at hand, or NULL */
	struct tally *tally;                   /* what was counted (tally.h), or NULL */
};

struct pmids {
	struct pmids_entry **entry;
	unsigned count, room;
	uint32_t *used; /* a bit a slot */
};

int pmids_init(struct pmids *pmids);  /* -ENOMEM */
void pmids_free(struct pmids *pmids); /* and entries with their tallies */

/*
 * Adds an entry with a metric's name and a slot that are free, or with those given (of the file;
 * metric NULL: chosen). Errors: -ENOMEM; -ENOSPC (PMIDS_MOST, or no such slot is free); -EEXIST (the
 * metric meets another's); -EINVAL (no name, or no such slot).
 */
int pmids_add(struct pmids *pmids, const struct pmids_key *key, const char *metric, unsigned slot,
	      struct pmids_entry **entry);

/*
 * Gives each counter of a sample its entry, and each entry its counter or NULL: the one with its id,
 * else one of the same key that no counter has, else a new one. of[i] is the i-th counter's, NULL where
 * there is no room for another. Returns how many are new, or -ENOMEM; then the rest has none.
 */
int pmids_claim(struct pmids *pmids, const struct service_sample *sample, struct pmids_entry **of);

#endif
