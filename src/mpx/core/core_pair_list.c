/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_pair_list.c - the list of event pairs that a set keeps.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core_pair.h"
#include "core/error.h"

static int index_of_pair(const struct mpxi_set *set, const struct mpxi_event *a, const struct mpxi_event *b)
{
	unsigned i;

	for (i = 0; i < set->pairs; i++)
		if ((set->pair[i]->a == a && set->pair[i]->b == b) ||
		    (set->pair[i]->a == b && set->pair[i]->b == a))
			return (int)i;
	return -1;
}

static int add_event_pair(struct mpxi_set *set, unsigned i, unsigned k)
{
	struct mpxi_pair *pair = calloc(1, sizeof(*pair)), **more;

	more = realloc(set->pair, (set->pairs + 1) * sizeof(set->pair[0]));
	if (more)
		set->pair = more;
	if (!pair || !more) {
		free(pair);
		return mpxi_error(MPXI_ENOMEM, "out of memory for a pair of events");
	}
	pair->a = set->event[i];
	pair->b = set->event[k];
	set->pair[set->pairs++] = pair;
	set->core->memory += sizeof(*pair);
	return 0;
}

static void drop_pair(struct mpxi_set *set, unsigned at)
{
	free(set->pair[at]);
	set->core->memory -= sizeof(struct mpxi_pair);
	set->pairs--;
	memmove(set->pair + at, set->pair + at + 1, (set->pairs - at) * sizeof(set->pair[0]));
}

int mpxi_set_pair(struct mpxi_set *set, unsigned i, unsigned k)
{
	int at = index_of_pair(set, set->event[i], set->event[k]), error = 0;

	if (set->running)
		return mpxi_error(MPXI_EISRUN, "the event set runs: stop it before pairs are asked for");
	mpxi_core_hold(set->core);
	if (at < 0) {
		error = add_event_pair(set, i, k);
		at = (int)set->pairs - 1;
	}
	if (!error)
		set->pair[at]->references++;
	mpxi_core_release(set->core);
	return error;
}

void mpxi_set_unpair(struct mpxi_set *set, unsigned i, unsigned k)
{
	int at = index_of_pair(set, set->event[i], set->event[k]);

	if (at < 0 || set->running)
		return;
	mpxi_core_hold(set->core);
	if (!--set->pair[at]->references)
		drop_pair(set, (unsigned)at);
	mpxi_core_release(set->core);
}

const struct mpxi_window *mpxi_set_pair_window(const struct mpxi_set *set, unsigned i, unsigned k)
{
	int at = index_of_pair(set, set->event[i], set->event[k]);

	return at < 0 ? NULL : &set->pair[at]->window;
}

void mpxi_pairs_remove(struct mpxi_set *set, const struct mpxi_event *event)
{
	unsigned i;

	for (i = set->pairs; i-- > 0;)
		if (set->pair[i]->a == event || set->pair[i]->b == event)
			drop_pair(set, i);
}

void mpxi_pairs_clear(struct mpxi_set *set)
{
	while (set->pairs)
		drop_pair(set, set->pairs - 1);
	free(set->pair);
	set->pair = NULL;
}
