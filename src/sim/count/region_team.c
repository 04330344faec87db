/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region_team.c - excursions: calls of functions of the program by an OpenMP runtime, and the regions that
 * these functions work for in place of their thread's regions.
 *
 * A runtime calls the functions that the program passed by their address, and all other functions outside of
 * its code by name.
 *
 * Terms: count/thread.h.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "count/region_private.h"

#define LOOK 16u /* number of frames searched: a runtime's own calls are not deep */

bool upcs_region_is_called_out(const struct upcs_region_stack *s, const struct upcs_region_block *block)
{
	const uint8_t by_address = UPCS_INSN_CALL | UPCS_INSN_INDIRECT;

	return s->last.runtime && !block->runtime && !block->handler &&
	       (s->last.end & by_address) == by_address && block->begin != s->last.next;
}

bool upcs_region_is_called_in(const struct upcs_region_stack *s, const struct upcs_region_block *block)
{
	return !s->last.runtime && block->runtime && s->last.end && !(s->last.end & UPCS_INSN_RETURN);
}

bool upcs_region_is_in_runtime(const struct upcs_region_stack *s)
{
	uint64_t i;

	if (s->last.runtime)
		return true;
	for (i = s->depth; i > s->base && s->depth - i < LOOK; i--) {
		const struct frame *frame = &s->frame[(i - 1) & (s->frames - 1)];

		if (frame->runtime)
			return !frame->out;
	}
	return false;
}

bool upcs_region_is_away(const struct upcs_region_stack *s)
{
	return s->excursions > 0;
}

void upcs_region_set_account(struct upcs_region_stack *s, uint64_t account)
{
	s->account = account;
}

static bool is_of_region(uint64_t account)
{
	return account && !(account & UPCS_OUTSIDE);
}

uint64_t upcs_region_account(const struct upcs_region_stack *s)
{
	if (!s->excursions)
		return s->account;
	/* The called function has entered a region of its own. */
	if (is_of_region(s->account) && s->account != s->before)
		return s->account;
	return is_of_region(s->account) && !is_of_region(s->adopted) ? s->account : s->adopted;
}

uint64_t upcs_region_depth(const struct upcs_region_stack *s)
{
	return s->depth;
}

static bool make_handed_room(struct upcs_region_stack *s)
{
	uint32_t room = s->excursions_room ? 2 * s->excursions_room : 4;
	struct excursion *larger;

	if (s->excursions < s->excursions_room)
		return true;
	larger = realloc(s->excursion, room * sizeof(*larger));
	if (!larger)
		return false;
	s->excursion = larger;
	s->excursions_room = room;
	return true;
}

/* The call is not pushed yet, so the depth is set in upcs_region_begin_excursion. */
bool upcs_region_adopt(struct upcs_region_stack *s, uint16_t regions, uint64_t account)
{
	if (!make_handed_room(s))
		return false;
	s->adopts = true;
	s->excursion[s->excursions].active = regions;
	s->excursion[s->excursions].adopted = account;
	return true;
}

void upcs_region_begin_excursion(struct upcs_region_stack *s)
{
	struct excursion *e = &s->excursion[s->excursions];
	uint16_t regions = e->active;
	uint64_t account = e->adopted;
	unsigned r;

	s->adopts = false;
	e->depth = s->depth;
	/* During the excursion, no block shows whether the grave suspects were left. */
	upcs_region_lose(s, UPCS_REGION_UNWOUND, s->grave);
	e->active = s->active;
	e->jumped = s->jumped;
	e->suspect = s->suspect;
	e->highest = s->highest;
	memcpy(e->floor, s->floor, sizeof(e->floor));
	memcpy(e->since, s->since, sizeof(e->since));
	e->adopted = s->adopted;
	e->before = s->before;
	s->excursions++;
	s->adopted = account;
	s->before = s->account;
	s->active = regions;
	s->jumped = s->suspect = 0;
	s->highest = regions ? s->depth : 0;
	for (r = 0; r < REGIONS; r++)
		s->floor[r] = s->depth;
}

/* Restore the state before the excursion. Regions that were suspect in the excursion were decided when its
 * function returned. */
static void go_back(struct upcs_region_stack *s)
{
	const struct excursion *e = &s->excursion[--s->excursions];

	upcs_region_lose(s, UPCS_REGION_UNWOUND, s->grave);
	s->adopted = e->adopted;
	s->before = e->before;
	s->active = e->active;
	s->jumped = e->jumped;
	s->suspect = e->suspect;
	s->highest = e->highest;
	memcpy(s->floor, e->floor, sizeof(s->floor));
	memcpy(s->since, e->since, sizeof(s->since));
}

void upcs_region_end_excursions(struct upcs_region_stack *s)
{
	while (s->excursions && s->depth < s->excursion[s->excursions - 1].depth)
		go_back(s);
}
