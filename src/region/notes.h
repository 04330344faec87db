/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notes.h - errors and oddities: their kind, how often they occurred, and in which region. Pure.
 * Terms: region/region.h.
 */
#ifndef UPCR_NOTES_H
#define UPCR_NOTES_H

#include <stdint.h>

enum upcr_what {
	UPCR_SAID_NOT_OPEN,
	UPCR_SAID_ELSEWHERE,
	UPCR_SAID_LEFT_INSIDE,
	UPCR_SAID_OPEN_AT_END,
	UPCR_SAID_REFUSED, /* event refused; name is its index */
	UPCR_SAID_BROKEN,  /* counting ended early */
	UPCR_SAID_NO_SET,  /* nothing is counted in the thread */
	UPCR_SAID_BUSY,    /* the thread's state could not be read */
	UPCR_SAID_RESET,
	UPCR_SAID_MISSED,
	UPCR_SAID_BEYOND,
	UPCR_SAID_IS_OPEN,
	UPCR_SAID_RANGE,
	UPCR_SAID_NO_ROOM,
	UPCR_SAID_OUTLIVED,
	UPCR_SAID_HANDED_ON,
	UPCR_SAID_SMALL_STACK,
	UPCR_SAID_WITHOUT,
	UPCR_SAID_SHARES,
	UPCR_SAID_KINDS
};

struct upcr_said {
	enum upcr_what what;
	unsigned name; /* UPCR_OTHERS: no name */
	uint64_t times;
};

/* As many as there can be events (UPCR_EVENTS_MAX). */
enum { UPCR_SAID_MAX = 256 };

struct upcr_notes {
	unsigned n;
	struct upcr_said said[UPCR_SAID_MAX];
	uint64_t rest[UPCR_SAID_KINDS]; /* [kind]: number of occurrences whose name found no room in said */
};

void upcr_notes_add(struct upcr_notes *notes, enum upcr_what what, unsigned name, uint64_t times);
void upcr_notes_add_all(struct upcr_notes *notes, const struct upcr_notes *more);

/* Return the words for a kind of note. */
const char *upcr_notes_word(enum upcr_what what);

#endif
