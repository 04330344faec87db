/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region_doubt.c - which regions may have been left, and whether they were.
 *
 * An exception goes on in an activation that blocks do not tell, and so does a coroutine. Whether
 * a region was left shows when the activation that goes on returns, or calls from where it called
 * before: it is within the region, and nothing was lost; or it is not, and what came between was
 * counted too much. Jumps from one function into another are mostly tail calls, which look the
 * same. These are suspected as well, but if nothing comes of it they were tail calls.
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

static void drop(struct upcs_region_stack *s, uint16_t regions)
{
	s->suspect &= (uint16_t)~regions;
	if (s->grave & regions) {
		s->grave &= (uint16_t)~regions;
		s->doubts++;
	}
}

void upcs_region_keep(struct upcs_region_stack *s, uint64_t depth)
{
	uint16_t above = upcs_region_above(s, depth);
	unsigned rest, r;

	upcs_region_doubt(s, UPCS_REGION_UNWOUND, s->grave & above);
	drop(s, above);
	for (rest = s->suspect; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (s->since[r] > depth)
			s->since[r] = depth;
	}
}

void upcs_region_clear(struct upcs_region_stack *s, uint64_t depth)
{
	uint16_t above = upcs_region_above(s, depth), cleared = 0;
	unsigned rest, r;

	upcs_region_doubt(s, UPCS_REGION_UNWOUND, s->suspect & above);
	for (rest = s->suspect; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (depth <= s->since[r])
			cleared |= (uint16_t)(1u << r);
	}
	drop(s, cleared);
}

const uint16_t *upcs_region_doubts(const struct upcs_region_stack *s, uint16_t *suspect)
{
	*suspect = s->grave;
	return s->doubt;
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
	s->doubts++;
}
