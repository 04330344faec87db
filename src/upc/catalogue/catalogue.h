/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * catalogue.h - the list of events, and what its builders use to fill it.
 *
 * Codes are positions in an array that only grows; entries never move, so a
 * pointer to one stays good without a lock. The mutex guards growth and the
 * name table, is a leaf lock, and no signal handler takes it.
 */
#ifndef UPCI_CATALOGUE_H
#define UPCI_CATALOGUE_H

#include "base/event.h"

struct upci_script;
struct upci_doorbell_hello;

/* An empty catalogue, whose events the script or the node drives, or this machine where both are
 * NULL; returns NULL without memory. The script stays the caller's, and outlives the catalogue. */
struct upc_catalogue *upci_catalogue_create(struct upci_script *script,
					    const struct upci_doorbell_hello *node);
void upci_catalogue_free(struct upc_catalogue *c);
/* 64 hex digits, which upc_catalogue_wiring_hash returns. */
void upci_catalogue_set_wiring_hash(struct upc_catalogue *c, const char hash[65]);

/* Reading that is put off: on_demand.h. */
struct upci_on_demand {
	int (*build)(struct upc_catalogue *c); /* NULL: nothing (any more) */
	/* Found by themselves. */
	unsigned alone, tracepoints;
};
struct upci_on_demand *upci_catalogue_on_demand(struct upc_catalogue *c);

/* A mark is the catalogue's size. Truncating removes later events, and keeps their memory. One thread
 * at a time adds. */
struct upci_catalogue_mark {
	uint32_t size;
	unsigned missing;
};
struct upci_catalogue_mark upci_catalogue_mark(struct upc_catalogue *c);
void upci_catalogue_truncate(struct upc_catalogue *c, struct upci_catalogue_mark mark);

/* How many events have a code so far, and what is missing; nothing is read for it. */
uint32_t upci_catalogue_size(struct upc_catalogue *c);
const char *upci_catalogue_missing(struct upc_catalogue *c, unsigned i);

/* The event with a code, or NULL. */
const struct upci_event *upci_catalogue_event(struct upc_catalogue *c, uint32_t code);

/*
 * Adds an event, or replaces the event of that name (its code stays). The
 * structure is copied; its strings are not: they are string literals or come
 * from the two calls below. driver.formula likewise comes from
 * upci_catalogue_alloc. Returns the code, or a negative error.
 */
int64_t upci_catalogue_put(struct upc_catalogue *c, const struct upci_event *event);

/* The same without the code: 0, or a negative error. */
static inline int upci_catalogue_add(struct upc_catalogue *c, const struct upci_event *event)
{
	int64_t code = upci_catalogue_put(c, event);

	return code < 0 ? (int)code : 0;
}

/* Memory that lives as long as the catalogue; NULL when there is none. */
void *upci_catalogue_alloc(struct upc_catalogue *c, size_t size);
const char *upci_catalogue_printf(struct upc_catalogue *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The script that drives all units, or NULL: this machine does. */
struct upci_script *upci_catalogue_script(struct upc_catalogue *c);
/* The simulated node that this program runs on, and which drives all units, or NULL. */
const struct upci_doorbell_hello *upci_catalogue_node(struct upc_catalogue *c);

/*
 * The event as it is counted in a signal mode: one with a name and code of its own,
 * NAME:mode=MODE, where modes are a matter of the event (Blue Gene/P names), else the
 * event itself. Its code, or a negative error with message (UPC_ENOSUPP: a mode that
 * the source cannot give). cat_mode.c
 */
int64_t upci_catalogue_in_mode(struct upc_catalogue *c, uint32_t code, enum upc_mode mode);
/* The mode of an event, and bit 1 << mode for each that its name can be given. */
enum upc_mode upci_event_mode(const struct upci_event *event);
unsigned upci_event_modes(const struct upci_event *event);
#define UPCI_MODE_KEY ":mode="
extern const char *const upci_mode_names[4]; /* by enum upc_mode */

/* Adds to the list behind upc_catalogue_missing. */
int upci_catalogue_add_missing(struct upc_catalogue *c, const char *sentence);

/* Exact name only, no message: the code, or UPC_ENOEVENT. Folded: or else the one that differs
 * in case only. */
int64_t upci_catalogue_lookup(struct upc_catalogue *c, const char *name);
int64_t upci_catalogue_lookup_folded(struct upc_catalogue *c, const char *name);

/* upc_catalogue_nearest for a name, where any includes events that nothing drives, and for a
 * pattern. */
int upci_catalogue_nearest(struct upc_catalogue *c, const char *name, const char **names, int max, bool any);
int upci_catalogue_nearest_patterns(struct upc_catalogue *c, const char *pattern, const char **patterns,
				    int max);

/* Makes an event name of any text, in place: a character that is not
 * [A-Za-z0-9_.:+-] becomes '_'. */
void upci_name_sanitize(char *name);

/* Builders, in the order in which upc_catalogue_open calls them; each returns
 * 0 or a negative error, and adds nothing that cannot be opened here. */
int upci_catalogue_add_bgp(struct upc_catalogue *c);    /* cat_bgp.c   */
int upci_catalogue_add_replay(struct upc_catalogue *c); /* cat_mode.c */
int upci_catalogue_add_sim(struct upc_catalogue *c);    /* cat_sim.c   */
#define BUILDER(function) int function(struct upc_catalogue *c);
#include "base/sources.def"

/* Description composed on demand for events that have none stored. Writes at
 * most size bytes. */
void upci_tracepoint_describe(const struct upci_event *event, char *text, size_t size);

#endif
