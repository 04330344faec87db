/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library.c - initializes and shuts down the library: options, threads, fork.
 *
 * Terms: process/thread.h.
 */
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "ticker/inside.h"
#include "ticker/tick.h"
#include "mpx.h"
#include "base/sized.h"
#include "process/library_state.h"
#include "process/target.h"
#include "process/thread.h"

static struct mpxi_library_state *const state = &mpxi_library_state;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT, fork_with_papi_once = PTHREAD_ONCE_INIT,
		      fork_again_once = PTHREAD_ONCE_INIT;

/*
 * Handle a tick, or a request for one of this thread's members. Calls mpxi_inside_sig (inside.c lists the
 * functions of libc that it calls), the core (tick.h) and, through the core, the backend (papi_group.c
 * lists its calls), and mpxi_process_answer_sig. Accesses only the thread's own state.
 * scripts/sim/sim-truth identifies this function by its name.
 */
static void tick_sig(void *context)
{
	struct mpxi_thread *thread = mpxi_self;
	enum mpxi_tick tick;
	bool asked;

	if (!thread)
		return;
	tick = mpxi_tick_look_sig(thread->core, context, mpxi_inside_sig);
	if (tick == MPXI_TICK_ACTS && mpxi_targets_held_sig(thread))
		tick = MPXI_TICK_PUT_OFF;
	asked = mpxi_process_is_asked_sig(thread);
	if (asked && tick != MPXI_TICK_ACTS)
		mpxi_process_put_off_sig(thread);
	else if (asked)
		mpxi_process_answer_sig(thread);
	/* A signal that came with a request does not end a slice. */
	if (!asked)
		thread->put_off += mpxi_tick_sig(thread->core, tick);
}

/* ---- fork -------------------------------------------------------------------------- */

/*
 * Number of calls of lock_library_before_fork at the present fork that unlock_library_after_fork or
 * clear_library_in_child has not undone yet. Libmpx's locks are held around calls of PAPI, so at a fork
 * they must be taken before the locks of PAPI and libupc. The prepare handler that was registered last with
 * pthread_atfork runs first. The component upc registers its handlers in PAPI_library_init, and libupc when
 * its first event is added, so libmpx's handlers are registered again after each of the two. Only the first
 * call at a fork takes the locks.
 */
static __thread unsigned forking;

static void lock_library_before_fork(void)
{
	if (forking++)
		return;
	mpxi_process_before_fork();
	pthread_mutex_lock(&state->lock);
}

static void unlock_library_after_fork(void)
{
	if (--forking)
		return;
	pthread_mutex_unlock(&state->lock);
	mpxi_process_after_fork();
}

/* Clear the library in the forked child, which has only this thread. The data of the parent's other
 * threads is neither changed nor freed, since the fork may have come while they changed it. */
static void clear_library_in_child(void)
{
	struct mpxi_thread *self = mpxi_self;

	if (--forking)
		return;
	mpxi_process_in_child(self);
	mpxi_papi_names_in_child();
	if (state->phase != MPXI_ABSENT) {
		mpxi_self = NULL;
		if (self) {
			mpxi_targets_forget(self);
			mpxi_timer_forget(&self->timer);
			mpxi_core_forget(self->core);
			mpxi_papi_forget(self->papi);
			mpxi_inside_leave();
			while (self->sets) {
				struct mpxi_handle *handle = self->sets;

				self->sets = handle->next;
				mpxi_handle_free(handle);
			}
			free(self);
		}
		mpxi_handles_forget();
		mpxi_timers_forget(state->library.timers);
		state->library.timers = NULL;
		state->library.first_thread = NULL;
		state->library.threads = 0;
	}
	/* If a thread was closing the library, it does not exist in the child. */
	if (state->phase == MPXI_CLOSING)
		state->phase = MPXI_ABSENT;
	pthread_mutex_unlock(&state->lock); /* held by this thread since lock_library_before_fork */
}

static void watch_library_forks(void)
{
	/* Without these handlers a forked child would use its parent's counters. Registration fails only
	 * if memory is short, and the next allocation reports that. */
	(void)pthread_atfork(lock_library_before_fork, unlock_library_after_fork, clear_library_in_child);
}

void mpxi_library_event_added(void)
{
	(void)pthread_once(&fork_again_once, watch_library_forks);
}

/* ---- init -------------------------------------------------------------------------- */

static int check_library_options(const struct mpx_options *o)
{
	if (o->slice_ns && (o->slice_ns < MPXI_SLICE_MIN || o->slice_ns > MPXI_SLICE_MAX))
		return mpxi_error(
			PAPI_EINVAL,
			"slice_ns is %llu: a time slice is from 100000 (100 us) to 10000000000 (10 s)",
			(unsigned long long)o->slice_ns);
	if ((unsigned)o->timer > MPX_TIMER_VIRTUAL)
		return mpxi_error(PAPI_EINVAL, "timer is %d, which is none of enum mpx_timer", (int)o->timer);
	if ((unsigned)o->clock > MPX_CLOCK_USER)
		return mpxi_error(PAPI_EINVAL, "clock is %d, which is none of enum mpx_clock", (int)o->clock);
	if ((unsigned)o->estimator > MPX_ESTIMATOR_COVARIATE)
		return mpxi_error(PAPI_EINVAL, "estimator is %d, which is none of enum mpx_estimator",
				  (int)o->estimator);
	if (o->estimator == MPX_ESTIMATOR_COVARIATE &&
	    (!o->covariate || strcmp(o->covariate, MPX_NO_COVARIATE) == 0))
		return mpxi_error(PAPI_EINVAL,
				  "the covariate estimator wants the option covariate: the name of an event");
	return 0;
}

static enum mpxi_estimator choose_estimator(const struct mpx_options *o)
{
	switch (o->estimator) {
	case MPX_ESTIMATOR_RATIO:
		return MPXI_RATIO;
	case MPX_ESTIMATOR_INTERPOLATED:
		return MPXI_INTERPOLATED;
	case MPX_ESTIMATOR_COVARIATE:
		return MPXI_COVARIATE;
	case MPX_ESTIMATOR_AUTO:
		break;
	}
	return MPXI_AUTO;
}

static int init_library(const struct mpx_options *o)
{
	struct mpxi_library made = {
		.backend = {.clock = o->clock, .group_max = o->group_max},
		.estimator = choose_estimator(o),
		.slice_ns = o->slice_ns ? o->slice_ns : MPXI_SLICE_DEFAULT,
		.seed = o->seed,
		.signal_number = o->signal_number,
		.tick_sig = tick_sig,
	};
	struct mpxi_papi *trial;
	int error = mpxi_papi_init();
	bool none = o->covariate && strcmp(o->covariate, MPX_NO_COVARIATE) == 0;

	(void)pthread_once(&fork_with_papi_once, watch_library_forks);
	made.backend.may_serve = !o->covariate && o->estimator == MPX_ESTIMATOR_AUTO;
	if (!error && o->covariate && !none) {
		error = mpxi_papi_code(o->covariate, &made.backend.covariate);
		made.backend.has_covariate = true;
	}
	if (!error)
		error = mpxi_inside_find();
	/* Try the requested clock and covariate now, so that this call returns the error. */
	if (!error && (o->clock != MPX_CLOCK_AUTO || made.backend.has_covariate)) {
		error = mpxi_papi_create(&made.backend, &trial);
		if (!error)
			mpxi_papi_destroy(trial);
	}
	if (!error)
		error = mpxi_timers_create((enum mpxi_timer_kind)o->timer, made.slice_ns, made.signal_number,
					   tick_sig, &made.timers);
	if (error)
		return error;
	made.timer = mpxi_timers_kind(made.timers);
	made.signal_number = mpxi_timers_signal(made.timers);
	state->library = made;
	return 0;
}

static void set_phase_locked(int now)
{
	state->phase = now;
	atomic_store_explicit(&state->ready, now == MPXI_READY, memory_order_release);
}

int mpx_library_init(int abi, const struct mpx_options *given)
{
	static const struct upci_sized sized = UPCI_SIZED(mpx_options, seed, mpxi_error);
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	int error = 0;

	if (abi != MPX_ABI_VERSION)
		return mpxi_error(PAPI_EINVAL,
				  "the program was built for ABI %d of libmpx, this is %d: build it again",
				  abi, MPX_ABI_VERSION);
	if (given)
		error = upci_sized_take(&sized, &o, given);
	if (!error)
		error = check_library_options(&o);
	if (error)
		return error;
	pthread_once(&fork_once, watch_library_forks);
	pthread_mutex_lock(&state->lock);
	if (state->phase == MPXI_READY)
		error = mpxi_error(PAPI_EISRUN, "mpx_library_init has been called already");
	else if (state->phase == MPXI_CLOSING)
		error = mpxi_error(PAPI_EISRUN, "another thread is in mpx_library_shutdown");
	else
		error = init_library(&o);
	if (!error)
		set_phase_locked(MPXI_READY);
	pthread_mutex_unlock(&state->lock);
	return error;
}

int mpx_library_shutdown(void)
{
	struct mpxi_library *l = mpxi_library_lock();
	unsigned others;

	if (!l)
		return PAPI_ENOINIT;
	others = l->threads - (mpxi_self != NULL);
	if (!others)
		set_phase_locked(MPXI_CLOSING);
	mpxi_library_unlock();
	if (others)
		return mpxi_error(PAPI_EISRUN,
				  "%u other threads are registered: they end, or call mpx_thread_end, first",
				  others);
	/* From here on no thread can enter the library. */
	mpxi_thread_end();
	/* The lock is held so that the child of a concurrent fork has either complete timers or none. */
	pthread_mutex_lock(&state->lock);
	mpxi_timers_destroy(state->library.timers);
	state->library = (struct mpxi_library){0};
	set_phase_locked(MPXI_ABSENT);
	pthread_mutex_unlock(&state->lock);
	return PAPI_OK;
}

int mpx_library_get_info(struct mpx_library_info *info)
{
	static const struct upci_sized sized = UPCI_SIZED(mpx_library_info, threads, mpxi_error);
	struct mpx_library_info mine = {0};
	struct mpxi_library *l = mpxi_library_lock();
	int error;

	if (!l)
		return PAPI_ENOINIT;
	mine.slice_ns = l->slice_ns;
	mine.timer = (enum mpx_timer)l->timer;
	mine.estimator = l->estimator == MPXI_RATIO          ? MPX_ESTIMATOR_RATIO
			 : l->estimator == MPXI_COVARIATE    ? MPX_ESTIMATOR_COVARIATE
			 : l->estimator == MPXI_INTERPOLATED ? MPX_ESTIMATOR_INTERPOLATED
							     : MPX_ESTIMATOR_AUTO;
	mine.signal_number = l->signal_number;
	mine.threads = l->threads;
	mpxi_library_unlock();
	error = upci_sized_check(&sized, info);
	if (!error)
		upci_sized_give(&sized, info, &mine);
	return error;
}

const char *mpx_version(void)
{
	return UPC_VERSION_STRING;
}

const char *mpx_last_message(void)
{
	return mpxi_last_message();
}
