/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally.h - what the metrics say of a counter's places, made of samples. Pure.
 *
 * A metric grows for as long as the epoch lasts. A counter that was removed and comes back has a new id
 * and counts from 0: its metric goes on from where it was, with value and running both as they were
 * last sampled. No rate therefore mixes the numbers of two counters, and no counter goes backwards.
 */
#ifndef PMDA_TALLY_H
#define PMDA_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "service/service.h"

/* The places of a scope that there have ever been, in an order that stays. */
struct places {
	struct places_one {
		char *name;
		int instance; /* in PCP: the CPU's number, the control group's place here */
		int numa;     /* node of a CPU, or -1 */
		int at;       /* its place in the sample at hand, or -1 */
	} * one;
	unsigned count;
};

/* Takes a sample's places in. of a scope; -ENOMEM: places is as it was. */
int places_update(struct places *places, const struct service_sample *sample, enum service_scope scope);
/* Adds one, of a file. -ENOMEM; -EEXIST: there is one of the name, or of the instance. */
int places_add(struct places *places, const char *name, int instance, int numa);
const struct places_one *places_find(const struct places *places, int instance);
void places_free(struct places *places);

struct tally_place {
	uint64_t base, running_base; /* of ended ids */
	uint64_t value, running;     /* of the id, as last known */
	uint64_t grown;              /* by how much the time did at last */
	bool known;                  /* it was counted at some time */
	enum service_state state;
};

/* The sums over the CPUs of a NUMA node. */
struct tally_numa {
	int node;
	uint64_t running; /* sum of the mean growths of its online CPUs */
	uint64_t value;
	bool counting, known;
};

struct tally {
	unsigned places, numas;
	struct tally_place *place; /* in the order of struct places */
	struct tally_numa *numa;   /* of counters of CPUs */
};

struct pmids;

/* A tally with room for these places; old, which may be NULL, is kept or freed. NULL: no memory, and
 * old is as it was. */
struct tally *tally_grow(struct tally *old, const struct places *places, bool numa);
void tally_free(struct tally *tally);

/* Takes in what a counter has; anew: another id than before has the metric now. */
void tally_update(struct tally *tally, const struct places *places, const struct service_counter *counter,
		  bool anew);

/* A new epoch: nothing was counted in it. */
void tally_reset(struct tally *tally);

#endif
