/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * catalogue.h - the list of events, and the functions with which its builders fill it.
 *
 * Terms:
 *   builder         a function that adds the events of one kind to a catalogue (sources.def, and below)
 *   missing         of events: the catalogue lacks them; a sentence for the user says which and why
 *   to drive        to be the source of an event's counts
 *   generic event   an event of perf's own list, such as cycles or page-faults (libpfm4's PMU "perf")
 *   spelling        a name of perf or PAPI for an event of the catalogue
 *   folded          of a name: in lower case, so that names compare without case
 *   alone           of a name: found and added without reading all names (on_demand.h)
 *   mode            one of the signal modes of engine.h, written NAME:mode=MODE
 *   upc_run         the program that runs other programs on the simulated node (node/sim.h)
 *
 * More terms: base/event.h, node/sim.h, replay/replay.h.
 *
 * Codes are positions in an array that only grows. Events never move, so a pointer to an event stays valid
 * without a lock. The process lock guards growth and the name table. It is a leaf lock, and no signal handler
 * takes it.
 */
#ifndef UPCI_CATALOGUE_H
#define UPCI_CATALOGUE_H

#include "base/event.h"

struct upci_script;
struct upci_doorbell_hello;

/* Create an empty catalogue. The script or the simulated node drives its events; if both are NULL, this
 * machine does. Return NULL if there is no memory. The script stays the caller's and must outlive the
 * catalogue. */
struct upc_catalogue *upci_catalogue_create(struct upci_script *script,
					    const struct upci_doorbell_hello *node);
void upci_catalogue_free(struct upc_catalogue *c);
/* Set the 64 hex digits that upc_catalogue_wiring_hash returns. */
void upci_catalogue_set_wiring_hash(struct upc_catalogue *c, const char hash[65]);

/* State of a catalogue whose names are read on demand: see on_demand.h. */
struct upci_on_demand {
	int (*build)(struct upc_catalogue *c); /* NULL: all names are read */
	/* Numbers of names that were added alone, and of tracepoints among them. */
	unsigned alone, tracepoints;
};
struct upci_on_demand *upci_catalogue_on_demand(struct upc_catalogue *c);

/* A mark records the catalogue's size. upci_catalogue_truncate removes later events and keeps their memory.
 * Only one thread may add at a time. */
struct upci_catalogue_mark {
	uint32_t size;
	unsigned missing;
};
struct upci_catalogue_mark upci_catalogue_mark(struct upc_catalogue *c);
void upci_catalogue_truncate(struct upc_catalogue *c, struct upci_catalogue_mark mark);

/* Return the number of events that have a code so far, or the i-th sentence about missing events. If the
 * reading of names was postponed, it stays postponed. */
uint32_t upci_catalogue_size(struct upc_catalogue *c);
const char *upci_catalogue_missing(struct upc_catalogue *c, unsigned i);

/* Return the event with a code, or NULL. */
const struct upci_event *upci_catalogue_event(struct upc_catalogue *c, uint32_t code);

/*
 * Add an event, or replace the event of that name, whose code stays. The structure is copied, but its strings
 * are not: they must be literals or come from the two functions below. driver.formula likewise must come from
 * upci_catalogue_alloc. Return the code, or a negative error.
 */
int64_t upci_catalogue_put(struct upc_catalogue *c, const struct upci_event *event);

/* Do the same, but return 0 instead of the code, or a negative error. */
static inline int upci_catalogue_add(struct upc_catalogue *c, const struct upci_event *event)
{
	int64_t code = upci_catalogue_put(c, event);

	return code < 0 ? (int)code : 0;
}

/* Allocate memory that lives as long as the catalogue; NULL if there is none. */
void *upci_catalogue_alloc(struct upc_catalogue *c, size_t size);
const char *upci_catalogue_printf(struct upc_catalogue *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the script that drives all units, or NULL. */
struct upci_script *upci_catalogue_script(struct upc_catalogue *c);
/* Return the simulated node on which this program runs and which drives all units, or NULL. */
const struct upci_doorbell_hello *upci_catalogue_node(struct upc_catalogue *c);

/*
 * Find the event in a signal mode. Events that have modes (Blue Gene/P names) have a separate name and code
 * for each, NAME:mode=MODE. Other events stand for themselves. Return the code, or a negative error with
 * message (UPC_ENOSUPP: the source does not have the mode). Defined in cat_mode.c.
 */
int64_t upci_catalogue_in_mode(struct upc_catalogue *c, uint32_t code, enum upc_mode mode);
/* Return the mode of an event; and a set of bits 1 << mode, for each mode that its name can have. */
enum upc_mode upci_event_mode(const struct upci_event *event);
unsigned upci_event_modes(const struct upci_event *event);
#define UPCI_MODE_KEY ":mode="
extern const char *const upci_mode_names[4]; /* indexed by enum upc_mode */

/* Add a sentence to the list that upc_catalogue_missing returns. */
int upci_catalogue_add_missing(struct upc_catalogue *c, const char *sentence);

/* Find a name that matches exactly. Return the code, or UPC_ENOEVENT without message. The folded version also
 * finds a name that differs only in case. */
int64_t upci_catalogue_lookup(struct upc_catalogue *c, const char *name);
int64_t upci_catalogue_lookup_folded(struct upc_catalogue *c, const char *name);

/* Do the parts of upc_catalogue_nearest for a name and for a pattern. If any is true, include events without
 * a source. */
int upci_catalogue_nearest(struct upc_catalogue *c, const char *name, const char **names, int max, bool any);
int upci_catalogue_nearest_patterns(struct upc_catalogue *c, const char *pattern, const char **patterns,
				    int max);

/* Turn any text into an event name, in place: characters other than [A-Za-z0-9_.:+-] become '_'. */
void upci_name_sanitize(char *name);

/* Builders, in the order in which upc_catalogue_open calls them. Each returns 0 or a negative error, and adds
 * nothing that cannot be opened here. */
int upci_catalogue_add_bgp(struct upc_catalogue *c);    /* cat_bgp.c */
int upci_catalogue_add_replay(struct upc_catalogue *c); /* cat_mode.c */
int upci_catalogue_add_sim(struct upc_catalogue *c);    /* cat_sim.c */
#define BUILDER(function) int function(struct upc_catalogue *c);
#include "base/sources.def"

/* Compose the description of an event that has none stored. Writes at most size bytes. */
void upci_tracepoint_describe(const struct upci_event *event, char *text, size_t size);

#endif
