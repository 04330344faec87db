/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.h - a unit: its registers, what is bound to its counters, and the
 * sources that drive them.
 */
#ifndef UPCI_UNIT_H
#define UPCI_UNIT_H

#include "catalogue.h"
#include "context.h"
#include "files.h"
#include "perf.h"
#include "process.h"
#include "regs.h"

/* An event bound to a counter. */
struct upci_binding {
	const struct upci_event *event;
	uint32_t code;
	uint16_t references; /* entries that read it, 0: free            */
	uint16_t flags;	     /* UPC_COUNTER_HALTED, LOST, PARTIAL, NEVER */
	int handle;	     /* in unit->perf or unit->files              */
	uint8_t source;	     /* of the event: reads stay off its cache line */
	bool unscaled_count; /* a count whose readings are taken as they are */
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
	struct upci_binding binding[UPC_COUNTERS];
	uint16_t active[UPC_COUNTERS]; /* bound counters, ascending */
	unsigned actives;
	unsigned file_fields; /* how many of them are fields of files */
	unsigned perf_events;
	struct upci_entry *entry;
	unsigned entries;
	uint16_t index[UPCI_INDEX_SIZE];

	struct upci_sources sources;
	struct upci_context context;
	struct upc_catalogue *catalogue;
	struct upc_transaction *transaction; /* the open one, or NULL */
	struct upci_fork_entry fork;
	bool forked;  /* descriptors are to be opened anew             */
	bool started; /* since the descriptors were opened             */

	/* Readings, with room for the sources' handles. */
	uint64_t *perf_value, *file_value;
	uint8_t *perf_state;
	bool *file_lost;
	size_t perf_room, file_room;
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

/* After a fork: opens every event anew for the child's context. */
int upci_unit_reopen(struct upc_unit *unit);

void upci_transaction_free(struct upc_transaction *transaction);

#endif
