/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spelling.h - perf's and PAPI's names of events, and what the catalogue has for them.
 */
#ifndef UPCI_SPELLING_H
#define UPCI_SPELLING_H

#include <stdint.h>

struct upc_catalogue;
struct upci_event;

/* A row of spellings.def. */
struct upci_spelling {
	const char *name, *event;
	const char *other;   /* or NULL */
	const char *counted; /* or NULL */
	const char *model;   /* or NULL */
};

/* The row of a name, behind which perf's modifiers (":u") may stand; NULL: no row has it. */
const struct upci_spelling *upci_spelling_find(const char *name);

/*
 * The code of an event by one of these names: that of a row, with perf's modifiers; a tracepoint,
 * "SYSTEM:EVENT"; an event of a PMU, "PMU/EVENT/". Errors with message: UPC_ENOEVENT (nothing counts it
 * here; why, and what does), UPC_ENOSUPP (a modifier), UPC_EPERM, UPC_ENOMEM, UPC_EMFILE. Without message
 * UPCI_NOT_SPELLED: the name has none of these forms.
 */
#define UPCI_NOT_SPELLED INT64_MIN
int64_t upci_spelling_resolve(struct upc_catalogue *c, const char *name);

/* Says why nothing counts an event of a row, such as "perf::CYCLES", and what does: UPC_ENOEVENT; or error as
 * it is, where no row has the event. */
int64_t upci_spelling_explain(struct upc_catalogue *c, const char *event, int64_t error);

/* The names of rows by which a driven event is found, with ", " between; "" where there is none; NULL without
 * memory. */
const char *upci_spelling_list(struct upc_catalogue *c, const struct upci_event *event);

#endif
