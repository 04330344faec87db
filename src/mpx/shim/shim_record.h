/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_record.h - records of an event set's counts over all its starts. Records outlive sets and threads,
 * for the report at the end of the process.
 *
 * Terms: shim/shim.h.
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
	struct mpxi_pool done; /* counts from sets that no longer have the event */
	struct mpxi_pool now;  /* counts from the set that has the event now, over all its stretches */
};

struct shim_record {
	/* protects the members below; taken after list_lock (shim_record.c); no handler waits for it
	 * without a time limit */
	pthread_mutex_t lock;
	/* thread of the set; 0: records of several threads were merged, since there were too many */
	pid_t thread;
	unsigned serial; /* the set's serial number, from 1 */
	unsigned sets;   /* number of sets whose counts are merged here */
	uint64_t starts;
	bool running;
	bool plain; /* the set has become plain */
	unsigned rows, room;
	struct shim_row *row;
	struct shim_places places; /* only with --by-place */
	struct shim_record *next, *previous;
};

/* Create the record of a set, and add it to the list of all records. Return NULL if memory runs out. */
struct shim_record *shim_record_create(pid_t thread, unsigned serial);
/* Retire the record of a destroyed set: merge its counts into the record of destroyed sets with the same
 * events, if there is one. */
void shim_record_retire(struct shim_record *record);

/* Add a row for an event that was added to the set; reuse the row if the set had the event before. name may
 * be NULL. Return PAPI_OK or PAPI_ENOMEM. */
int shim_record_add(struct shim_record *record, int code, const char *name);

/* Choose the place with this address for the next start of the set, which is stopped. Called before the
 * start, since looking the place up takes time. */
void shim_record_choose_place(struct shim_record *record, const void *address);
void shim_record_start(struct shim_record *record);
/* Store the counts of an event over all stretches of the set so far. i: the event's index in the set. */
void shim_record_note(struct shim_record *record, unsigned i, int code, const struct mpxi_pool *pool);
/* Store the event's counts in the running stretch, for the place where the set was started.
 * shim_record_end_stretch ends the stretch and begins the next one. */
void shim_record_note_stretch(struct shim_record *record, unsigned i, int code,
			      const struct mpxi_pool *stretch);
void shim_record_end_stretch(struct shim_record *record);
/* Keep the counts of an event that was removed from the set. */
void shim_record_drop(struct shim_record *record, int code);
void shim_record_stop(struct shim_record *record);
void shim_record_turn_plain(struct shim_record *record);

/* Choose the estimator with which records are merged and results are computed. */
void shim_record_estimate_by(enum mpxi_estimator estimator);
struct mpxi_result shim_row_result(const struct shim_row *row);
struct mpxi_result shim_record_place_result(const struct shim_record *record, unsigned place, unsigned i);

/* Call the function `each' for every record, with the record locked, in the order of threads and sets.
 * wait: wait for locks without a limit. Otherwise give up when all waits together have taken half a
 * second, since the thread that a signal has interrupted may itself hold a lock. */
void shim_record_each(void (*each)(const struct shim_record *record, void *argument), void *argument,
		      bool wait);
/* Return the number of records that shim_record_each leaves out because there are too many. */
unsigned long shim_record_left_out(bool wait);
/* True if the set of any record was started, or is plain. */
bool shim_record_any(void);
/* Forget the parent's records, in a forked child. */
void shim_record_in_child(void);

#endif
