/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.c - targets of attached sets. Each target has a backend, a core and a timer.
 *
 * Terms: process/thread.h.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "process/target.h"
#include "process/thread.h"
#include "ticker/inside.h"
#include "ticker/tick.h"

/*
 * End a slice of the target. Works like the tick of the thread's own core (library.c), but also defers the
 * tick if another core of the thread is held, since the thread is then in the middle of a call.
 */
static void target_tick_sig(void *arg, void *context)
{
	struct mpxi_target *target = arg;
	enum mpxi_tick tick = mpxi_tick_look_sig(target->core, context, mpxi_inside_sig);

	if (tick == MPXI_TICK_ACTS &&
	    (mpxi_core_is_held_sig(target->thread->core) || mpxi_targets_held_sig(target->thread)))
		tick = MPXI_TICK_PUT_OFF;
	target->thread->put_off += mpxi_tick_sig(target->core, tick);
}

static int share_target_timer(void *arg, bool on)
{
	struct mpxi_target *target = arg;

	if (on)
		return mpxi_attached_arm(&target->timer);
	mpxi_attached_disarm(&target->timer);
	return 0;
}

static bool mend_target_timer(void *arg)
{
	struct mpxi_target *target = arg;

	return mpxi_attached_mend(&target->timer);
}

static int create_core(struct mpxi_target *target, uint64_t slice_ns, uint64_t seed)
{
	const struct mpxi_papi_target papi = {
		.tid = target->timer.tid,
		.cpu_sig = mpxi_attached_cpu_sig,
		.ended = mpxi_attached_has_ended,
		.arg = &target->timer,
	};
	struct mpxi_core_options options = {
		.ops = &mpxi_papi_ops,
		.sharing = share_target_timer,
		.arg = target,
		.overdue = mend_target_timer,
	};
	int error = mpxi_papi_create_attached(target->thread->papi, &papi, &target->papi);

	if (error)
		return error;
	mpxi_tick_options(&options, slice_ns, target);
	options.backend = target->papi;
	options.cpu_sig = mpxi_attached_cpu_sig;
	options.cpu = &target->timer;
	options.apart = true;
	options.by_cpu = strcmp(mpxi_papi_clock_unit(target->papi), "ns") == 0;
	if (seed)
		options.seed = seed + (uint64_t)target->timer.tid;
	error = mpxi_core_create(&options, &target->core);
	if (error)
		mpxi_papi_destroy(target->papi);
	return error;
}

static int create_target(struct mpxi_thread *thread, pid_t tid, uint64_t slice_ns, uint64_t seed,
			 struct mpxi_target **made)
{
	struct mpxi_target *target = calloc(1, sizeof(*target));
	int error;

	if (!target)
		return mpxi_error(MPXI_ENOMEM, "out of memory for another thread's events");
	target->thread = thread;
	target->timer = (struct mpxi_attached){.own = &thread->timer,
					       .tid = tid,
					       .fd = -1,
					       .clock = -1,
					       .tick_sig = target_tick_sig,
					       .arg = target};
	error = mpxi_attached_open(&target->timer, slice_ns);
	if (error) {
		free(target);
		return error;
	}
	error = create_core(target, slice_ns, seed);
	if (error) {
		mpxi_attached_close(&target->timer);
		free(target);
		return error;
	}
	*made = target;
	return 0;
}

/* Add a target to the list. The list is read by other threads under the library's lock
 * (mpxi_target_is_wanted_locked), and by the thread's handler without it. */
static void link_target(struct mpxi_thread *thread, struct mpxi_target *target)
{
	struct mpxi_library *library = mpxi_library_lock();

	target->next = thread->targets;
	atomic_signal_fence(memory_order_release);
	thread->targets = target;
	if (library)
		mpxi_library_unlock();
}

static void unlink_target(struct mpxi_target *target)
{
	struct mpxi_library *library = mpxi_library_lock();
	struct mpxi_target *before = target->thread->targets;

	if (before == target) {
		target->thread->targets = target->next;
	} else {
		while (before->next != target)
			before = before->next;
		before->next = target->next;
	}
	if (library)
		mpxi_library_unlock();
	atomic_signal_fence(memory_order_seq_cst);
}

int mpxi_target_get(struct mpxi_thread *thread, pid_t tid, struct mpxi_target **found)
{
	struct mpxi_target *target = thread->targets;
	struct mpxi_library *library;
	uint64_t slice_ns, seed;
	int error;

	while (target && (target->timer.tid != tid || mpxi_target_has_ended(target)))
		target = target->next;
	if (!target) {
		library = mpxi_library_lock();
		if (!library)
			return MPXI_ENOINIT;
		slice_ns = library->slice_ns;
		seed = library->seed;
		mpxi_library_unlock();
		error = create_target(thread, tid, slice_ns, seed, &target);
		if (error)
			return error;
		link_target(thread, target);
	}
	target->sets++;
	*found = target;
	return 0;
}

static void destroy_target(struct mpxi_target *target, bool gone)
{
	unlink_target(target);
	/* From here on no tick reaches the core. */
	mpxi_attached_close(&target->timer);
	if (gone) {
		mpxi_core_forget(target->core);
		mpxi_papi_forget(target->papi);
	} else {
		mpxi_core_destroy(target->core);
		mpxi_papi_destroy(target->papi);
	}
	free(target);
}

void mpxi_target_put(struct mpxi_target *target)
{
	if (!--target->sets)
		destroy_target(target, mpxi_papi_is_gone(target->papi));
}

int mpxi_target_refuses(uint32_t event)
{
	const char *whose = mpxi_papi_counts_for(event);

	if (!whose)
		return 0;
	return mpxi_error(MPXI_ENOSUPP,
			  "the event 0x%x counts for %s, not for one other thread: add it to a set that is "
			  "not attached",
			  event, whose);
}

bool mpxi_target_has_ended(struct mpxi_target *target)
{
	return mpxi_attached_has_ended(&target->timer);
}

int mpxi_target_check(struct mpxi_target *target)
{
	if (!mpxi_target_has_ended(target))
		return 0;
	return mpxi_error(MPXI_ESYS,
			  "thread %d, which the event set is attached to, has ended: attach it to another "
			  "one (mpx_set_attach), or detach it",
			  (int)target->timer.tid);
}

void mpxi_targets_destroy(struct mpxi_thread *thread, bool gone)
{
	while (thread->targets)
		destroy_target(thread->targets, gone);
}

void mpxi_targets_forget(struct mpxi_thread *thread)
{
	struct mpxi_target *target;

	while ((target = thread->targets)) {
		thread->targets = target->next;
		mpxi_attached_forget(&target->timer);
		mpxi_core_forget(target->core);
		mpxi_papi_forget(target->papi);
		free(target);
	}
}

bool mpxi_targets_held_sig(const struct mpxi_thread *thread)
{
	const struct mpxi_target *target;

	for (target = thread->targets; target; target = target->next)
		if (mpxi_core_is_held_sig(target->core))
			return true;
	return false;
}

bool mpxi_targets_left(const struct mpxi_thread *thread, const void *frame)
{
	const struct mpxi_target *target;

	for (target = thread->targets; target; target = target->next)
		if (mpxi_core_was_left(target->core, frame))
			return true;
	return false;
}

bool mpxi_target_is_wanted_locked(const struct mpxi_thread *first, pid_t tid)
{
	const struct mpxi_target *target;

	for (; first; first = first->next)
		for (target = first->targets; target; target = target->next)
			if (target->timer.tid == tid)
				return true;
	return false;
}
