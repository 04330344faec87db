/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulated.c - accounts in the simulator, reached by its doorbell, and the events that are computed from
 * them.
 * Terms: region/region.h.
 */
#include "region/simulated.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "decode/model.h"
#include "region/tree.h"
#include "node/doorbell.h"

_Static_assert(UPCS_TALLIES <= UPCI_DOORBELL_TALLIES, "all have a place");

bool upcr_simulated_begin(char *why, size_t size)
{
	struct upci_doorbell_hello node = {0};
	uint64_t status = upci_ring(UPCI_DOORBELL_HELLO, 0, 0, 0, &node);

	if (status == UPCI_DOORBELL_NOBODY)
		snprintf(why, size, "the program is not simulated");
	else if (node.magic != UPCI_DOORBELL_MAGIC || node.version != UPCI_DOORBELL_VERSION)
		snprintf(why, size, "the simulator is of another release");
	else if (status != UPCI_DOORBELL_DONE)
		snprintf(why, size, "the simulator does not count this process");
	else if (!node.accounts)
		snprintf(why, size, "upc_run was not told so (--accounts)");
	else
		return true;
	return false;
}

bool upcr_simulated_has(const char *event)
{
	return upcs_item_of(event) < UPCS_ITEMS;
}

/* The account of this library's own work. */
#define OURS 1u

static uint64_t account_of(unsigned thread, unsigned node)
{
	return ((uint64_t)thread + 1) << 32 | node | (node == UPCR_ROOT ? UPCI_DOORBELL_OUTSIDE : 0);
}

/* The simulator ran out of memory: its accounts may hold counts of other nodes. */
static atomic_bool failed;

static bool go_to(uint64_t account, uint64_t open, uint64_t names)
{
	struct upci_doorbell_word word;
	bool done = upci_ring(UPCI_DOORBELL_ACCOUNT, open, account, names, &word) == UPCI_DOORBELL_DONE;

	if (!done)
		atomic_store(&failed, true);
	return done;
}

/* Return a set of the names of the open regions, one bit each. With 64 or more open regions all bits are
 * set. */
static uint64_t names_of_open_regions(const struct upcr_tree *tree, unsigned depth)
{
	const struct upcr_open *open = atomic_load_explicit(&tree->open, memory_order_relaxed);
	uint64_t names = 0;
	unsigned i;

	if (depth >= 64)
		return UINT64_MAX;
	for (i = 0; i < depth; i++)
		names |= UPCI_DOORBELL_NAME(atomic_load_explicit(&open[i].name, memory_order_relaxed));
	return names;
}

bool upcr_simulated_enter(unsigned thread, const struct upcr_tree *tree)
{
	unsigned depth = atomic_load_explicit(&tree->depth, memory_order_relaxed);

	return go_to(account_of(thread, tree->current), (uint64_t)depth + 1,
		     names_of_open_regions(tree, depth));
}

void upcr_simulated_leave(void)
{
	(void)go_to(OURS, 0, 0);
}

void upcr_simulated_end(unsigned thread, unsigned nodes)
{
	struct upci_doorbell_word word;

	(void)upci_ring(UPCI_DOORBELL_CLOSE, 0, account_of(thread, UPCR_ROOT), 1, &word);
	(void)upci_ring(UPCI_DOORBELL_CLOSE, 0, account_of(thread, UPCR_ROOT + 1), nodes, &word);
}

void upcr_simulated_get(unsigned thread, unsigned node, const char *const *event, unsigned events,
			struct upcr_value *value)
{
	struct upci_doorbell_balance balance = {0};
	uint64_t v[UPCS_ITEMS] = {0}, status, count;
	unsigned i;

	status = upci_ring(UPCI_DOORBELL_BALANCE, 0, account_of(thread, node), 0, &balance);
	for (i = 0; i < UPCS_TALLIES; i++)
		v[i] = balance.tally[upcs_tally_place[i]];
	upcs_items_derive(v);
	for (i = 0; i < events; i++) {
		unsigned item = upcs_item_of(event[i]);

		count = item < UPCS_ITEMS ? v[item] : 0;
		if (atomic_load(&failed) || item == UPCS_ITEMS || balance.doubts & UPCI_DOORBELL_HIGH ||
		    (status != UPCI_DOORBELL_DONE && status != UPCI_DOORBELL_NONE)) {
			value[i] = upcr_uncounted();
			continue;
		}
		value[i] = upcr_exact(count);
		if (balance.doubts) {
			value[i].flags |= UPCR_PARTIAL;
			value[i].high = INFINITY;
		}
	}
}
