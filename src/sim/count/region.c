/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.c - the stack of return addresses of a thread, derived from the blocks that it begins, and the
 * active regions on the stack.
 *
 * A region ends when depth falls below the region's floor, the depth at which it was entered. A function
 * entered by a jump (a tail call) therefore ends with the function that jumped.
 *
 * When a frame is popped, its site stays, with the activations that continued at the site (its owners), for
 * two reasons. First, longjmp jumps to the return address of setjmp, whose frame was popped long ago. The
 * thread is then in the site's youngest owner that has not ended. Second, an exception unwinds frames without
 * a visible return. They are found when an older activation calls from a site that it owns.
 *
 * Blocks do not show the stack pointer, so two cases must be distinguished from a longjmp or a return. First,
 * a jump inside of a function, such as that of a switch statement, may lead to an address after a call. This
 * jump comes from an activation of the same function, and a longjmp does not. Second, signal handlers are not
 * called by any block: their frames have no site, and store the interrupted block. They end with a return to
 * an address that no call pushed (the trampoline): a stray return. Then the next block follows the
 * interrupted one. Whether the program itself called a handler is not known before the handler ends.
 *
 * Other stacks of the same thread (swapcontext) are not distinguished. A coroutine that a region resumes
 * counts as called if it comes back to where it was resumed. A region that is left by a switch to an older
 * frame ends, and does not become active again when the thread switches back. Such regions are doubted.
 *
 * Terms: count/thread.h.
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
#define NEAR 0x10000u   /* bytes; the jump of a switch statement goes no further */

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

/* Forget all frames and sites together. The depth stays known. */
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

/* Return the number + 1 of the site's youngest frame, or 0 if the site has no frame. The frame in site->top
 * may have been forgotten. */
static inline uint64_t site_youngest(const struct upcs_region_stack *s, const struct site *site)
{
	if (site->top > s->base && site->top <= s->depth &&
	    frame_at(s, site->top - 1)->site == (uint32_t)(site - s->site))
		return site->top;
	return 0;
}

/* ---- activations --------------------------------------------------------------------- */

/* Return the function at a depth. The bottom activation was not called and has no known function. */
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

/* Compute the depth of the site's owner i. Return false if this owner has ended. */
static bool owner_depth(const struct upcs_region_stack *s, const struct site *site, unsigned i,
			uint64_t *depth)
{
	*depth = s->depth - (uint32_t)((uint32_t)s->depth - site->depth[i]);
	return *depth >= s->base && *depth <= s->depth && serial_at(s, *depth) == site->serial[i];
}

/* Find a site's youngest owner that has not ended. */
static bool find_owner(const struct upcs_region_stack *s, const struct site *site, uint64_t *depth)
{
	unsigned i;

	for (i = site->owners; i-- > 0;)
		if (owner_depth(s, site, i, depth))
			return true;
	return false;
}

/* Note that the activation at the present depth continues at the site, and thus owns it. Owners at this depth
 * or above have ended. */
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

/* Return from frame i: the activation below continues at the frame's site. */
static void return_to(struct upcs_region_stack *s, uint64_t i)
{
	struct site *site = &s->site[frame_at(s, i)->site];

	/* Frames above i are popped without a return. If a change of stacks is suspected, the thread did not
	 * come back to their stack, and their regions end as doubtful. Otherwise the cause is unknown, and
	 * their regions are doubted, too. */
	if (i + 1 < s->depth) {
		upcs_region_doubt(s, UPCS_REGION_SWITCHED, upcs_region_above(s, i) & (uint16_t)~s->suspect);
		upcs_region_lose(s, UPCS_REGION_SWITCHED, upcs_region_above(s, i) & s->switched);
	}
	/* If an older frame has the same site, the older frame may be the one that returned. */
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
 * Drop frames that an exception unwound. When a call comes from a site of an older activation, and no frame
 * above runs the same function, the thread is in the older activation.
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
	/* The site is not the activation's any more if the activation has since jumped out of the function
	 * that called from the site. */
	if (!site_youngest(s, site) && site->code && depth > s->base &&
	    !is_depth_in_code(s, depth, site->code))
		return;
	upcs_region_clear(s, depth);
	pop_to(s, depth);
	s->astray = false;
}

/* Push a frame at the site with this number, or at no site (number 0). */
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

/* Return the depth of the site's oldest owner that has not ended, or 0 if it is not known. */
static uint64_t oldest_owner(const struct upcs_region_stack *s, const struct site *site)
{
	uint64_t depth;
	unsigned i;

	for (i = 0; !site->disowned && i < site->owners; i++)
		if (owner_depth(s, site, i, &depth))
			return depth;
	return 0;
}

/* Follow a longjmp. It shows that the regions above depth were active until now, so they are no longer
 * suspect, unless an exception or a change of stacks made them suspect (grave). */
static void leave_to(struct upcs_region_stack *s, const struct site *site, uint64_t depth)
{
	uint64_t oldest = oldest_owner(s, site);

	s->suspect &= s->grave | (uint16_t)~upcs_region_above(s, depth);
	upcs_region_clear(s, depth);
	pop_to(s, depth);
	upcs_region_suspect(s, upcs_region_above(s, oldest), false);
}

/* Follow a jump to a return address whose frame is popped. Return false if all owners of the site have
 * ended. */
static bool jump_back(struct upcs_region_stack *s, const struct site *site)
{
	uint64_t depth;

	if (!find_owner(s, site, &depth))
		return false;
	if (!are_same(function_at(s, s->depth), function_at(s, depth)))
		leave_to(s, site, depth);
	return true;
}

/* Follow a jump or return to a block that does not lie directly behind the previous block. Return false if
 * the cause of the jump stays unknown. */
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
		return false; /* the frame of this return is forgotten */
	return jump_back(s, site);
}

/* Note that frames may have been unwound. An exception may end with a return or a jump (x86-64: pop %rcx; jmp
 * *%rcx). */
static void go_astray(struct upcs_region_stack *s)
{
	if (!s->astray || s->depth < s->astray_depth)
		s->astray_depth = s->depth;
	s->astray = true;
}

/* True if begin is the address after a call. The caller has found that no activation that made this call is
 * left. */
static bool is_dead_site(const struct upcs_region_stack *s, uint64_t begin)
{
	return *site_place_of(s, begin) != 0;
}

/* Handle a return to an address that no call pushed. */
static void stray_return(struct upcs_region_stack *s, uint64_t begin)
{
	if (s->depth == s->base && s->base > 0) {
		/* The return's frame may have been forgotten. */
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

/* Return the active regions whose function was entered by a jump in the present activation. */
static uint16_t jumped_here(const struct upcs_region_stack *s)
{
	return s->jumped & s->active & (s->depth ? upcs_region_above(s, s->depth - 1) : UINT16_MAX);
}

/* Handle a stray return that was not a signal handler's, but that of an exception, of a coroutine, or of a
 * function that was not called. */
static void stay_stray(struct upcs_region_stack *s)
{
	if (s->strayed_to_site)
		upcs_region_switch(s, s->active);
	else
		upcs_region_suspect(s, s->active, true);
	/* The return may be that of a function that was entered by a jump: its region ends, and is
	 * doubted. */
	upcs_region_lose(s, UPCS_REGION_SWITCHED, jumped_here(s));
}

/* Handle an indirect jump, not a return, to an unknown address. */
static void stray_jump(struct upcs_region_stack *s, uint64_t begin)
{
	bool far = begin - s->last.begin + NEAR > 2 * NEAR;
	bool unwinds = s->depth > s->base && frame_at(s, s->depth - 1)->unwinds;

	/* A near jump may be that of a switch statement, and the jump's target may be the address after a
	 * call. */
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

/* True if a handler jumps to its own beginning. */
static bool is_loop(const struct upcs_region_stack *s, uint64_t begin)
{
	return !s->last.end && function_at(s, s->depth).entry == begin;
}

/* Push a handler's frame. Either the signal arrived after the last block, or the last block called the
 * handler. The same frame serves for both cases. */
static void signal_comes(struct upcs_region_stack *s, uint64_t begin)
{
	if (s->last.end & UPCS_INSN_CALL)
		push_frame(s, s->last.next, begin);
	else
		push_on(s, 0, begin, s->last.runtime);
	frame_at(s, s->depth - 1)->signal = true;
	frame_at(s, s->depth - 1)->interrupted = s->last;
}

/* End the youngest handler. The functions that it called have returned. Return false if no handler is on the
 * stack. */
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

/* Handle the block after a stray return. If a handler has ended, the interrupted code continues. */
static void signal_returns(struct upcs_region_stack *s, uint64_t begin)
{
	s->astray = false;
	if (end_handler(s)) {
		s->kept |= s->strayed;
		s->doubts++;
		/* A fault interrupted the block before its end. */
		if (begin >= s->last.begin && begin < s->last.next)
			s->last.end = 0;
		return;
	}
	stay_stray(s);
	/* No known handler is on the stack, but the stray return may be that of an unknown one. Its signal
	 * may have arrived after a return or a longjmp, whose target is then this block. */
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

/* Follow the last block to a block that does not lie directly behind it. Return true if the new block is the
 * first of an activation. */
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
	/* A block that lies directly behind the last one needs no work: a conditional jump was not taken, or
	 * a call only reads the program counter. */
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

/* Return the number of the site at address. *number is a cache shared by all threads. A thread for which the
 * cached number is wrong looks the site up. */
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

/* Pop the top frame if the return goes to its site and no region ends. Otherwise change nothing and return
 * false. */
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

/* Accept a near jump, as in a switch or an interpreter's loop, or the jump of a stub to its function. Return
 * false for others. */
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
