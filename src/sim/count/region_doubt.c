/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region_doubt.c - regions that may have been left, and the decision whether they were.
 *
 * Blocks do not show in which activation, or on which stack, a thread continues after an exception. A later
 * block decides: the continuing activation returns, or calls from a site at which it continued before. Until
 * then the region is suspect, and the thread's work is counted separately. If the region was not left, the
 * work is added to the region. If the region was left, the work is added to no region, and the region's count
 * is a lower bound.
 *
 * Jumps from one function into another are mostly tail calls, and look the same as jumps out of a region. The
 * work after such a jump is counted. If a later block shows that the region was left, its count is an upper
 * bound.
 *
 * Terms: count/thread.h.
 */
#include "count/region_private.h"

void upcs_region_doubt(struct upcs_region_stack *s, enum upcs_region_doubt why, uint16_t regions)
{
	if (regions & ~s->doubt[why])
		s->doubts++;
	s->doubt[why] |= regions;
}

uint16_t upcs_region_above(const struct upcs_region_stack *s, uint64_t depth)
{
	uint16_t above = 0;
	unsigned rest, r;

	if (s->highest <= depth)
		return 0;
	for (rest = s->active; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (s->floor[r] > depth)
			above |= (uint16_t)(1u << r);
	}
	return above;
}

void upcs_region_suspect(struct upcs_region_stack *s, uint16_t regions, bool grave)
{
	unsigned rest, r;

	regions &= s->active;
	for (rest = regions; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (!(s->suspect >> r & 1) || s->depth < s->since[r])
			s->since[r] = s->depth;
	}
	s->suspect |= regions;
	if (grave && regions & ~s->grave) {
		s->grave |= regions;
		s->doubts++;
	}
}

void upcs_region_switch(struct upcs_region_stack *s, uint16_t regions)
{
	s->switched |= regions & s->active & (uint16_t)~s->grave;
	upcs_region_suspect(s, regions, true);
}

/* Decide suspects: they were left, or not. */
static void region_doubt_decide(struct upcs_region_stack *s, uint16_t regions, bool left)
{
	const uint16_t grave = s->grave & regions, open = grave & (uint16_t) ~(s->kept | s->left);

	s->suspect &= (uint16_t)~regions;
	if (!grave)
		return;
	/* Within one block the first decision counts, since it concerns the work counted so far. */
	if (left)
		s->left |= open;
	else
		s->kept |= open;
	s->grave &= (uint16_t)~grave;
	s->switched &= (uint16_t)~grave;
	s->doubts++;
}

static void doubt_left(struct upcs_region_stack *s, uint16_t regions)
{
	upcs_region_doubt(s, UPCS_REGION_SWITCHED, regions & s->switched);
	upcs_region_doubt(s, UPCS_REGION_UNWOUND, regions & s->grave & (uint16_t)~s->switched);
	upcs_region_doubt(s, UPCS_REGION_JUMPED, regions & (uint16_t)~s->grave);
}

void upcs_region_keep(struct upcs_region_stack *s, uint64_t depth)
{
	uint16_t above;
	unsigned rest, r;

	if (!s->suspect)
		return;
	above = upcs_region_above(s, depth);
	doubt_left(s, s->grave & above);
	region_doubt_decide(s, above, true);
	for (rest = s->suspect; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (s->since[r] > depth)
			s->since[r] = depth;
	}
}

void upcs_region_clear(struct upcs_region_stack *s, uint64_t depth)
{
	uint16_t above, cleared = 0;
	unsigned rest, r;

	if (!s->suspect)
		return;
	above = upcs_region_above(s, depth);
	doubt_left(s, s->suspect & above);
	region_doubt_decide(s, above, true);
	for (rest = s->suspect; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (depth <= s->since[r])
			cleared |= (uint16_t)(1u << r);
	}
	region_doubt_decide(s, cleared, false);
}

void upcs_region_lose(struct upcs_region_stack *s, enum upcs_region_doubt why, uint16_t regions)
{
	unsigned rest, r;

	regions &= s->active;
	upcs_region_doubt(s, why, regions);
	region_doubt_decide(s, regions, true);
	s->active &= (uint16_t)~regions;
	s->highest = 0;
	for (rest = s->active; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (s->floor[r] > s->highest)
			s->highest = s->floor[r];
	}
}

const uint16_t *upcs_region_doubts(const struct upcs_region_stack *s)
{
	return s->doubt;
}

uint16_t upcs_region_suspects(const struct upcs_region_stack *s, uint16_t *switched)
{
	*switched = s->switched;
	return s->grave | (s->stray ? s->strayed : 0);
}

void upcs_region_decided(struct upcs_region_stack *s, uint16_t *kept, uint16_t *left)
{
	*kept = s->kept;
	*left = s->left;
	s->kept = s->left = 0;
}

const uint32_t *upcs_region_changes(const struct upcs_region_stack *s)
{
	return &s->doubts;
}

void upcs_region_forked(struct upcs_region_stack *s)
{
	unsigned i;

	for (i = 0; i < UPCS_REGION_DOUBTS; i++)
		s->doubt[i] &= s->active;
	s->kept = s->left = 0;
	s->doubts++;
}
