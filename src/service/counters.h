/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h - all places, and the counters in them. A change is made in all places of its scope or
 * in none. For one thread: the worker.
 */
#ifndef SERVICE_COUNTERS_H
#define SERVICE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "service/place.h"
#include "service/topology.h"

#define COUNTERS_MAX 4096
#define COUNTERS_CGROUPS_MAX 1024
#define COUNTERS_WHY 1024

struct counters_counter {
	unsigned id, number;
	char *name;
	char *event; /* as the catalogue has it, or, with {cpu} in it or unknown, as it was given */
	char *given; /* as it was given                          */
	char *description, *unit;
	enum service_scope scope;
	bool level, hardware;
	bool halted, optional;
};

struct counters {
	struct place_options options;
	const char *sys; /* in place of /sys, or NULL */
	struct topology topology;
	struct place *place[SERVICE_SCOPES];
	unsigned places[SERVICE_SCOPES];
	/* In the order of their adding. The k-th of a scope is cell k of each of its places. */
	struct counters_counter **counter;
	unsigned counters;
	unsigned next_id, next_number;
	uint64_t retry_ns; /* when to try again what is taken */
	bool aside;        /* the hardware counters are yielded: options' aside_why */
	uint64_t generation;
	char why[COUNTERS_WHY]; /* why the last call failed: one sentence */
};

/* A counter to be added. */
struct counters_add {
	const char *event, *as; /* as NULL: by the event's name */
	int scope;              /* enum service_scope, or negative: as the event has it */
	bool optional;          /* where it cannot be counted it is kept, as failed      */
	bool halted;
	unsigned id, number; /* 0: the next ones */
};

/*
 * The places of this machine; the catalogue is options'. Errors: UPC_ENOMEM, UPC_ESYSTEM.
 */
int counters_create(const struct place_options *options, const char *sys, struct counters **counters);
void counters_destroy(struct counters *counters);

/* A control group by its directory, which may be missing: then it is offline until it comes. Errors:
 * UPC_EINVAL, UPC_ENOTASK (no such directory), UPC_ENOSUPP (a script), UPC_ENOMEM. */
int counters_add_cgroup(struct counters *c, const char *label, const char *path, bool missing);

/*
 * Adds n counters, or none. *failed is the index of the one that is to blame, or n where it is all of
 * them together. With each: each is opened by itself, and fails by itself (counters that were saved).
 * Errors: UPC_EINVAL (a name that is there), those of libupc.
 */
int counters_add(struct counters *c, const struct counters_add *add, unsigned n, bool each, unsigned *failed);

/* Takes counters away. Cannot fail but for memory. */
int counters_remove(struct counters *c, struct counters_counter *const *counter, unsigned n);

/* The counter counts another event, from 0 on: with its number and another id. On errors all is as before. */
int counters_reassign(struct counters *c, struct counters_counter *counter, const char *event,
		      const char *as);

/* Halts or continues n counters in all places, or none of them. */
int counters_halt(struct counters *c, struct counters_counter *const *counter, unsigned n, bool halt);

/* Opens again what failed, was taken or lost, each place by itself. Returns how many places of the
 * counters count now, and *left how many do not. */
unsigned counters_rewrite(struct counters *c, struct counters_counter *const *counter, unsigned n,
			  unsigned *left);

/* Lets go of all hardware counters, for why, or takes them again: in each place that has them. */
void counters_set_aside(struct counters *c, bool aside, const char *why);

/* Whether any counter is of the hardware. */
bool counters_have_hardware(const struct counters *c);

/* Which CPUs are online, and which control groups are there: closes and opens places. Returns whether
 * any has changed. */
bool counters_refresh(struct counters *c);

/* Continues what could not be continued, and at most once a second opens what could not be opened, for
 * others had the counters. now_ns never goes back. */
void counters_retry(struct counters *c, uint64_t now_ns);

/* Plays a script to its next mark; reads all places; judges their states, and sets values for a sample. */
void counters_play(struct counters *c);
void counters_read(struct counters *c);
void counters_judge(struct counters *c, bool sample);

struct counters_counter *counters_find(struct counters *c, const char *name);

/* The counter's cell in a place of its scope. */
struct place_cell *counters_cell(const struct counters *c, const struct counters_counter *counter,
				 unsigned place);

#endif
