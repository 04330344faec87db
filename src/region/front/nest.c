/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nest.c - all regions that each thread has pushed, in one array of fixed size, since a signal handler may
 * push and cannot allocate.
 * Terms: region/front/front.h.
 */
#include "region/front/nest.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "region/region.h"

enum { DEEPEST = 400 };

static _Thread_local struct {
	uint32_t name;
	uint16_t kind, level;
} pushed[DEEPEST];
static _Thread_local unsigned depth;
/* Pushes of kind too_deep_kind that found no room. Pushes of other kinds without room are not recorded. */
static _Thread_local unsigned too_deep, too_deep_kind;

/* Return 1 + the index of the innermost region of this kind; 0 if there is none. */
static unsigned innermost_of_kind(unsigned kind)
{
	unsigned at = depth;

	while (at && pushed[at - 1].kind != kind)
		at--;
	return at;
}

int upcr_push(unsigned kind, unsigned name)
{
	unsigned at = innermost_of_kind(kind), level = at ? pushed[at - 1].level + 1u : 0;

	if (depth == DEEPEST || (too_deep && too_deep_kind == kind)) {
		if (!too_deep) {
			too_deep_kind = kind;
			upcr_say("more than %d regions are pushed at once in a thread: "
				 "the inner ones are left out",
				 DEEPEST);
		}
		return (int)(level + (too_deep_kind == kind ? too_deep++ : 0));
	}
	/* A signal handler that interrupts the thread here pushes its region behind this one, and pops it
	 * before it returns. */
	at = depth++;
	atomic_signal_fence(memory_order_seq_cst);
	pushed[at].kind = (uint16_t)kind;
	pushed[at].level = (uint16_t)level;
	pushed[at].name = name;
	upcr_enter(name);
	return (int)level;
}

int upcr_pop(unsigned kind)
{
	unsigned at = innermost_of_kind(kind), level = at ? pushed[at - 1].level : 0;

	if (too_deep && too_deep_kind == kind)
		return (int)((at ? level + 1 : 0) + --too_deep);
	if (!at)
		return -1;
	(void)upcr_exit(pushed[at - 1].name);
	memmove(&pushed[at - 1], &pushed[at], (depth - at) * sizeof(pushed[0]));
	depth--;
	return (int)level;
}
