/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_record.h - what an event set has counted, over all its starts: for the report,
 * which outlives sets and threads.
 */
#ifndef MPXI_SHIM_RECORD_H
#define MPXI_SHIM_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/shim_places.h"
#include "stat/pool.h"

struct shim_row {
	int code;
	char *name;
	struct mpxi_pool done; /* of sets that do not have the event any more */
	struct mpxi_pool now;  /* of the one that has it, in all its stretches */
};

struct shim_record {
	pthread_mutex_t lock; /* of all below; nests in that of the list; no handler takes it */
	pid_t thread;         /* 0: several, of which there were too many */
	unsigned serial;      /* of the set, from 1                        */
	unsigned sets;        /* that have been added up here              */
	uint64_t starts;
	bool running;
	bool plain; /* PAPI's since some call */
	unsigned rows, room;
	struct shim_row *row;
	struct shim_places places; /* only with --by-place */
	struct shim_record *next, *previous;
};

/* All records, those of sets that are gone too; the report takes them one by one. */
struct shim_record *shim_record_create(pid_t thread, unsigned serial);
/* The set is gone: what it counted is kept, together with that of like sets. */
void shim_record_retire(struct shim_record *record);

/* The set has this event from now on, or has it again. name may be NULL. PAPI_ENOMEM. */
int shim_record_add(struct shim_record *record, int code, const char *name);

/* The next start comes from there; the set does not run. Before the start, since it takes its time. */
void shim_record_choose_place(struct shim_record *record, const void *address);
void shim_record_start(struct shim_record *record);
/* Notes the set's counts of an event so far; i: its index in the set. */
void shim_record_note(struct shim_record *record, unsigned i, int code, const struct mpxi_pool *pool);
/* The stretch that runs, at its place; and it is over, the next one begins. */
void shim_record_note_stretch(struct shim_record *record, unsigned i, int code,
			      const struct mpxi_pool *stretch);
void shim_record_end_stretch(struct shim_record *record);
/* The set has no such event any more. */
void shim_record_drop(struct shim_record *record, int code);
void shim_record_stop(struct shim_record *record);
void shim_record_turn_plain(struct shim_record *record);

/* By which records that are alike are put together, and results are made. */
void shim_record_estimate_by(enum mpxi_estimator estimator);
struct mpxi_result shim_row_result(const struct shim_row *row);
struct mpxi_result shim_record_place_result(const struct shim_record *record, unsigned place, unsigned i);

/* Calls each with every record, locked, in the order of threads and sets. A lock that is held (by
 * the thread that a signal has interrupted, say) is waited for if wait, else for half a second. */
void shim_record_each(void (*each)(const struct shim_record *record, void *argument), void *argument,
		      bool wait);
/* How many records are too many for that, and are left out. */
unsigned long shim_record_left_out(bool wait);
/* Is there anything that counted? */
bool shim_record_any(void);
/* In a forked child: its parent's records are not its own. */
void shim_record_in_child(void);

#endif
