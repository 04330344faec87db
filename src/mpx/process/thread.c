/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - a thread's backend, core and timer, from its first event set to its end.
 *
 * Terms: process/thread.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid */
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/error.h"
#include "ticker/inside.h"
#include "process/target.h"
#include "process/thread.h"
#include "ticker/thread_exit.h"
#include "ticker/tick.h"

__thread struct mpxi_thread *mpxi_self __attribute__((tls_model("initial-exec")));

static void destroy_thread_record(struct mpxi_thread *thread)
{
	/* After this store, ticks have no effect. */
	mpxi_self = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	mpxi_timer_close(&thread->timer);
	mpxi_inside_leave();
	/* If PAPI has forgotten the thread, its PAPI event sets must not be stopped, since their numbers
	 * may belong to other event sets now. */
	if (mpxi_papi_is_gone(thread->papi)) {
		mpxi_core_forget(thread->core);
		mpxi_papi_forget(thread->papi);
	} else {
		mpxi_core_destroy(thread->core);
		mpxi_papi_destroy(thread->papi);
	}
	free(thread);
}

static bool thread_is_wanted(pid_t tid)
{
	struct mpxi_library *library = mpxi_library_lock();
	bool wanted;

	if (!library)
		return false;
	wanted = mpxi_target_is_wanted_locked(library->first_thread, tid);
	mpxi_library_unlock();
	return wanted;
}

static void end_thread_record(void *thread)
{
	bool introduced;
	pid_t tid;

	(void)thread;
	/* If libmpx has registered the thread with PAPI, unregister it below. This also destroys PAPI
	 * event sets that the program has left in the thread. */
	introduced = mpxi_self && mpxi_papi_introduced(mpxi_self->papi);
	tid = mpxi_self ? mpxi_self->tid : 0;
	mpxi_thread_end();
	/* Do not do so while sets of other threads are attached to this thread, since their PAPI event
	 * sets use PAPI's data about the thread. */
	if (introduced && !thread_is_wanted(tid))
		mpxi_papi_leave();
}

/* Arm or disarm the timer. Also called in the handler that starts and stops members of process-wide sets
 * (process_ask.c). */
static int share_thread_timer(void *arg, bool on)
{
	struct mpxi_thread *thread = arg;

	thread->shares = on;
	if (thread->keep_armed)
		return 0;
	if (on)
		return mpxi_timer_arm(&thread->timer);
	mpxi_timer_disarm(&thread->timer);
	return 0;
}

static bool mend_thread_timer(void *arg)
{
	struct mpxi_thread *thread = arg;

	return mpxi_timer_mend(&thread->timer);
}

static int create_thread_record(struct mpxi_library *library, struct mpxi_thread *thread)
{
	struct mpxi_core_options options = {
		.ops = &mpxi_papi_ops,
		.sharing = share_thread_timer,
		.arg = thread,
		.overdue = mend_thread_timer,
	};
	/* Also finds the thread's stack. */
	int error = mpxi_inside_prepare();

	if (!error)
		error = mpxi_papi_create(&library->backend, &thread->papi);
	if (error) {
		mpxi_inside_leave();
		return error;
	}
	options.backend = thread->papi;
	options.covariate = mpxi_papi_has_covariate(thread->papi);
	mpxi_tick_options(&options, library->slice_ns, thread);
	if (library->seed)
		options.seed = library->seed + library->begun;
	error = mpxi_core_create(&options, &thread->core);
	if (!error) {
		error = mpxi_timer_open(&thread->timer, library->timers);
		if (error)
			mpxi_core_destroy(thread->core);
	}
	if (error) {
		mpxi_papi_destroy(thread->papi);
		mpxi_inside_leave();
	}
	return error;
}

static int register_locked(struct mpxi_library *library, struct mpxi_thread **made)
{
	struct mpxi_thread *thread;
	int error = mpxi_thread_exit_prepare(end_thread_record);

	/* A forked child has no timers. */
	if (!error && !library->timers)
		error = mpxi_timers_create(library->timer, library->slice_ns, library->signal_number,
					   library->tick_sig, &library->timers);
	if (error)
		return error;
	thread = mpxi_error_prepare() ? calloc(1, sizeof(*thread)) : NULL;
	if (!thread)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a thread's event sets");
	thread->tid = gettid();
	error = create_thread_record(library, thread);
	if (error) {
		free(thread);
		return error;
	}
	error = mpxi_thread_exit_keep(thread);
	if (error) {
		destroy_thread_record(thread);
		return error;
	}
	thread->next = library->first_thread;
	if (thread->next)
		thread->next->previous = thread;
	library->first_thread = thread;
	library->threads++;
	library->begun++;
	*made = thread;
	return 0;
}

/* Check that no signal handler has left a call of the thread with longjmp, since data may then be half
 * changed. frame is the stack frame of the present call. */
static int check_thread_whole(const struct mpxi_thread *thread, const void *frame)
{
	if (!mpxi_core_was_left(thread->core, frame) && !mpxi_targets_left(thread, frame))
		return 0;
	return mpxi_error(MPXI_ESYS,
			  "a signal handler has jumped out of a call of libmpx in this thread, whose "
			  "event sets are lost: call mpx_thread_end");
}

int mpxi_thread_get(struct mpxi_thread **found)
{
	struct mpxi_library *library = mpxi_library_lock();
	struct mpxi_thread *thread = mpxi_self;
	bool fresh = !thread;
	int error;

	if (!library)
		return MPXI_ENOINIT;
	if (fresh)
		error = register_locked(library, &thread);
	else
		error = check_thread_whole(thread, __builtin_frame_address(0));
	mpxi_library_unlock();
	if (error)
		return error;
	atomic_signal_fence(memory_order_release); /* a handler on this thread sees the complete state */
	mpxi_self = thread;
	mpxi_process_visit(thread, fresh);
	*found = thread;
	return 0;
}

int mpxi_thread_find(int number, struct mpxi_handle **handle)
{
	struct mpxi_thread *owner = mpxi_handle_owner(number);
	int error = mpxi_library_check();

	if (error)
		return error;
	if (!owner)
		return mpxi_error(MPXI_ENOEVST, "there is no event set %d", number);
	if (owner != mpxi_self)
		return mpxi_error(MPXI_EPERM,
				  "event set %d belongs to another thread: create one in this thread",
				  number);
	error = check_thread_whole(owner, __builtin_frame_address(0));
	if (error)
		return error;
	*handle = mpxi_handle_at(number);
	mpxi_process_visit(owner, false);
	return 0;
}

/* Close the thread's handles. Their event sets are destroyed with the core. */
static void close_sets(struct mpxi_thread *thread, bool gone)
{
	struct mpxi_handle *handle;

	while ((handle = thread->sets)) {
		mpxi_handle_close(thread, handle);
		if (handle->process)
			mpxi_process_destroy(handle->process, gone);
		mpxi_handle_free(handle);
	}
}

void mpxi_thread_end(void)
{
	struct mpxi_thread *thread = mpxi_self;
	struct mpxi_library *library;
	bool gone;

	if (!thread)
		return;
	gone = mpxi_papi_is_gone(thread->papi);
	/* After this call no requests reach the thread. */
	mpxi_process_leave(thread, gone);
	close_sets(thread, gone);
	mpxi_targets_destroy(thread, gone);
	library = mpxi_library_lock();
	if (library) {
		if (thread->previous)
			thread->previous->next = thread->next;
		else
			library->first_thread = thread->next;
		if (thread->next)
			thread->next->previous = thread->previous;
		mpxi_library_unlock();
	}
	(void)mpxi_thread_exit_keep(NULL);
	destroy_thread_record(thread);
	/* Another thread may shut down the library only after this decrement. */
	if (library && (library = mpxi_library_lock())) {
		library->threads--;
		mpxi_library_unlock();
	}
}
