/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tick.c - whether a signal may end a slice now. What is called in the handler is the core, and
 * inside_sig, whose owner lists its calls.
 */
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "ticker/tick.h"
#include "ticker/timer.h"

/* perf_event's read takes 6 KB, the unwinder 3, and what is below them is not ours. */
#define ROOM (16u << 10)

bool mpxi_has_room_sig(const void *context)
{
	const stack_t *alternate = &((const ucontext_t *)context)->uc_stack;
	const uintptr_t left = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)alternate->ss_sp;

	return left >= alternate->ss_size || left >= ROOM;
}

enum mpxi_tick mpxi_tick_look_sig(const struct mpxi_core *core, void *context,
				  bool (*inside_sig)(void *context))
{
	if (mpxi_core_is_held_sig(core))
		return MPXI_TICK_WAITS;
	return mpxi_has_room_sig(context) && !inside_sig(context) ? MPXI_TICK_ACTS : MPXI_TICK_PUT_OFF;
}

bool mpxi_tick_sig(struct mpxi_core *core, enum mpxi_tick tick)
{
	if (tick == MPXI_TICK_PUT_OFF)
		return mpxi_core_is_due_sig(core);
	(void)mpxi_core_tick_sig(core);
	return false;
}

void mpxi_tick_options(struct mpxi_core_options *options, uint64_t slice_ns, const void *owner)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	options->cpu_sig = mpxi_timer_cpu_sig;
	options->slice_ns = slice_ns;
	options->seed = (uint64_t)now.tv_nsec * UINT64_C(6364136223846793005) ^ (uintptr_t)owner;
}
