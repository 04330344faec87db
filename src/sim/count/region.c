/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.c - the stack of return addresses of a thread, told from the blocks that it
 * begins, and the regions that are active on it.
 *
 * A frame is a call that has not returned; what runs on it is its activation. Frames are
 * numbered from the bottom, and depth is how many there are. A region ends when depth is
 * less than its floor, the depth at which it was entered: so a function that was jumped to
 * (a tail call) ends with the one that jumped.
 *
 * A site is a return address. It is kept when its frame is popped, with the activations
 * that went on from there, for two reasons. longjmp jumps to a return address of setjmp,
 * which returned long ago: the youngest that still lives goes on. And what has been
 * unwound by an exception is seen when an activation below calls from a site of its own.
 *
 * Blocks tell no stack pointer, so these are kept out of it:
 *   - Jumps inside of a function, as those of a switch, to an address behind a call. They
 *     come from an activation of the same function, longjmp's does not.
 *   - Handlers of signals, which nobody called: their frames have no site, and remember the
 *     block that was interrupted. They end with a return to an address that nobody left (the
 *     trampoline); then what comes next comes behind that block. Whether a handler was
 *     called by the program itself is not known before it ends.
 * Other stacks of the same thread (swapcontext) are not told apart: a coroutine that a region resumes
 * is as good as called, if it comes back to where it was resumed. A region that is left by a switch to
 * an older frame ends, and is not active again when it is switched back to. These are doubted.
 */
#include "count/region.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "count/region_private.h"

#define FRAMES_FIRST 256u
#define FRAMES_MAX (1u << 20)
#define SITES_FIRST 256u
#define SITES_MAX (1u << 18)
#define SEARCH_MAX 256u /* frames */
#define NEAR 0x10000u   /* bytes; a jump that goes further is none of a switch */

static inline struct frame *frame_at(const struct upcs_region_stack *s, uint64_t i)
{
	return &s->frame[i & (s->frames - 1)];
}

/* ---- sites ------------------------------------------------------------------------- */

static uint32_t *site_place_of(const struct upcs_region_stack *s, uint64_t address)
{
	uint32_t mask = 2 * s->sites_room - 1;
	uint32_t i = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (s->table[i] && s->site[s->table[i]].address != address)
		i = (i + 1) & mask;
	return &s->table[i];
}

static bool grow_sites(struct upcs_region_stack *s)
{
	uint32_t room = 2 * s->sites_room, i;
	struct site *site;
	uint32_t *table;

	if (room > SITES_MAX)
		return false;
	table = calloc(2 * (size_t)room, sizeof(*table));
	site = table ? aligned_alloc(_Alignof(struct site), room * sizeof(*site)) : NULL;
	if (!site) {
		free(table);
		return false;
	}
	memcpy(site, s->site, s->sites_room * sizeof(*site));
	free(s->site);
	free(s->table);
	s->table = table;
	s->site = site;
	s->sites_room = room;
	for (i = 1; i < s->sites; i++)
		*site_place_of(s, site[i].address) = i;
	return true;
}

/* Frames and sites are forgotten together. Where depth is stays known. */
static void forget_frames(struct upcs_region_stack *s)
{
	s->base = s->depth;
	upcs_region_lose(s, UPCS_REGION_FORGOT, s->active);
	s->sites = 1;
	memset(s->table, 0, 2 * (size_t)s->sites_room * sizeof(*s->table));
}

static uint32_t site_for(struct upcs_region_stack *s, uint64_t address)
{
	uint32_t *place = site_place_of(s, address);

	if (*place)
		return *place;
	if (s->sites == s->sites_room) {
		if (!grow_sites(s))
			forget_frames(s);
		place = site_place_of(s, address);
	}
	*place = s->sites;
	s->site[s->sites] = (struct site){.address = address};
	return s->sites++;
}

/* The number + 1 of the site's youngest frame; 0: none. The frame that top names may be forgotten. */
static inline uint64_t site_youngest(const struct upcs_region_stack *s, const struct site *site)
{
	if (site->top > s->base && site->top <= s->depth &&
	    frame_at(s, site->top - 1)->site == (uint32_t)(site - s->site))
		return site->top;
	return 0;
}

/* ---- activations --------------------------------------------------------------------- */

/* The function that runs at a depth; none at the bottom, which was not called. */
static struct function function_at(const struct upcs_region_stack *s, uint64_t depth)
{
	return depth > s->base ? frame_at(s, depth - 1)->function : (struct function){0, 0};
}

static inline uint64_t serial_at(const struct upcs_region_stack *s, uint64_t depth)
{
	return depth > s->base ? frame_at(s, depth - 1)->serial : 0;
}

static bool are_same(struct function a, struct function b)
{
	if (!a.entry || !b.entry)
		return false;
	return a.entry == b.entry || a.entry == b.then || (a.then && (a.then == b.entry || a.then == b.then));
}

/* False: it lives no more. */
static bool owner_depth(const struct upcs_region_stack *s, const struct site *site, unsigned i,
			uint64_t *depth)
{
	*depth = s->depth - (uint32_t)((uint32_t)s->depth - site->depth[i]);
	return *depth >= s->base && *depth <= s->depth && serial_at(s, *depth) == site->serial[i];
}

/* The youngest activation that went on from a site and lives. */
static bool find_owner(const struct upcs_region_stack *s, const struct site *site, uint64_t *depth)
{
	unsigned i;

	for (i = site->owners; i-- > 0;)
		if (owner_depth(s, site, i, depth))
			return true;
	return false;
}

/* The activation at the present depth goes on from it. Those as deep or deeper have ended. */
static inline void site_own(const struct upcs_region_stack *s, struct site *site)
{
	unsigned n = site->owners;

	while (n && (int32_t)(site->depth[n - 1] - (uint32_t)s->depth) >= 0)
		n--;
	if (n == OWNERS) {
		site->disowned = true;
		memmove(site->serial, site->serial + 1, (OWNERS - 1) * sizeof(site->serial[0]));
		memmove(site->depth, site->depth + 1, (OWNERS - 1) * sizeof(site->depth[0]));
		n--;
	}
	site->serial[n] = serial_at(s, s->depth);
	site->depth[n] = (uint32_t)s->depth;
	site->owners = (uint8_t)(n + 1);
}

/* ---- frames -------------------------------------------------------------------------- */

static void end_regions(struct upcs_region_stack *s)
{
	unsigned rest, r;

	if (s->excursions)
		upcs_region_end_excursions(s);
	s->highest = 0;
	for (rest = s->active; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (s->floor[r] > s->depth)
			s->active &= (uint16_t) ~(1u << r);
		else if (s->floor[r] > s->highest)
			s->highest = s->floor[r];
	}
}

static void pop_to(struct upcs_region_stack *s, uint64_t depth)
{
	while (s->depth > depth) {
		const struct frame *top = frame_at(s, --s->depth);

		s->site[top->site].top = top->below;
	}
	if (s->depth < s->highest || (s->excursions && s->depth < s->excursion[s->excursions - 1].depth))
		end_regions(s);
	if (s->depth < s->astray_depth)
		s->astray = false;
}

/* Frame i returns: the activation below it goes on at its site. */
static void return_to(struct upcs_region_stack *s, uint64_t i)
{
	struct site *site = &s->site[frame_at(s, i)->site];

	/* The callers above were left for no known reason, or have not come back to their stack. */
	if (i + 1 < s->depth) {
		upcs_region_doubt(s, UPCS_REGION_SWITCHED, upcs_region_above(s, i) & (uint16_t)~s->suspect);
		upcs_region_lose(s, UPCS_REGION_SWITCHED, upcs_region_above(s, i) & s->switched);
	}
	/* Where an older frame has the same site, it may as well be that one. */
	if (frame_at(s, i)->below > s->base)
		upcs_region_keep(s, i);
	else
		upcs_region_clear(s, i + 1);
	pop_to(s, i);
	site_own(s, site);
}

static bool grow_frames(struct upcs_region_stack *s)
{
	uint64_t frames = 2 * s->frames, i;
	struct frame *frame;

	if (frames > FRAMES_MAX)
		return false;
	frame = malloc(frames * sizeof(*frame));
	if (!frame)
		return false;
	for (i = s->base; i < s->depth; i++)
		frame[i & (frames - 1)] = *frame_at(s, i);
	free(s->frame);
	s->frame = frame;
	s->frames = frames;
	return true;
}

static bool is_depth_in_code(const struct upcs_region_stack *s, uint64_t depth, uint64_t code)
{
	return code && depth > s->base && frame_at(s, depth - 1)->code == code;
}

/*
 * After an exception the frames that it unwound are still there. When a call comes from a
 * site of an older activation, and none of its function runs above it, then that is
 * where the thread is.
 */
static void find_way(struct upcs_region_stack *s, uint64_t address)
{
	const struct site *site = &s->site[*site_place_of(s, address)];
	struct function function;
	uint64_t depth, i;

	if (!*site_place_of(s, address))
		return;
	if (site_youngest(s, site))
		depth = site->top - 1;
	else if (!find_owner(s, site, &depth))
		return;
	function = function_at(s, depth);
	if (s->depth - depth > SEARCH_MAX)
		return;
	for (i = s->depth; i > depth; i--)
		if (are_same(function_at(s, i), function) || is_depth_in_code(s, i, site->code))
			return;
	/* The activation has left by a jump the function in which it made the call from there. */
	if (!site_youngest(s, site) && site->code && depth > s->base &&
	    !is_depth_in_code(s, depth, site->code))
		return;
	upcs_region_clear(s, depth);
	pop_to(s, depth);
	s->astray = false;
}

/* On a site, or on none. */
static void push_on(struct upcs_region_stack *s, uint32_t number, uint64_t entry, bool runtime)
{
	struct site *site = &s->site[number];
	struct frame *frame;

	if (s->depth - s->base == s->frames && !grow_frames(s)) {
		s->base++;
		upcs_region_lose(s, UPCS_REGION_FORGOT, s->active & (uint16_t)~upcs_region_above(s, s->base));
	}
	frame = frame_at(s, s->depth);
	frame->below = site_youngest(s, site);
	frame->serial = ++s->serial;
	frame->function = (struct function){entry, 0};
	frame->code = entry;
	frame->site = number;
	frame->signal = frame->unwinds = frame->out = false;
	frame->runtime = runtime;
	site->top = ++s->depth;
}

static void push_frame(struct upcs_region_stack *s, uint64_t address, uint64_t entry)
{
	uint32_t number;

	if (s->astray)
		find_way(s, address);
	number = site_for(s, address);
	s->site[number].code = s->depth > s->base ? frame_at(s, s->depth - 1)->code : 0;
	push_on(s, number, entry, s->last.runtime);
}

/* ---- jumps --------------------------------------------------------------------------- */

/* The oldest activation that may have gone on from the site. */
static uint64_t oldest_owner(const struct upcs_region_stack *s, const struct site *site)
{
	uint64_t depth;
	unsigned i;

	for (i = 0; !site->disowned && i < site->owners; i++)
		if (owner_depth(s, site, i, &depth))
			return depth;
	return 0;
}

/* longjmp. The regions that it leaves were not left before, unless by an exception or a switch of stacks. */
static void leave_to(struct upcs_region_stack *s, const struct site *site, uint64_t depth)
{
	uint64_t oldest = oldest_owner(s, site);

	s->suspect &= s->grave | (uint16_t)~upcs_region_above(s, depth);
	upcs_region_clear(s, depth);
	pop_to(s, depth);
	upcs_region_suspect(s, upcs_region_above(s, oldest), false);
}

/* To a return address whose frame is popped. False: that is not what it is. */
static bool jump_back(struct upcs_region_stack *s, const struct site *site)
{
	uint64_t depth;

	if (!find_owner(s, site, &depth))
		return false;
	if (!are_same(function_at(s, s->depth), function_at(s, depth)))
		leave_to(s, site, depth);
	return true;
}

/* A block begins that the one before did not name. Returns whether that is explained. */
static bool jump_to_block(struct upcs_region_stack *s, uint64_t begin, bool returns)
{
	const struct site *site;

	if (s->depth > s->base && returns && s->site[frame_at(s, s->depth - 1)->site].address == begin) {
		return_to(s, s->depth - 1);
		return true;
	}
	site = &s->site[*site_place_of(s, begin)];
	if (site == s->site)
		return false;
	if (site_youngest(s, site)) {
		if (returns || !are_same(function_at(s, s->depth), function_at(s, site->top - 1)))
			return_to(s, site->top - 1);
		return true;
	}
	if (returns && s->depth == s->base && s->base > 0)
		return false; /* what it returns to is forgotten */
	return jump_back(s, site);
}

/* An exception's end may be a return or a jump (x86-64: pop %rcx; jmp *%rcx). */
static void go_astray(struct upcs_region_stack *s)
{
	if (!s->astray || s->depth < s->astray_depth)
		s->astray_depth = s->depth;
	s->astray = true;
}

/* Behind a call of another activation than those that live. */
static bool is_dead_site(const struct upcs_region_stack *s, uint64_t begin)
{
	return *site_place_of(s, begin) != 0;
}

/* A return to an address that nobody left. */
static void stray_return(struct upcs_region_stack *s, uint64_t begin)
{
	if (s->depth == s->base && s->base > 0) {
		/* Or to one that was forgotten. */
		upcs_region_clear(s, s->depth);
		s->base--;
		s->depth--;
		if (s->depth < s->highest || s->excursions)
			end_regions(s);
		return;
	}
	s->stray = true;
	s->strayed = s->active & (uint16_t)~s->grave;
	s->strayed_to_site = is_dead_site(s, begin);
	s->doubts++;
	go_astray(s);
}

/* Active regions whose function was jumped to in the activation at the present depth. */
static uint16_t jumped_here(const struct upcs_region_stack *s)
{
	return s->jumped & s->active & (s->depth ? upcs_region_above(s, s->depth - 1) : UINT16_MAX);
}

/* It was no handler's: an exception, a coroutine, a function that nobody called. */
static void stay_stray(struct upcs_region_stack *s)
{
	if (s->strayed_to_site)
		upcs_region_switch(s, s->active);
	else
		upcs_region_suspect(s, s->active, true);
	/* A function that was not called, but jumped to, has returned. */
	upcs_region_lose(s, UPCS_REGION_SWITCHED, jumped_here(s));
}

/* A jump, no return, to what is not known, by an address. */
static void stray_jump(struct upcs_region_stack *s, uint64_t begin)
{
	bool far = begin - s->last.begin + NEAR > 2 * NEAR;
	bool unwinds = s->depth > s->base && frame_at(s, s->depth - 1)->unwinds;

	/* The target of a switch's near jump may be behind a call, too. */
	if (!far && !unwinds)
		return;
	if (is_dead_site(s, begin))
		upcs_region_switch(s, s->active);
	if (unwinds)
		go_astray(s);
	else if (s->depth > s->base)
		frame_at(s, s->depth - 1)->code = begin;
	upcs_region_suspect(s, s->active, unwinds);
}

/* ---- signals ------------------------------------------------------------------------- */

/* A handler jumps to its own beginning. */
static bool is_loop(const struct upcs_region_stack *s, uint64_t begin)
{
	return !s->last.end && function_at(s, s->depth).entry == begin;
}

/* It came behind the last block, or that has called the handler: a frame is as good for both. */
static void signal_comes(struct upcs_region_stack *s, uint64_t begin)
{
	if (s->last.end & UPCS_INSN_CALL)
		push_frame(s, s->last.next, begin);
	else
		push_on(s, 0, begin, s->last.runtime);
	frame_at(s, s->depth - 1)->signal = true;
	frame_at(s, s->depth - 1)->interrupted = s->last;
}

/* Youngest first; what the handler called has returned. False: no handler was seen to begin. */
static bool end_handler(struct upcs_region_stack *s)
{
	uint64_t i;

	for (i = s->depth; i > s->base && s->depth - i < SEARCH_MAX; i--)
		if (frame_at(s, i - 1)->signal) {
			s->last = frame_at(s, i - 1)->interrupted;
			upcs_region_clear(s, i);
			pop_to(s, i - 1);
			return true;
		}
	return false;
}

/* A signal's handler has ended, and what it interrupted goes on. */
static void signal_returns(struct upcs_region_stack *s, uint64_t begin)
{
	s->astray = false;
	if (end_handler(s)) {
		s->kept |= s->strayed;
		s->doubts++;
		/* A fault: the block was left before its end. */
		if (begin >= s->last.begin && begin < s->last.next)
			s->last.end = 0;
		return;
	}
	stay_stray(s);
	/* It may have come in the middle of a return, or of longjmp. */
	if (s->depth > s->base && s->site[frame_at(s, s->depth - 1)->site].address == begin)
		return_to(s, s->depth - 1);
	else
		jump_to_block(s, begin, false);
}

/* ---- blocks -------------------------------------------------------------------------- */

static void enter_regions(struct upcs_region_stack *s, uint16_t entered, bool called)
{
	unsigned rest;

	if (called)
		s->jumped &= (uint16_t)~entered;
	else
		s->jumped |= entered;

	for (rest = entered; rest; rest &= rest - 1)
		s->floor[__builtin_ctz(rest)] = s->depth;
	s->active |= entered;
	if (s->depth > s->highest)
		s->highest = s->depth;
}

/* Behind the last block, which named it not. Returns whether it is the first of an activation. */
static bool come_to(struct upcs_region_stack *s, const struct upcs_region_block *block)
{
	uint64_t begin = block->begin;
	bool returns = s->last.end & UPCS_INSN_RETURN;

	if (s->last.end & UPCS_INSN_CALL) {
		push_frame(s, s->last.next, begin);
		frame_at(s, s->depth - 1)->out = s->last.end & UPCS_INSN_INDIRECT && !block->runtime;
		if (s->adopts)
			upcs_region_begin_excursion(s);
		return true;
	}
	if (!(s->last.end & (UPCS_INSN_RETURN | UPCS_INSN_INDIRECT)) || jump_to_block(s, begin, returns))
		return false;
	if (returns)
		stray_return(s, begin);
	else if (s->last.fresh)
		frame_at(s, s->depth - 1)->code = frame_at(s, s->depth - 1)->function.then = begin;
	else
		stray_jump(s, begin);
	return false;
}

static void take_role(struct upcs_region_stack *s, uint8_t role)
{
	if (role & UPCS_REGION_SWITCHES)
		upcs_region_switch(s, s->active);
	if (role & UPCS_REGION_UNWINDS && s->depth > s->base)
		frame_at(s, s->depth - 1)->unwinds = true;
}

uint16_t upcs_region_block(struct upcs_region_stack *s, const struct upcs_region_block *block,
			   uint16_t *entered)
{
	uint64_t begin = block->begin;
	bool was_stray = s->stray, fresh = false;

	s->stray = false;
	if (was_stray && !s->last.end && begin != s->last.next)
		signal_returns(s, begin);
	else if (was_stray)
		stay_stray(s);
	/* Where nothing was jumped over, there was a condition that did not hold, or a call that
	 * only wants to know where it is. */
	if (block->handler && !is_loop(s, begin)) {
		signal_comes(s, begin);
		fresh = true;
	} else if (begin != s->last.next) {
		fresh = come_to(s, block);
	}
	if (block->role)
		take_role(s, block->role);
	*entered = block->enters & (uint16_t)~s->active;
	if (*entered)
		enter_regions(s, *entered, fresh || (s->last.fresh && s->last.end));
	s->last = (struct last){begin, block->next, block->end, fresh, block->runtime};
	return s->active;
}

void upcs_region_passed(struct upcs_region_stack *s, const struct upcs_region_block *block, bool fresh)
{
	s->last = (struct last){block->begin, block->next, block->end, fresh, block->runtime};
}

/* ---- the short way ------------------------------------------------------------------- */

bool upcs_region_may_step(const struct upcs_region_stack *s)
{
	return !(s->stray | s->astray | s->adopts | s->suspect | s->excursions);
}

bool upcs_region_is_fresh(const struct upcs_region_stack *s)
{
	return s->last.fresh;
}

/* Other threads have other numbers for it, and look it up. */
static uint32_t step_site(struct upcs_region_stack *s, uint64_t address, uint32_t *number)
{
	uint32_t known = __atomic_load_n(number, __ATOMIC_RELAXED), found;

	if (known && known < s->sites && s->site[known].address == address)
		return known;
	found = site_for(s, address);
	if (!known)
		__atomic_store_n(number, found, __ATOMIC_RELAXED);
	return found;
}

static void step_into(struct upcs_region_stack *s, const struct upcs_region_block *from, uint32_t *number,
		      const struct upcs_region_block *block)
{
	uint32_t site = step_site(s, from->next, number);

	s->site[site].code = s->depth > s->base ? frame_at(s, s->depth - 1)->code : 0;
	push_on(s, site, block->begin, from->runtime);
	frame_at(s, s->depth - 1)->out = from->end & UPCS_INSN_INDIRECT && !block->runtime;
}

/* The last call returns, and nothing ends with it. */
static bool step_back(struct upcs_region_stack *s, uint64_t begin)
{
	struct frame *top;
	struct site *site;

	if (s->depth == s->base || s->depth <= s->highest)
		return false;
	top = frame_at(s, s->depth - 1);
	site = &s->site[top->site];
	if (site->address != begin)
		return false;
	site->top = top->below;
	s->depth--;
	site_own(s, site);
	return true;
}

/* A jump of a switch or an interpreter's loop, or a stub's to its function. */
static bool step_aside(struct upcs_region_stack *s, uint64_t from, bool fresh, uint64_t begin)
{
	struct frame *top = s->depth > s->base ? frame_at(s, s->depth - 1) : NULL;

	if (*site_place_of(s, begin))
		return false;
	if (fresh)
		top->code = top->function.then = begin;
	return fresh || (begin - from + NEAR <= 2 * NEAR && !(top && top->unwinds));
}

enum upcs_region_step upcs_region_step(struct upcs_region_stack *s, const struct upcs_region_block *passed,
				       bool fresh, uint32_t *number, const struct upcs_region_block *block)
{
	uint64_t begin = block->begin;

	if (begin == passed->next)
		return UPCS_REGION_STEP;
	if (passed->end & UPCS_INSN_CALL) {
		step_into(s, passed, number, block);
		return UPCS_REGION_FRESH;
	}
	if (passed->end & UPCS_INSN_RETURN ? step_back(s, begin) : step_aside(s, passed->begin, fresh, begin))
		return UPCS_REGION_STEP;
	return UPCS_REGION_NO_STEP;
}

bool upcs_region_is_stray(const struct upcs_region_stack *s)
{
	return s->stray;
}

uint16_t upcs_region_active(const struct upcs_region_stack *s)
{
	return s->active;
}

struct upcs_region_stack *upcs_region_create(void)
{
	struct upcs_region_stack *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->frames = FRAMES_FIRST;
	s->sites_room = SITES_FIRST;
	s->sites = 1;
	s->frame = malloc(FRAMES_FIRST * sizeof(*s->frame));
	s->site = aligned_alloc(_Alignof(struct site), SITES_FIRST * sizeof(*s->site));
	s->table = calloc(2 * SITES_FIRST, sizeof(*s->table));
	if (!s->frame || !s->site || !s->table) {
		upcs_region_destroy(s);
		return NULL;
	}
	s->site[0] = (struct site){0};
	return s;
}

void upcs_region_destroy(struct upcs_region_stack *s)
{
	if (!s)
		return;
	free(s->frame);
	free(s->site);
	free(s->table);
	free(s->excursion);
	free(s);
}
