/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.c - distributes events over groups that the counters can hold, and shuffles the order of turns.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/plan.h"

/* Number of events that did not fit after which a list counts as full. Each call of ops->fits costs
 * system calls, and a thousand events have hundreds of lists. */
#define REFUSALS_MAX 8
/* Number of lists in which an event is tried before it gets a new list. */
#define TRIES_MAX 16

#define NO_LIST (~0u)

void mpxi_draft_clear(struct mpxi_draft *draft)
{
	free(draft->list);
	free(draft->code);
	*draft = (struct mpxi_draft){0};
}

static int reserve_draft(struct mpxi_draft *draft, unsigned lists, unsigned codes)
{
	void *more;

	if (draft->lists + lists + 1 > draft->room_lists) {
		unsigned room = 2 * (draft->lists + lists + 1);

		more = realloc(draft->list, room * sizeof(draft->list[0]));
		if (!more)
			return mpxi_error(MPXI_ENOMEM, "out of memory for a plan");
		draft->list = more;
		draft->room_lists = room;
		draft->list[draft->lists] = (struct mpxi_list){.begin = draft->codes};
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

static int compare_codes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Make a list of the codes that were appended after the last list. */
static void close_list(struct mpxi_draft *draft, unsigned from)
{
	struct mpxi_list *list = &draft->list[draft->lists];

	list->from = from;
	list->taken = draft->codes - list->begin;
	qsort(draft->code + list->begin, list->taken, sizeof(draft->code[0]), compare_codes);
	draft->list[++draft->lists] = (struct mpxi_list){.begin = draft->codes};
}

int mpxi_draft_add(struct mpxi_draft *draft, struct mpxi_event *const *event, unsigned n, bool active_only,
		   unsigned from)
{
	int error = reserve_draft(draft, 1, n);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < n; i++)
		if (!active_only || event[i]->activations || event[i]->pins)
			draft->code[draft->codes++] = event[i]->code;
	if (draft->codes > draft->list[draft->lists].begin)
		close_list(draft, from);
	return 0;
}

static unsigned length_of_list(const struct mpxi_draft *draft, unsigned k)
{
	return draft->list[k + 1].begin - draft->list[k].begin;
}

/* Insert a code into list k, in ascending order. The caller has reserved room. */
static void insert_code(struct mpxi_draft *draft, unsigned k, uint32_t code)
{
	unsigned at = draft->list[k].begin;

	while (at < draft->list[k + 1].begin && draft->code[at] < code)
		at++;
	memmove(draft->code + at + 1, draft->code + at, (draft->codes - at) * sizeof(draft->code[0]));
	draft->code[at] = code;
	draft->codes++;
	while (++k <= draft->lists)
		draft->list[k].begin++;
}

static void take_code_out(struct mpxi_draft *draft, unsigned k, uint32_t code)
{
	unsigned at = draft->list[k].begin;

	while (draft->code[at] != code)
		at++;
	draft->codes--;
	memmove(draft->code + at, draft->code + at + 1, (draft->codes - at) * sizeof(draft->code[0]));
	while (++k <= draft->lists)
		draft->list[k].begin--;
}

/* Try to add a code to list k. Return 1 if the counters hold the list with it. Otherwise remove the code
 * again, and return 0 or an error. */
static int try_draft_list(struct mpxi_draft *draft, unsigned k, const struct mpxi_backend_ops *ops,
			  void *backend, uint32_t code)
{
	int fits;

	insert_code(draft, k, code);
	fits = ops->fits(backend, draft->code + draft->list[k].begin, length_of_list(draft, k));
	if (fits <= 0)
		take_code_out(draft, k, code);
	return fits;
}

/* Return the shortest list that is not full and in which the present event has not been tried, or
 * draft->lists if there is no such list. */
static unsigned next_list(const struct mpxi_draft *draft, unsigned except)
{
	unsigned k, best = draft->lists;

	for (k = 0; k < draft->lists; k++) {
		const struct mpxi_list *list = &draft->list[k];

		if (k == except || list->refusals >= REFUSALS_MAX || list->tried == draft->asked)
			continue;
		if (best == draft->lists || length_of_list(draft, k) < length_of_list(draft, best))
			best = k;
	}
	return best;
}

/* Put a code into one of the lists. Return 1, or 0 if the code fits into none of the lists tried, or an
 * error. */
static int place_code(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		      uint32_t code, unsigned except)
{
	unsigned k, tries;
	int fits = 0;

	draft->asked++;
	for (tries = 0; !fits && tries < TRIES_MAX; tries++) {
		k = next_list(draft, except);
		if (k == draft->lists)
			break;
		draft->list[k].tried = draft->asked;
		fits = try_draft_list(draft, k, ops, backend, code);
		draft->list[k].refusals += !fits;
	}
	return fits;
}

static int place_or_append(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
			   struct mpxi_event *event)
{
	int fits = place_code(draft, ops, backend, event->code, NO_LIST);

	if (fits)
		return fits < 0 ? fits : 0;
	fits = ops->fits(backend, &event->code, 1);
	if (fits < 0)
		return fits;
	if (!fits)
		return mpxi_error(MPXI_ECNFLCT, "no counter can hold the event 0x%x now, not even alone",
				  event->code);
	return mpxi_draft_add(draft, &event, 1, false, MPXI_NEW_LIST);
}

/* Make the draft a single list of its events and the n events if the counters hold all of them. Return
 * 1, or 0 if the counters do not hold them, or an error. */
static int join_all(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		    struct mpxi_event *const *event, unsigned n)
{
	struct mpxi_draft all = {0};
	int fits = reserve_draft(&all, 1, draft->codes + n);
	unsigned i;

	if (!fits) {
		if (draft->codes)
			memcpy(all.code, draft->code, draft->codes * sizeof(all.code[0]));
		all.codes = draft->codes;
		for (i = 0; i < n; i++)
			all.code[all.codes++] = event[i]->code;
		close_list(&all, draft->lists ? draft->list[0].from : MPXI_NEW_LIST);
		/* The new list may keep the group of the first list only if that was the only list:
		 * taken 0 marks it as changed. */
		all.list[0].taken = draft->lists == 1 ? draft->codes : 0;
		fits = ops->fits(backend, all.code, all.codes);
	}
	if (fits <= 0) {
		mpxi_draft_clear(&all);
		return fits;
	}
	mpxi_draft_clear(draft);
	*draft = all;
	return 1;
}

int mpxi_draft_place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		     struct mpxi_event *const *event, unsigned n)
{
	unsigned i;
	int error = join_all(draft, ops, backend, event, n);

	if (error)
		return error < 0 ? error : 0;
	error = reserve_draft(draft, n, n);
	for (i = 0; !error && i < n; i++)
		error = place_or_append(draft, ops, backend, event[i]);
	return error;
}

static int copy_draft(const struct mpxi_draft *draft, struct mpxi_draft *made)
{
	int error;

	*made = (struct mpxi_draft){0};
	error = reserve_draft(made, draft->lists, draft->codes);
	if (error) {
		mpxi_draft_clear(made);
		return error;
	}
	memcpy(made->list, draft->list, (draft->lists + 1) * sizeof(made->list[0]));
	memcpy(made->code, draft->code, draft->codes * sizeof(made->code[0]));
	made->lists = draft->lists;
	made->codes = draft->codes;
	made->asked = draft->asked;
	return 0;
}

/* Move all events of list k to other lists, and remove the list. Return 1, or 0 if an event does not
 * fit, or an error. After 0 or an error some events have moved already. */
static int dissolve_list(struct mpxi_draft *draft, unsigned k, const struct mpxi_backend_ops *ops,
			 void *backend)
{
	int fits = 1;

	while (fits > 0 && length_of_list(draft, k)) {
		uint32_t code = draft->code[draft->list[k].begin];

		take_code_out(draft, k, code);
		fits = place_code(draft, ops, backend, code, k);
	}
	if (fits > 0) {
		memmove(draft->list + k, draft->list + k + 1, (draft->lists - k) * sizeof(draft->list[0]));
		draft->lists--;
	}
	return fits;
}

int mpxi_draft_shrink(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend)
{
	int fits = draft->lists > 1 ? join_all(draft, ops, backend, NULL, 0) : 0;

	while (!fits && draft->lists > 2) {
		struct mpxi_draft less;
		unsigned i, k = 0;
		int error = copy_draft(draft, &less);

		if (error)
			return error;
		for (i = 1; i < less.lists; i++)
			if (length_of_list(&less, i) < length_of_list(&less, k))
				k = i;
		fits = dissolve_list(&less, k, ops, backend);
		if (fits <= 0) {
			mpxi_draft_clear(&less);
			return fits;
		}
		mpxi_draft_clear(draft);
		*draft = less;
		fits = 0;
	}
	return fits < 0 ? fits : 0;
}

/* Return a pseudo-random number (xorshift64*). Good enough for the order, and cheap enough for a handler. */
static uint64_t draw_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

/* Shuffle the slots from first on. For handlers. */
static void shuffle_order(struct mpxi_order *order, unsigned first)
{
	unsigned i, k, swap;

	for (i = order->n - first; i > 1; i--) {
		/* Multiply the random 32 bits by i; the high half of the product is below i. */
		k = first + (unsigned)(((draw_random(&order->random) >> 32) * i) >> 32);
		swap = order->slot[first + i - 1];
		order->slot[first + i - 1] = order->slot[k];
		order->slot[k] = swap;
	}
}

void mpxi_order_set(struct mpxi_order *order, const unsigned *was, unsigned *slot, unsigned n)
{
	unsigned *place = slot, i, k, done = 0;

	/* Keep the former order of the slots, and append the new slots. done becomes the number of slots
	 * that have had their turn in this round. */
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
	/* Shuffle even the first round, so that all groups have the same chance in threads that end
	 * within that round. */
	shuffle_order(order, done);
}

unsigned mpxi_order_next_sig(struct mpxi_order *order)
{
	if (order->next >= order->n) {
		order->next = 0;
		shuffle_order(order, 0);
	}
	return order->slot[order->next++];
}
