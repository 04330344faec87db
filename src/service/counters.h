/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h - all places, and the counters in them. A change is made in all places of its scope or in none.
 * Only for the worker thread.
 * Terms: service/service.h.
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
	char *event; /* the catalogue's name; the text as given if it contains {cpu} or is unknown */
	char *given; /* as given */
	char *description, *unit;
	enum service_scope scope;
	bool level, hardware;
	bool halted, optional;
};

struct counters {
	struct place_options options;
	const char *sys; /* directory that replaces /sys, or NULL */
	struct topology topology;
	struct place *place[SERVICE_SCOPES];
	unsigned places[SERVICE_SCOPES];
	/* In the order in which they were added. The k-th counter of a scope has cell k in each of its
	 * places. */
	struct counters_counter **counter;
	unsigned counters;
	unsigned next_id, next_number;
	uint64_t retry_ns; /* when to try again to open taken counters */
	bool aside;        /* the hardware counters are yielded, for the reason options.aside_why */
	uint64_t generation;
	char why[COUNTERS_WHY]; /* why the last call failed: one sentence */
};

/* A counter to add. */
struct counters_add {
	const char *event, *as; /* as: alias; NULL: use the event's name */
	int scope;              /* enum service_scope; negative: the event's default scope */
	bool optional;          /* keep the counter, as failed, in places that cannot count it */
	bool halted;
	unsigned id, number; /* 0: use the next free ones */
};

/*
 * Make the places of this machine; the catalogue is that of options. Errors: UPC_ENOMEM, UPC_ESYSTEM.
 */
int counters_create(const struct place_options *options, const char *sys, struct counters **counters);
void counters_destroy(struct counters *counters);

/* Add a control group by its directory. With missing, a directory that does not exist is offline until it
 * appears. Errors: UPC_EINVAL, UPC_ENOTASK (no such directory), UPC_ENOSUPP (a script), UPC_ENOMEM. */
int counters_add_cgroup(struct counters *c, const char *label, const char *path, bool missing);

/*
 * Add n counters, or none. *failed is the index of the counter that caused an error; n if no single counter
 * caused it. With `each`, each counter is opened separately, and may fail separately (for saved counters).
 * Errors: UPC_EINVAL (a name that exists), and those of libupc.
 */
int counters_add(struct counters *c, const struct counters_add *add, unsigned n, bool each, unsigned *failed);

/* Remove counters. Fails only if out of memory. */
int counters_remove(struct counters *c, struct counters_counter *const *counter, unsigned n);

/* Let the counter count another event, from 0. It keeps its number and gets a new id. On errors nothing has
 * changed. */
int counters_reassign(struct counters *c, struct counters_counter *counter, const char *event,
		      const char *as);

/* Halt or continue n counters in all places, or none of them. */
int counters_halt(struct counters *c, struct counters_counter *const *counter, unsigned n, bool halt);

/* Open again the counters that failed or were taken or lost, each place separately. Return how many places of
 * the counters count now; *left is the number of places that do not. */
unsigned counters_rewrite(struct counters *c, struct counters_counter *const *counter, unsigned n,
			  unsigned *left);

/* In each place, yield all hardware counters, with `why` as the reason, or resume them. */
void counters_set_aside(struct counters *c, bool aside, const char *why);

/* True if any counter is a hardware counter. */
bool counters_have_hardware(const struct counters *c);

/* Find out which CPUs are online and which control groups exist; close and open their places. True if any has
 * changed. */
bool counters_refresh(struct counters *c);

/* Continue counters that could not be continued, and at most once a second open those that could not be
 * opened because others had the counters. now_ns never decreases. */
void counters_retry(struct counters *c, uint64_t now_ns);

/* counters_play: play a script up to its next mark. counters_read: read all places. counters_judge: judge the
 * states of the cells and, for a sample, set their values. */
void counters_play(struct counters *c);
void counters_read(struct counters *c);
void counters_judge(struct counters *c, bool sample);

struct counters_counter *counters_find(struct counters *c, const char *name);

/* Return the counter's cell in a place of its scope. */
struct place_cell *counters_cell(const struct counters *c, const struct counters_counter *counter,
				 unsigned place);

#endif
