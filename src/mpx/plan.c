/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.c - first fit over the counters, and shuffled rounds.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "plan.h"

/* A list that has refused so many events is taken as full: the answers of a backend
 * cost system calls, and a thousand events have hundreds of lists. */
#define REFUSALS_MAX 8
/* Lists that an event is tried in before it gets one of its own. */
#define TRIES_MAX 16

void mpxi_draft_clear(struct mpxi_draft *draft)
{
	free(draft->begin);
	free(draft->code);
	*draft = (struct mpxi_draft){0};
}

static int reserve(struct mpxi_draft *draft, unsigned lists, unsigned codes)
{
	void *more;

	if (draft->lists + lists + 1 > draft->room_lists) {
		unsigned room = 2 * (draft->lists + lists + 1);

		more = realloc(draft->begin, room * sizeof(draft->begin[0]));
		if (!more)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		draft->begin = more;
		draft->room_lists = room;
		draft->begin[draft->lists] = draft->codes;
	}
	if (draft->codes + codes > draft->room_codes) {
		unsigned room = 2 * (draft->codes + codes);

		more = realloc(draft->code, room * sizeof(draft->code[0]));
		if (!more)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		draft->code = more;
		draft->room_codes = room;
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int mpxi_draft_add(struct mpxi_draft *draft, struct mpxi_event *const *event, unsigned n,
		   bool active_only)
{
	unsigned i, begin = draft->codes;
	int error = reserve(draft, 1, n);

	if (error)
		return error;
	for (i = 0; i < n; i++)
		if (!active_only || event[i]->activations)
			draft->code[draft->codes++] = event[i]->code;
	if (draft->codes == begin)
		return 0;
	qsort(draft->code + begin, draft->codes - begin, sizeof(draft->code[0]), ascending);
	draft->begin[++draft->lists] = draft->codes;
	return 0;
}

/* Puts a code into list k, in its order. There is room. */
static void insert(struct mpxi_draft *draft, unsigned k, uint32_t code)
{
	unsigned at = draft->begin[k];

	while (at < draft->begin[k + 1] && draft->code[at] < code)
		at++;
	memmove(draft->code + at + 1, draft->code + at,
		(draft->codes - at) * sizeof(draft->code[0]));
	draft->code[at] = code;
	draft->codes++;
	while (++k <= draft->lists)
		draft->begin[k]++;
}

static void take_out(struct mpxi_draft *draft, unsigned k, uint32_t code)
{
	unsigned at = draft->begin[k];

	while (draft->code[at] != code)
		at++;
	draft->codes--;
	memmove(draft->code + at, draft->code + at + 1,
		(draft->codes - at) * sizeof(draft->code[0]));
	while (++k <= draft->lists)
		draft->begin[k]--;
}

/* Do the events of list k fit with one more? It is in the list then. */
static int try_list(struct mpxi_draft *draft, unsigned k, const struct mpxi_backend_ops *ops,
		    void *backend, uint32_t code)
{
	int fits;

	insert(draft, k, code);
	fits = ops->fits(backend, draft->code + draft->begin[k],
			 draft->begin[k + 1] - draft->begin[k]);
	if (fits <= 0)
		take_out(draft, k, code);
	return fits;
}

static int place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		 struct mpxi_event *event, unsigned char **refusals, unsigned *room)
{
	unsigned k, tries = 0;
	int fits, error;

	for (k = 0; k < draft->lists && tries < TRIES_MAX; k++) {
		if (k < *room && (*refusals)[k] >= REFUSALS_MAX)
			continue;
		tries++;
		fits = try_list(draft, k, ops, backend, event->code);
		if (fits)
			return fits < 0 ? fits : 0;
		if (k < *room)
			(*refusals)[k]++;
	}
	fits = ops->fits(backend, &event->code, 1);
	if (fits < 0)
		return fits;
	if (!fits)
		return mpxi_error(MPXI_ECNFLCT, "no counter can hold the event 0x%x now, not even alone",
				  event->code);
	error = mpxi_draft_add(draft, &event, 1, false);
	if (!error && draft->lists > *room) {
		unsigned more = 2 * draft->lists;
		unsigned char *grown = realloc(*refusals, more);

		if (!grown)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		memset(grown + *room, 0, more - *room);
		*refusals = grown;
		*room = more;
	}
	return error;
}

/* If the counters hold all of it, the draft becomes one list: 1; else 0. */
static int join_all(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		    struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_draft all = {0};
	int fits = reserve(&all, 1, draft->codes + n);
	unsigned i;

	if (fits)
		return fits;
	if (draft->codes)
		memcpy(all.code, draft->code, draft->codes * sizeof(all.code[0]));
	all.codes = draft->codes;
	for (i = 0; i < n; i++)
		all.code[all.codes++] = event[i]->code;
	qsort(all.code, all.codes, sizeof(all.code[0]), ascending);
	all.lists = 1;
	all.begin[1] = all.codes;
	fits = ops->fits(backend, all.code, all.codes);
	if (fits > 0) {
		mpxi_draft_clear(draft);
		*draft = all;
	} else {
		mpxi_draft_clear(&all);
	}
	return fits;
}

int mpxi_draft_place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		     struct mpxi_event *const *event, unsigned n)
{
	unsigned char *refusals;
	unsigned i, room = draft->lists + 1;
	int error;

	if (!n && draft->lists < 2)
		return 0;
	error = join_all(draft, ops, backend, event, n);
	if (error)
		return error < 0 ? error : 0;
	error = reserve(draft, n, n);
	if (error)
		return error;
	refusals = calloc(room, 1);
	if (!refusals)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
	for (i = 0; !error && i < n; i++)
		error = place(draft, ops, backend, event[i], &refusals, &room);
	free(refusals);
	return error;
}

/* xorshift64*: the order needs no better one, and a handler draws from it. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

void mpxi_order_set(struct mpxi_order *order, const unsigned *was, unsigned *slot, unsigned n)
{
	unsigned *place = slot, i, k, done = 0;

	/* Those that had their turn, in their order; then the others; then newcomers. */
	for (k = 0; k < order->n; k++) {
		if (k == order->next)
			done = (unsigned)(place - slot);
		for (i = 0; i < n; i++)
			if (was[i] == order->slot[k])
				*place++ = i;
	}
	if (order->next >= order->n)
		done = (unsigned)(place - slot);
	for (i = 0; i < n; i++)
		if (was[i] >= order->n)
			*place++ = i;
	order->slot = slot;
	order->n = n;
	order->next = done;
}

unsigned mpxi_order_next_sig(struct mpxi_order *order)
{
	unsigned i, k, swap;

	if (order->next >= order->n) {
		order->next = 0;
		for (i = order->n; i > 1; i--) {
			/* The high half: times i, its high half is below i. */
			k = (unsigned)(((draw(&order->random) >> 32) * i) >> 32);
			swap = order->slot[i - 1];
			order->slot[i - 1] = order->slot[k];
			order->slot[k] = swap;
		}
	}
	return order->slot[order->next++];
}
