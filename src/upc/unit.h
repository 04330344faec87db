/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.h - a unit: its registers, what is bound to its counters, and the
 * sources that drive them.
 */
#ifndef UPCI_UNIT_H
#define UPCI_UNIT_H

#include "catalogue.h"
#include "context.h"
#include "exact.h"
#include "files.h"
#include "perf.h"
#include "process.h"
#include "regs.h"
#include "shared.h"
#include "threshold.h"

/* An event bound to a counter. */
struct upci_binding {
	const struct upci_event *event;
	uint32_t code;
	uint16_t references; /* entries that read it, 0: free            */
	uint16_t flags;	     /* UPC_COUNTER_HALTED, LOST, PARTIAL, NEVER */
	int handle;	     /* in sources.perf or sources.files; a clock's id */
	uint8_t source;	     /* of the event: reads stay off its cache line */
	bool unscaled_count; /* a count whose readings are taken as they are */
	bool is_level;	     /* of the event's kind, likewise */
	bool silent;	     /* PARTIAL means its overflow signals alone     */
	uint64_t last;	     /* the source's reading that the register has taken in */
};

/* Whether the kernel counts it, and can be told to stop. */
static inline bool upci_is_perf(const struct upci_binding *b)
{
	return b->source == UPC_SOURCE_PERF || b->source == UPC_SOURCE_TRACEPOINT;
}

/* An event that was added: plain, or derived from several counters. */
struct upci_entry {
	uint32_t code;
	unsigned references;		    /* adds less removes             */
	int wish;			    /* of a plan: reassigned counter */
	const struct upci_formula *formula; /* NULL: plain                    */
	uint16_t first;			    /* plain: its counter             */
	uint16_t *counter;		    /* one, or one a term             */
};

/* The sources' descriptors of one context. */
struct upci_sources {
	struct upci_perf *perf;
	struct upci_files *files;
};

/* Twice the most entries, a power of two: code to entry + 1. */
#define UPCI_INDEX_SIZE 2048u

struct upc_unit {
	struct upci_regs regs;

	/* What every start, stop and read of a live unit looks at is close together, from the
	 * end of the registers to the beginning of what is shown: three lines of the cache, where
	 * a unit has hundreds. */
	struct upci_sources sources;
	/* Behind a script, or in a simulation: there are the registers, and regs is a copy but
	 * for counters of clocks and files. */
	struct upci_exact *exact; /* NULL: live */
	/* Readings, with room for the sources' handles. */
	uint64_t *perf_value, *file_value;
	uint8_t *perf_state;
	bool *file_lost;
	unsigned actives;     /* bound counters */
	unsigned file_fields; /* how many of them are fields of files */
	unsigned perf_events;
	unsigned entries, deriveds;
	bool forked;   /* descriptors are to be opened anew             */
	bool started;  /* since the descriptors were opened             */
	bool partial;  /* the last update found a hardware event that did not always count */
	bool strays;   /* a live counter that nothing is bound to has been written  */
	bool stale;    /* the copy of an exact source's registers is old */
	bool doubtful; /* there is any that is suspect or damaged        */
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

	/* Of live events period alone: the kernel counts up to it. While has_periods. */
	struct upci_thresholds thresholds;
	void (*interrupt)(struct upc_unit *unit, const struct upc_interrupt *interrupt, void *arg);
	void *interrupt_arg;
	int signal; /* of live thresholds, 0: none */

	/* Of live thresholds, for handlers: which event a handle is for. */
	struct upci_armed {
		int handle; /* -1: free */
		uint32_t code;
	} armed[UPCI_SAMPLERS_MAX];

	/* Of an exact source's registers. */
	bool suspect[UPC_COUNTERS]; /* of the copy: a read will find damage */
	bool damaged[UPC_COUNTERS]; /* was found, and nobody has written the counter since */

	struct upc_catalogue *catalogue;
	struct upc_transaction *transaction; /* the open one, or NULL */
	struct upci_fork_entry fork;
	size_t perf_room, file_room; /* of readings */
};

/* Opens and closes the sources of a context. */
int upci_sources_create(struct upci_sources *sources, const struct upci_context *context);
void upci_sources_destroy(struct upci_sources *sources);

/* Opens one event; sets the binding's handle. Errors with message. */
int upci_source_open(struct upci_sources *sources, const struct upci_context *context,
		     const struct upci_event *event, struct upci_binding *binding);
void upci_source_close(struct upci_sources *sources, const struct upci_binding *binding);

/* Makes the reading buffers large enough for the handles that sources have. */
int upci_unit_grow_buffers(struct upc_unit *unit, const struct upci_sources *sources);

/* After a change of bindings: the list of active counters, and the index. */
void upci_unit_reindex(struct upc_unit *unit);

/* Position of an added event, or -1. */
int upci_unit_entry(const struct upc_unit *unit, uint32_t code);

/* Takes what the sources have counted since into the registers. With base, only
 * remembers the readings of the sources that cannot be stopped. */
int upci_unit_update(struct upc_unit *unit);
int upci_unit_base(struct upc_unit *unit);

/* The same of perf alone, for a unit that is stopped: clocks and files go on by themselves.
 * False where not all counts are whole. */
bool upci_unit_take_perf(struct upc_unit *unit);

/* What perf has counted since the last update counts for nothing. */
int upci_unit_pass_over(struct upc_unit *unit);

/* UPC_EPARTIAL with message where a hardware event did not always count. */
int upci_unit_check_counted(const struct upc_unit *unit);

/* Update where anything can have changed. What never counted is no count also when the
 * unit has stopped. */
static inline int upci_unit_current(struct upc_unit *unit)
{
	if (unit->regs.run || unit->exact)
		return upci_unit_update(unit);
	return unit->partial ? upci_unit_check_counted(unit) : 0;
}

/* Errors of a read that leave the registers good. */
static inline bool upci_unit_usable(int error)
{
	return error == 0 || error == UPC_ELOST || error == UPC_EPARTIAL;
}

/* An event's count: what its counter holds, less what a threshold put there. */
static inline uint64_t upci_unit_count(const struct upc_unit *unit, unsigned i)
{
	return unit->regs.counter[i] - unit->thresholds.offset[i];
}

/* After a fork: opens every event anew for the child's context. */
int upci_unit_reopen(struct upc_unit *unit);

static inline struct upc_unit *upci_unit_of(struct upci_fork_entry *entry)
{
	return (struct upc_unit *)((char *)entry - offsetof(struct upc_unit, fork));
}

void upci_transaction_free(struct upc_transaction *transaction);

/* UPC_ENOSUPP with message where a level is bound: it cannot be preset (counter.c). */
int upci_counter_check_no_level(const struct upci_binding *binding);

/* ---- software's writes (unit_exact.c) ------------------------------------ */

/* Counter i is counted here: the unit is live, or it has a clock or a file. */
static inline bool upci_unit_is_local(const struct upc_unit *unit, unsigned i)
{
	const struct upci_binding *b = &unit->binding[i];

	return !unit->exact || (b->references && (b->source == UPC_SOURCE_FILE || b->source == UPC_SOURCE_CLOCK));
}

/* Who makes thresholds of events meet the threshold register: the unit itself. */
static inline bool upci_unit_preloads(const struct upc_unit *unit)
{
	return unit->exact && !upci_exact_keeps(unit->exact);
}

/* Raw registers, the source's as well. The unit has caught up. */
void upci_unit_write_counter(struct upc_unit *unit, unsigned i, uint64_t value);
void upci_unit_write_field(struct upc_unit *unit, unsigned i, uint8_t field);
void upci_unit_write_threshold(struct upc_unit *unit, uint64_t value);
/* Nothing but a start of the simulator's unit can fail; then it does not run. */
int upci_unit_write_run(struct upc_unit *unit, bool run);

/* UPC_ESTATE where an interrupt of the unit is being told: then what must not be done. */
int upci_unit_check_idle(const struct upc_unit *unit, const char *what);

/* With an exact source; on a live unit nothing. The first takes the unit to its thread's
 * moment, the second also makes the copy of the registers new, without what reading registers
 * does. */
int upci_unit_exact_create(struct upc_unit *unit);
void upci_unit_catch_up(struct upc_unit *unit);
void upci_unit_refresh(struct upc_unit *unit);
/* The copy alone, of the moment to which the unit was taken last. */
void upci_unit_copy(struct upc_unit *unit);
/* All counts to 0 in one moment, and damage mended, where the source can do it; else
 * nothing. */
void upci_unit_clear_all(struct upc_unit *unit);
/* Of a source that keeps presets: a counter gets another event, or the same with its count
 * and threshold from another counter; a counter has none any more. */
void upci_unit_exact_bind(struct upc_unit *unit, unsigned i);
void upci_unit_exact_move(struct upc_unit *unit, unsigned i, uint8_t field, uint64_t count);
void upci_unit_exact_vacate(struct upc_unit *unit, unsigned i);
/* A register as the source has it, with what reading it does. */
int upci_unit_exact_register(struct upc_unit *unit, unsigned offset, uint64_t *value);
/* Reads that software asks for check the parity of what they read: 0, or UPC_EPARITY
 * with message. Of one counter, one entry, or all counters. */
int upci_unit_check_counter(struct upc_unit *unit, unsigned i);
int upci_unit_check_entry(struct upc_unit *unit, const struct upci_entry *entry);
int upci_unit_check_all(struct upc_unit *unit);
/* Before the library writes a counter for reasons of its own, which mends its parity:
 * damage that nobody has found yet is found. */
void upci_unit_find_damage(struct upc_unit *unit, unsigned i);
/* The user has written a counter, or bound another event to it. */
void upci_unit_repaired(struct upc_unit *unit, unsigned i);

/* ---- thresholds (unit_threshold.c) ---------------------------------------- */

/* Sets an event's count; its threshold goes on from there. Live: while the counted
 * thread runs, only on that thread (upci_unit_check_preset). */
int upci_unit_preset(struct upc_unit *unit, unsigned i, uint64_t count);
int upci_unit_check_preset(const struct upc_unit *unit);
/* Where the unit preloads: writes a counter for its threshold, its count as it is. */
void upci_unit_preload(struct upc_unit *unit, unsigned i);
/* After a change of bindings or handles: whom signals are for. */
void upci_unit_rearm(struct upc_unit *unit);
/* After the threshold register was written. */
void upci_unit_preload_all(struct upc_unit *unit);
/* Asks a context's new sources for the thresholds that its events have; handles[a] is
 * that of active[a]. */
int upci_unit_reopen_thresholds(struct upc_unit *unit, struct upci_sources *sources,
				const struct upci_context *context, const int *handles);

/* ---- shared units (unit_share.c) ------------------------------------------ */

/* Shows the counts to monitors; with configuration also what may have changed of it. */
void upci_unit_show(struct upc_unit *unit, bool configuration);
/* The same, of what was read last: an exact source is not asked again. */
void upci_unit_show_copy(struct upc_unit *unit);

#endif
