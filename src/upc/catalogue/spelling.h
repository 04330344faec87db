/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spelling.h - finds events of the catalogue by the names that perf and PAPI have for them.
 * Terms: catalogue/catalogue.h.
 */
#ifndef UPCI_SPELLING_H
#define UPCI_SPELLING_H

#include <stdint.h>

struct upc_catalogue;
struct upci_event;

/* A row of spellings.def, which explains the members. */
struct upci_spelling {
	const char *name, *event;
	const char *other;   /* used if event has no source, or NULL */
	const char *counted; /* upc_run's name of the event, or NULL */
	const char *model;   /* model that upc_run would need to count it, or NULL */
};

/* Return the row of a name, which perf's modifiers (":u") may follow, or NULL if no row has the name. */
const struct upci_spelling *upci_spelling_find(const char *name);

/*
 * Return the code of an event by one of these names: the name of a row, with perf's modifiers; a tracepoint,
 * "SYSTEM:EVENT"; an event of a PMU, "PMU/EVENT/". Errors with message: UPC_ENOEVENT (no source counts it
 * here; the message says why and what does), UPC_ENOSUPP (a modifier), UPC_EPERM, UPC_ENOMEM, UPC_EMFILE.
 * Return UPCI_NOT_SPELLED without message if the name has none of these forms.
 */
#define UPCI_NOT_SPELLED INT64_MIN
int64_t upci_spelling_resolve(struct upc_catalogue *c, const char *name);

/* Explain why no source counts an event of a row, such as "perf::CYCLES", and what does: return UPC_ENOEVENT
 * with message. If no row has the event, return error. */
int64_t upci_spelling_explain(struct upc_catalogue *c, const char *event, int64_t error);

/* Return the names of rows by which a driven event is found, separated by ", "; "" if there is none; NULL if
 * there is no memory. */
const char *upci_spelling_list(struct upc_catalogue *c, const struct upci_event *event);

#endif
