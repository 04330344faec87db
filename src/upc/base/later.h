/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * later.h - lines of text that any code stores, even a signal handler, and that ordinary code reports later.
 * libupc and the PAPI component share this file.
 *
 * A slot is FREE, being FILLED, WAITS to be reported, or TAKEN. Each step away from FREE and WAITS is one
 * compare-and-swap. No lock exists that a handler could find taken, and code that is interrupted keeps its
 * slot.
 */
#ifndef UPCI_LATER_H
#define UPCI_LATER_H

#include <stddef.h>

#define UPCI_LATER_LINES 8  /* a line that comes while this number waits is lost */
#define UPCI_LATER_LINE 800 /* holds a last message of libupc and the name of its caller */

enum upci_later_state { UPCI_LATER_FREE, UPCI_LATER_FILLED, UPCI_LATER_WAITS, UPCI_LATER_TAKEN };

/* All zero: no lines. */
struct upci_later {
	struct upci_later_line {
		int state; /* atomic: only the functions below access it */
		char text[UPCI_LATER_LINE];
	} line[UPCI_LATER_LINES];
};

static inline struct upci_later_line *upci_later_claim(struct upci_later *later, int from, int to)
{
	int i;

	for (i = 0; i < UPCI_LATER_LINES; i++) {
		int state = from;

		if (__atomic_compare_exchange_n(&later->line[i].state, &state, to, 0, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &later->line[i];
	}
	return NULL;
}

static inline void upci_later_pass(struct upci_later_line *line, enum upci_later_state state)
{
	__atomic_store_n(&line->state, (int)state, __ATOMIC_RELEASE);
}

/* Return a free slot to fill, then pass it to upci_later_put; NULL if no slot is free. */
static inline struct upci_later_line *upci_later_begin(struct upci_later *later)
{
	return upci_later_claim(later, UPCI_LATER_FREE, UPCI_LATER_FILLED);
}

static inline void upci_later_put(struct upci_later_line *line)
{
	upci_later_pass(line, UPCI_LATER_WAITS);
}

/* Return a waiting line, to be passed to upci_later_free after use; NULL if none waits. */
static inline struct upci_later_line *upci_later_take(struct upci_later *later)
{
	return upci_later_claim(later, UPCI_LATER_WAITS, UPCI_LATER_TAKEN);
}

static inline void upci_later_free(struct upci_later_line *line)
{
	upci_later_pass(line, UPCI_LATER_FREE);
}

#endif
