/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tick.h - the rules for a signal that may end a slice. libmpx and the PAPI component both use these rules
 * and core.c. Each of the two passes its own test (inside_sig) for code that must not be interrupted.
 *
 *   the core is held                    the tick waits until the core is released
 *   a small alternate stack             deferred
 *   inside PAPI or libupc               deferred
 *   too early, or a repeated signal     no slice ends (mpxi_core_tick_sig)
 *
 * A deferred tick is dropped: the slice ends with the next tick.
 *
 * Terms: core/core.h, ticker/timer.h.
 */
#ifndef MPXI_TICK_H
#define MPXI_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "core/core.h"

enum mpxi_tick { MPXI_TICK_ACTS, MPXI_TICK_WAITS, MPXI_TICK_PUT_OFF };

/* Stack space that a tick needs, in bytes. A read by PAPI's perf_event component takes 6 KB, and a start
 * takes more. */
#define MPXI_TICK_ROOM (16u << 10)

/*
 * False if the handler runs on an alternate stack with too little space for a tick. A tick searches the
 * stack for PAPI, and reads, stops and starts groups. The space on other stacks is unknown, so the result
 * is true for these.
 */
static inline bool mpxi_has_room_sig(const void *context)
{
	const stack_t *alternate = &((const ucontext_t *)context)->uc_stack;
	const uintptr_t left = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)alternate->ss_sp;

	return left >= alternate->ss_size || left >= MPXI_TICK_ROOM;
}

/*
 * Decide what a signal that has interrupted the core's thread may do. context is the third argument of the
 * signal's handler. inside_sig(context) is true if the thread is in code whose data may be half changed.
 * The function is inline, since separate functions would be evicted from the caches during a slice.
 */
static inline enum mpxi_tick mpxi_tick_look_sig(const struct mpxi_core *core, void *context,
						bool (*inside_sig)(void *context))
{
	if (mpxi_core_is_held_sig(core))
		return MPXI_TICK_WAITS;
	return mpxi_has_room_sig(context) && !inside_sig(context) ? MPXI_TICK_ACTS : MPXI_TICK_PUT_OFF;
}

/* Carry out the decision. Return true if the slice is over but was not ended, since the tick was
 * deferred. */
static inline bool mpxi_tick_sig(struct mpxi_core *core, enum mpxi_tick tick)
{
	if (tick == MPXI_TICK_PUT_OFF)
		return mpxi_core_is_due_sig(core);
	(void)mpxi_core_tick_sig(core);
	return false;
}

/*
 * Fill in the options of a core whose slices a thread's timer ends: cpu_sig, cpu, slice_ns and seed. The
 * seed differs for each thread and run, so that threads that do the same work at the same time do not have
 * the same groups at the same time. owner is an address unique to the thread.
 */
void mpxi_tick_options(struct mpxi_core_options *options, uint64_t slice_ns, const void *owner);

#endif
