/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmids.h - entries for all counters that have ever existed: a counter's identity, its name in PCP, and its
 * slot in the PMIDs. An entry stays for ever, even when its counter is gone, so that archives of different
 * runs agree.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_PMIDS_H
#define PMDA_PMIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmda/names.h"
#include "service/service.h"

#define PMIDS_SLOTS (1u << 18) /* a slot is 8 bits of the cluster and 10 bits of the item */
#define PMIDS_MOST 65536u      /* limit of entries; further counters have no metric */

/* The identity of an entry: two counters have different entries if any field differs. Texts are clean
 * (clean.h). */
#define PMIDS_TEXT 512 /* longest text, including its NUL; longer ones are cut */
struct pmids_key {
	const char *name, *event, *unit;
	enum service_scope scope;
	bool level;
};

struct pmids_entry {
	struct pmids_key key; /* owns its strings */
	char metric[NAMES_MAX];
	unsigned slot;
	uint64_t hash;
	unsigned id;     /* id of the last counter of this entry in this epoch; 0: none */
	unsigned number; /* index of the entry, also in the agent's file; from 0 */
	const struct service_counter *counter; /* in the current sample, or NULL */
	struct tally *tally;                   /* its values (tally.h), or NULL */
};

struct pmids {
	struct pmids_entry **entry;
	unsigned count, room;
	uint32_t *used; /* one bit for each slot */
};

int pmids_init(struct pmids *pmids);  /* returns -ENOMEM on failure */
void pmids_free(struct pmids *pmids); /* frees the entries and their tallies, too */

/*
 * Add an entry with the given name and slot (from the file), or, if metric is NULL, with free ones. Errors:
 * -ENOMEM; -ENOSPC (PMIDS_MOST reached, or the slot is used); -EEXIST (the name conflicts with another);
 * -EINVAL (invalid name or slot).
 */
int pmids_add(struct pmids *pmids, const struct pmids_key *key, const char *metric, unsigned slot,
	      struct pmids_entry **entry);

/*
 * Assign entries to the counters of a sample: the entry with the counter's id, else an entry of the same key
 * without a counter, else a new one. of[i] is the entry of the i-th counter; NULL if there is no room. The
 * field counter of all other entries becomes NULL. Return the number of new entries, or -ENOMEM; the
 * remaining counters then have none.
 */
int pmids_claim(struct pmids *pmids, const struct service_sample *sample, struct pmids_entry **of);

#endif
