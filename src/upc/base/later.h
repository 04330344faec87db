/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * later.h - lines that are told later: put down by anybody, in a signal handler as well,
 * and taken by ordinary code. Shared by libupc and the component of PAPI.
 *
 * A slot is FREE, or in the hands of who FILLS or TAKES it, or WAITS. Each step away from
 * FREE and WAITS is one compare-and-swap: there is no lock that a handler could find taken,
 * and who is interrupted keeps his slot.
 */
#ifndef UPCI_LATER_H
#define UPCI_LATER_H

#include <stddef.h>

#define UPCI_LATER_LINES 8  /* what comes while so many wait is lost */
#define UPCI_LATER_LINE 800 /* a last message of libupc, and who says it */

enum upci_later_state { UPCI_LATER_FREE, UPCI_LATER_FILLED, UPCI_LATER_WAITS, UPCI_LATER_TAKEN };

/* All zero is one without lines. */
struct upci_later {
	struct upci_later_line {
		int state; /* partners: only the functions below */
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

/* A line to be written, or NULL; then it waits. */
static inline struct upci_later_line *upci_later_begin(struct upci_later *later)
{
	return upci_later_claim(later, UPCI_LATER_FREE, UPCI_LATER_FILLED);
}

static inline void upci_later_put(struct upci_later_line *line)
{
	upci_later_pass(line, UPCI_LATER_WAITS);
}

/* One that waits, or NULL; it is to be freed. */
static inline struct upci_later_line *upci_later_take(struct upci_later *later)
{
	return upci_later_claim(later, UPCI_LATER_WAITS, UPCI_LATER_TAKEN);
}

static inline void upci_later_free(struct upci_later_line *line)
{
	upci_later_pass(line, UPCI_LATER_FREE);
}

#endif /* UPCI_LATER_H */
