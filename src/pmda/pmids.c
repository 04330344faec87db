/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmids.c - see pmids.h. The first choice for a slot is a hash of the metric's identity. Mostly, the slots
 * are equal on independent nodes, and stay the same on a node that has lost the agent's file.
 * Terms: pmda/agent.h.
 */
#include "pmda/pmids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmda/clean.h"
#include "pmda/tally.h"

int pmids_init(struct pmids *pmids)
{
	memset(pmids, 0, sizeof(*pmids));
	pmids->used = calloc(PMIDS_SLOTS / 32, sizeof(*pmids->used));
	return pmids->used ? 0 : -ENOMEM;
}

static void entry_free(struct pmids_entry *entry)
{
	tally_free(entry->tally);
	free((char *)entry->key.name);
	free((char *)entry->key.event);
	free((char *)entry->key.unit);
	free(entry);
}

void pmids_free(struct pmids *pmids)
{
	unsigned i;

	for (i = 0; i < pmids->count; i++)
		entry_free(pmids->entry[i]);
	free(pmids->entry);
	free(pmids->used);
	memset(pmids, 0, sizeof(*pmids));
}

/* FNV-1a, including the terminating NUL, so that "a" "bc" differs from "ab" "c". The same on all machines. */
static uint64_t hash_key_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	while (*text++);
	return hash;
}

static uint64_t hash_key(const struct pmids_key *key)
{
	uint64_t hash = hash_key_text(0xcbf29ce484222325u, key->name);

	hash = hash_key_text(hash_key_text(hash, key->event), key->unit);
	return (hash ^ (unsigned)key->scope ^ (key->level ? 0x80u : 0)) * 0x100000001b3u;
}

static bool key_same(const struct pmids_key *one, const struct pmids_key *other)
{
	return one->scope == other->scope && one->level == other->level && !strcmp(one->name, other->name) &&
	       !strcmp(one->event, other->event) && !strcmp(one->unit, other->unit);
}

static bool slot_used(const struct pmids *pmids, unsigned slot)
{
	return pmids->used[slot / 32] >> (slot % 32) & 1;
}

struct taken {
	const struct pmids *pmids;
	enum service_scope scope;
};

/* Names must be unique within a scope only: each scope has its own branch. */
static const char *taken_name(const void *arg, size_t i)
{
	const struct taken *taken = arg;
	const struct pmids_entry *entry = taken->pmids->entry[i];

	return entry->key.scope == taken->scope ? entry->metric : NULL;
}

static bool metric_free(const struct taken *taken, const char *metric)
{
	const char *other;
	unsigned i;

	for (i = 0; i < taken->pmids->count; i++) {
		other = taken_name(taken, i);
		if (other && names_meet(other, metric))
			return false;
	}
	return true;
}

static int make_pmids_room(struct pmids *pmids)
{
	unsigned room = pmids->room ? 2 * pmids->room : 64;
	struct pmids_entry **entry;

	if (pmids->count < pmids->room)
		return 0;
	entry = realloc(pmids->entry, room * sizeof(struct pmids_entry *));
	if (!entry)
		return -ENOMEM;
	pmids->entry = entry;
	pmids->room = room;
	return 0;
}

int pmids_add(struct pmids *pmids, const struct pmids_key *key, const char *metric, unsigned slot,
	      struct pmids_entry **added)
{
	struct taken taken = {pmids, key->scope};
	struct pmids_entry *entry;

	if (pmids->count >= PMIDS_MOST)
		return -ENOSPC;
	if (metric) {
		if (!names_valid(metric) || slot >= PMIDS_SLOTS)
			return -EINVAL;
		if (slot_used(pmids, slot))
			return -ENOSPC;
		if (!metric_free(&taken, metric))
			return -EEXIST;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry || make_pmids_room(pmids)) {
		free(entry);
		return -ENOMEM;
	}
	entry->key = (struct pmids_key){strdup(key->name), strdup(key->event), strdup(key->unit), key->scope,
					key->level};
	if (!entry->key.name || !entry->key.event || !entry->key.unit) {
		entry_free(entry);
		return -ENOMEM;
	}
	entry->hash = hash_key(key);
	if (metric) {
		memcpy(entry->metric, metric, strlen(metric) + 1);
		entry->slot = slot;
	} else {
		names_plain(key->name, entry->metric);
		names_unique(entry->metric, taken_name, &taken, pmids->count);
		/* There are more slots than entries. */
		entry->slot = (unsigned)((entry->hash ^ entry->hash >> 32) % PMIDS_SLOTS);
		while (slot_used(pmids, entry->slot))
			entry->slot = (entry->slot + 1) % PMIDS_SLOTS;
	}
	pmids->used[entry->slot / 32] |= 1u << (entry->slot % 32);
	entry->number = pmids->count;
	pmids->entry[pmids->count++] = entry;
	*added = entry;
	return 0;
}

static struct pmids_entry *find_pmids_entry(const struct pmids *pmids, const struct pmids_key *key,
					    unsigned id)
{
	uint64_t hash = hash_key(key);
	unsigned i;

	for (i = 0; i < pmids->count; i++) {
		struct pmids_entry *entry = pmids->entry[i];

		if (entry->hash == hash && !entry->counter && (!id || entry->id == id) &&
		    key_same(&entry->key, key))
			return entry;
	}
	return NULL;
}

int pmids_claim(struct pmids *pmids, const struct service_sample *sample, struct pmids_entry **of)
{
	char name[PMIDS_TEXT], event[PMIDS_TEXT], unit[PMIDS_TEXT];
	int error, grown = 0;
	unsigned i, round;

	for (i = 0; i < pmids->count; i++)
		pmids->entry[i]->counter = NULL;
	for (i = 0; i < sample->counters; i++)
		of[i] = NULL;
	/* In round 0, counters that the former sample already had get their entries by id. Thus of two
	 * counters with equal keys, neither takes the other's entry. Round 1 finds entries by key, round 2
	 * makes new ones. */
	for (round = 0; round < 3; round++) {
		for (i = 0; i < sample->counters; i++) {
			const struct service_counter *counter = &sample->counter[i];
			struct pmids_key key = {name, event, unit, counter->scope, counter->level};

			if (of[i] || (round == 0 && !counter->id))
				continue;
			clean_text(counter->name, name, sizeof(name));
			clean_text(counter->event, event, sizeof(event));
			clean_text(counter->unit, unit, sizeof(unit));
			if (round < 2) {
				of[i] = find_pmids_entry(pmids, &key, round == 0 ? counter->id : 0);
			} else {
				error = pmids_add(pmids, &key, NULL, 0, &of[i]);
				if (error == -ENOMEM)
					return error;
				grown += !error;
			}
			if (of[i])
				of[i]->counter = counter;
		}
	}
	return grown;
}
