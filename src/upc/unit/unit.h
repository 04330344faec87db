/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.h - a unit: its registers, what is bound to its counters, and the
 * sources that drive them.
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
	uint16_t references; /* entries that read it, 0: free            */
	uint16_t flags;      /* UPC_COUNTER_HALTED, LOST, PARTIAL, NEVER */
	int handle;          /* of its source */
	uint8_t source;      /* its row; UPCI_SOURCE_ROWS: the owner of the registers counts it */
	/* Copies from its source and event, so that reads stay off their cache lines: it counts only
	 * between start and stop; its readings are in the event's unit; they are, and it is a count;
	 * it is a level. */
	bool stops : 1, as_is : 1, plain : 1, is_level : 1;
	bool level_read : 1; /* a level: its register holds a reading     */
	bool silent : 1;     /* PARTIAL means its overflow signals alone     */
	uint64_t last;       /* the source's reading that the register has taken in */
};

/* An event that was added: plain, or derived from several counters. */
struct upci_entry {
	uint32_t code;
	unsigned references;                /* adds less removes             */
	int wish;                           /* of a plan: reassigned counter */
	const struct upci_formula *formula; /* NULL: plain                    */
	uint16_t first;                     /* plain: its counter             */
	uint16_t *counter;                  /* one, or one a term             */
};

/* A source's readings, with room for all its handles. */
struct upci_readings {
	uint64_t *value;
	uint8_t *state; /* an upci_source_state */
	unsigned room;
};

/* Twice the most entries, a power of two: code to entry + 1. */
#define UPCI_INDEX_SIZE 2048u

struct upci_registers_ops;
struct upci_replay;
struct upci_sim;

struct upc_unit {
	struct upci_regs regs;

	/* The fields that every start, stop and read of a live unit uses are close together, from
	 * the end of the registers to the beginning of shared: four lines of the cache, where a unit
	 * has hundreds. */
	struct upci_sources sources;
	struct upci_readings reading[UPCI_SOURCE_ROWS];
	uint8_t reader[UPCI_SOURCE_ROWS], readers;  /* the rows with bound counters */
	const struct upci_registers_ops *registers; /* who has them */
	unsigned actives;                           /* bound counters */
	unsigned entries, deriveds;
	bool forked;      /* descriptors are to be opened anew             */
	bool started;     /* since the descriptors were opened             */
	bool partial;     /* the last update found a hardware event that did not always count */
	bool strays;      /* a live counter that nothing is bound to has been written  */
	bool stale;       /* regs is an old copy of registers elsewhere     */
	bool doubtful;    /* there is any that is suspect or damaged        */
	bool has_periods; /* or had: else all thresholds are 0           */
	struct upci_context context;
	struct upci_shared shared; /* shown while it has a page */

	struct upci_binding binding[UPC_COUNTERS];
	uint16_t active[UPC_COUNTERS]; /* bound counters, ascending */
	struct upci_entry *entry;
	/* For reads, close together: the first counter of each entry, and which
	 * entries are derived. */
	uint16_t first[UPC_EVENTS_MAX];
	uint16_t derived[UPC_EVENTS_MAX];
	uint16_t index[UPCI_INDEX_SIZE];

	/* For live events only period is used: the kernel counts up to it. All 0 until has_periods. */
	struct upci_thresholds thresholds;
	void (*interrupt)(struct upc_unit *unit, const struct upc_interrupt *interrupt, void *arg);
	void *interrupt_arg;
	int signal; /* of live thresholds, 0: none */

	/* For handlers: the event of each handle with a live threshold. */
	struct upci_armed {
		int handle;     /* -1: free */
		uint8_t source; /* its row  */
		uint32_t code;
	} armed[UPCI_SAMPLERS_MAX];

	/* The owner of registers elsewhere. */
	union {
		struct upci_replay *script;
		struct upci_sim *node;
	} keeper;
	bool suspect[UPC_COUNTERS]; /* of the copy: a read will find damage */
	bool damaged[UPC_COUNTERS]; /* was found, and the user has not written the counter since */

	/* How long counters were to count, and did: unit_time.c. */
	struct upci_source_time time[UPC_COUNTERS];
	struct {
		uint64_t ran, step; /* ns that it ran; the last of them */
		uint64_t at;        /* CLOCK_MONOTONIC of ran, 0: stands */
	} clock;
	unsigned goers; /* bound counters whose sources go on by themselves */
	bool kept;      /* time[] has anything of closed sources  */

	struct upc_catalogue *catalogue;
	struct upc_transaction *transaction; /* the open one, or NULL */
	struct upci_fork_entry fork;
};

/* Whether the unit itself takes in the counts of counter i. Else the owner of the registers counts. */
static inline bool upci_unit_takes_in(const struct upc_unit *unit, unsigned i)
{
	return unit->binding[i].references && unit->binding[i].source < UPCI_SOURCE_ROWS;
}

/* Makes the reading buffers large enough for the handles that sources have. */
int upci_unit_grow_buffers(struct upc_unit *unit, const struct upci_sources *sources);

/* After a change of bindings: the list of active counters, and the index. */
void upci_unit_reindex(struct upc_unit *unit);

/* Position of an added event, or -1. */
int upci_unit_entry(const struct upc_unit *unit, uint32_t code);

/* When sources are opened that can wait for the start. */
enum upci_when { UPCI_OPEN_LATER, UPCI_OPEN_NOW };

/* Opens every event anew with sources of the context, or leaves all as it was. */
int upci_unit_replace_sources(struct upc_unit *unit, const struct upci_context *context, enum upci_when when);
/* The same after a fork, for the child's context. */
int upci_unit_reopen(struct upc_unit *unit);
/* All that a start needs, and none of what a start does. */
int upci_unit_open_now(struct upc_unit *unit);

static inline struct upc_unit *upci_unit_of(struct upci_fork_entry *entry)
{
	return (struct upc_unit *)((char *)entry - offsetof(struct upc_unit, fork));
}

void upci_transaction_free(struct upc_transaction *transaction);

/* Shows the counts to monitors; with configuration also what may have changed of it. */
void upci_unit_show(struct upc_unit *unit, bool configuration);
/* The same, of what was read last: registers elsewhere are not asked again. */
void upci_unit_show_copy(struct upc_unit *unit);

#endif
