/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tick.h - a signal has come that may end a slice: what it may do. libmpx and the component of
 * PAPI have these rules from here, and those of core.c; each says itself what is inside of it.
 *
 *   the core is held             the tick waits until it is released
 *   a small alternate stack      put off
 *   inside of PAPI or libupc     put off
 *   too early, or one of many    no slice ends (mpxi_core_tick_sig)
 *
 * A tick that is put off is dropped: the slice ends with the next one.
 */
#ifndef MPXI_TICK_H
#define MPXI_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "core/core.h"

enum mpxi_tick { MPXI_TICK_ACTS, MPXI_TICK_WAITS, MPXI_TICK_PUT_OFF };

/* perf_event's read takes 6 KB, a start more, and what is below them is not ours. */
#define MPXI_TICK_ROOM (16u << 10)

/*
 * The handler does not stand on an alternate stack that is too small for what a tick needs: to
 * look for PAPI, and to read, stop and start in it. The room of other stacks is not known: true.
 */
static inline bool mpxi_has_room_sig(const void *context)
{
	const stack_t *alternate = &((const ucontext_t *)context)->uc_stack;
	const uintptr_t left = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)alternate->ss_sp;

	return left >= alternate->ss_size || left >= MPXI_TICK_ROOM;
}

/*
 * Decides what a signal that has interrupted the core's thread may do. context is the third argument of
 * its handler. inside_sig gets it, and says whether the thread is in code whose data a switch would
 * find half changed. Inline, since functions are out of the caches after a slice.
 */
static inline enum mpxi_tick mpxi_tick_look_sig(const struct mpxi_core *core, void *context,
						bool (*inside_sig)(void *context))
{
	if (mpxi_core_is_held_sig(core))
		return MPXI_TICK_WAITS;
	return mpxi_has_room_sig(context) && !inside_sig(context) ? MPXI_TICK_ACTS : MPXI_TICK_PUT_OFF;
}

/* Does it. Returns whether a slice that is over was put off. */
static inline bool mpxi_tick_sig(struct mpxi_core *core, enum mpxi_tick tick)
{
	if (tick == MPXI_TICK_PUT_OFF)
		return mpxi_core_is_due_sig(core);
	(void)mpxi_core_tick_sig(core);
	return false;
}

/*
 * Fills in the options of time for a core whose slices a thread's timer ends: cpu_sig, slice_ns and a
 * seed. The seed differs in each thread and run, since threads that work in step should not have their
 * groups in step too; owner is an address of the thread's own.
 */
void mpxi_tick_options(struct mpxi_core_options *options, uint64_t slice_ns, const void *owner);

#endif
