/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.h - a unit: its registers, the events that are bound to its counters, and the sources that count them.
 *
 * Terms:
 *   unit       256 counters with their configuration, one start/stop and one threshold register
 *   live unit  a unit that counts this machine's events, as opposed to a script's or the simulated node's
 *   owner      of registers: the unit itself, the engine that plays a script, or the simulator (registers.h)
 *   copy       of registers that another owner has: the unit keeps it in regs, and it can be stale
 *   binding    an event that is bound to a counter, and the source that counts it
 *   entry      an event that the caller added: one counter, or several for a derived event
 *   plain      of an added event: not derived, so it has exactly one counter
 *   active     of a counter: an event is bound to it
 *   take in    to add to a counter's register the growth of its source's reading. The unit does this for
 *              the counters whose events have a source; the owner of the registers counts all others
 *   base       the reading of a source from which the unit counts, binding.last
 *
 * More terms: base/source.h, base/event.h, base/target.h, engine/engine.h, engine/threshold.h,
 * replay/replay.h, node/sim.h, share/shared.h.
 */
#ifndef UPCI_UNIT_H
#define UPCI_UNIT_H

#include "catalogue/catalogue.h"
#include "perf/context.h"
#include "perf/perf.h"
#include "base/process.h"
#include "engine/regs.h"
#include "share/shared.h"
#include "engine/threshold.h"
#include "unit/source.h"

/* An event bound to a counter. */
struct upci_binding {
	const struct upci_event *event;
	uint32_t code;
	uint16_t references; /* number of entries that read the counter, 0: the counter is free */
	uint16_t flags;      /* UPC_COUNTER_HALTED, LOST, PARTIAL, NEVER */
	int handle;          /* the source's handle */
	uint8_t source; /* row of the source; UPCI_SOURCE_ROWS: the owner of the registers counts the event */
	/* Properties of the source and event, copied so that reads do not touch the cache lines of those
	 * structures. stops: the source counts only between start and stop. as_is: readings need no scaling.
	 * plain: as_is, and the event is a count. is_level: the event is a level. */
	bool stops : 1, as_is : 1, plain : 1, is_level : 1;
	bool level_read : 1; /* a level, whose register holds a reading */
	bool silent : 1;     /* PARTIAL concerns the overflow signals only */
	uint64_t last;       /* last reading of the source that was added to the register */
};

/* An added event: plain, or derived from several counters. */
struct upci_entry {
	uint32_t code;
	unsigned references;                /* number of adds less number of removes */
	int wish;                           /* in a plan (transaction.c): counter of the event it replaces */
	const struct upci_formula *formula; /* NULL if the event is plain */
	uint16_t first;                     /* counter of a plain event */
	uint16_t *counter;                  /* the counter, or one per term of the formula */
};

/* The readings of a source, with room for all its handles. */
struct upci_readings {
	uint64_t *value;
	uint8_t *state; /* an array of enum upci_source_state */
	unsigned room;
};

/* Size of the hash table from code to entry + 1: a power of two, twice the maximum number of entries. */
#define UPCI_INDEX_SIZE 2048u

struct upci_registers_ops;
struct upci_replay;
struct upci_sim;

struct upc_unit {
	struct upci_regs regs;

	/* Every start, stop and read of a live unit uses the fields from here to the beginning of shared.
	 * They are close together, in four cache lines of the hundreds that a unit has. */
	struct upci_sources sources;
	struct upci_readings reading[UPCI_SOURCE_ROWS];
	uint8_t reader[UPCI_SOURCE_ROWS], readers;  /* rows of the sources that count bound events */
	const struct upci_registers_ops *registers; /* owner of the registers */
	unsigned actives;                           /* number of bound counters */
	unsigned entries, deriveds;
	bool forked;      /* after a fork: all descriptors must be opened again */
	bool started;     /* the unit was started at least once since the descriptors were opened */
	bool partial;     /* last update found a hardware event that did not count all the time */
	bool strays;      /* a counter without a bound event was written (live unit) */
	bool stale;       /* regs is an old copy of registers that another owner has */
	bool doubtful;    /* at least one counter is suspect or damaged */
	bool has_periods; /* a threshold is or was set; if false, all of thresholds is 0 */
	struct upci_context context;
	struct upci_shared shared; /* active while it has a page */

	struct upci_binding binding[UPC_COUNTERS];
	uint16_t active[UPC_COUNTERS]; /* bound counters in ascending order */
	struct upci_entry *entry;
	/* For reads, close together: the first counter of each entry, and the indices of the derived
	 * entries. */
	uint16_t first[UPC_EVENTS_MAX];
	uint16_t derived[UPC_EVENTS_MAX];
	uint16_t index[UPCI_INDEX_SIZE];

	/* A live unit uses only the periods and no offsets, since the kernel itself counts up to a
	 * threshold. All 0 until has_periods is set. */
	struct upci_thresholds thresholds;
	void (*interrupt)(struct upc_unit *unit, const struct upc_interrupt *interrupt, void *arg);
	void *interrupt_arg;
	int signal; /* signal that the thresholds of a live unit send, 0: none */

	/* The event of each handle with a live threshold. Signal handlers read this array. */
	struct upci_armed {
		int handle;     /* -1: free */
		uint8_t source; /* row of the source */
		uint32_t code;
	} armed[UPCI_SAMPLERS_MAX];

	/* The owner of the registers, if they are not in the unit. */
	union {
		struct upci_replay *script;
		struct upci_sim *node;
	} keeper;
	bool suspect[UPC_COUNTERS]; /* as of the copy: the next read of the counter will find damage */
	bool damaged[UPC_COUNTERS]; /* a read found damage, and the user has not written the counter since */

	/* How long each counter should have counted and how long it did: see unit_time.c. */
	struct upci_source_time time[UPC_COUNTERS];
	struct {
		uint64_t ran, step; /* ns that the clock ran in total, and in the last step */
		uint64_t at;        /* CLOCK_MONOTONIC of the last step in ns, 0: the clock stands */
	} clock;
	unsigned goers; /* number of bound counters whose sources cannot be stopped */
	bool kept;      /* time[] holds times of closed sources */

	struct upc_catalogue *catalogue;
	struct upc_transaction *transaction; /* the open transaction, or NULL */
	struct upci_fork_entry fork;
};

/* True if the unit takes in the counts of counter i. Otherwise the owner of the registers counts. */
static inline bool upci_unit_takes_in(const struct upc_unit *unit, unsigned i)
{
	return unit->binding[i].references && unit->binding[i].source < UPCI_SOURCE_ROWS;
}

/* Make the reading buffers large enough for all handles of the sources. Return 0, or an error with
 * message. */
int upci_unit_grow_buffers(struct upc_unit *unit, const struct upci_sources *sources);

/* Rebuild the list of active counters and the index, after a change of bindings. */
void upci_unit_reindex(struct upc_unit *unit);

/* Return the position of an added event, or -1. */
int upci_unit_entry(const struct upc_unit *unit, uint32_t code);

/* When to open events that can wait for the start: at the start, or now. */
enum upci_when { UPCI_OPEN_LATER, UPCI_OPEN_NOW };

/* Open every event again with sources of the context. Return 0, or an error with message, which leaves the
 * unit as it was. */
int upci_unit_replace_sources(struct upc_unit *unit, const struct upci_context *context, enum upci_when when);
/* After a fork, open every event again in the child's context. Otherwise do nothing. */
int upci_unit_reopen(struct upc_unit *unit);
/* Open everything that a start needs, without starting. */
int upci_unit_open_now(struct upc_unit *unit);

static inline struct upc_unit *upci_unit_of(struct upci_fork_entry *entry)
{
	return (struct upc_unit *)((char *)entry - offsetof(struct upc_unit, fork));
}

void upci_transaction_free(struct upc_transaction *transaction);

/* Publish the counts to monitors and, if configuration is true, also the bound events and counter fields. */
void upci_unit_show(struct upc_unit *unit, bool configuration);
/* Publish the counts as the unit read them last, without another read of the registers. */
void upci_unit_show_copy(struct upc_unit *unit);

#endif
