/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally.h - the values of metrics for a counter's places, computed from samples. Pure.
 *
 * A metric of a count never decreases within an epoch. A counter that was removed and added again has a new
 * id and counts from 0. Its metric goes on from its last sampled value and running time. Rates of the metric
 * therefore never show the step from one counter's count to another's, and no metric goes backwards.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_TALLY_H
#define PMDA_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "service/service.h"

/* All places of a scope that have ever existed. The index of a place never changes. */
struct places {
	struct places_one {
		char *name;
		int instance; /* instance in PCP: number of the CPU, or a number given to the control group */
		int numa;     /* NUMA node of a CPU, or -1 */
		int at;       /* index in the current sample, or -1 */
	} * one;
	unsigned count;
};

/* Add the places of a sample's scope. -ENOMEM: places is unchanged. */
int places_update(struct places *places, const struct service_sample *sample, enum service_scope scope);
/* Add a place from the agent's file. -ENOMEM; -EEXIST: the name or the instance exists. */
int places_add(struct places *places, const char *name, int instance, int numa);
const struct places_one *places_find(const struct places *places, int instance);
void places_free(struct places *places);

struct tally_place {
	uint64_t base, running_base; /* sums over former counter ids */
	uint64_t value, running;     /* last known values of the present counter id */
	uint64_t grown;              /* growth of the running time in the last update */
	bool known;                  /* the place has been counted at some time */
	enum service_state state;
};

/* The sums over the CPUs of a NUMA node. */
struct tally_numa {
	int node;
	uint64_t running; /* sum over updates of the mean growth of its online CPUs */
	uint64_t value;
	bool counting, known;
};

struct tally {
	unsigned places, numas;
	struct tally_place *place; /* in the order of struct places */
	struct tally_numa *numa;   /* only for counters of CPUs */
};

struct pmids;

/* Return a tally with room for these places, made from old, which may be NULL. NULL: out of memory, and old
 * is still valid. */
struct tally *tally_grow(struct tally *old, const struct places *places, bool numa);
void tally_free(struct tally *tally);

/* Take over a counter's values. anew: the metric's counter has another id than before. */
void tally_update(struct tally *tally, const struct places *places, const struct service_counter *counter,
		  bool anew);

/* Begin a new epoch, without counts. */
void tally_reset(struct tally *tally);

#endif
