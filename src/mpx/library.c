/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library.c - the library's life: options, threads, fork.
 */
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "inside.h"
#include "mpx.h"
#include "thread.h"

/* Where the first release's structures end. */
#define LEAST(type, last) (offsetof(struct type, last) + sizeof(((struct type *)0)->last))

enum { SLICE_DEFAULT = 10000000 };

/* See mpxi_library_lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static struct mpxi_library library;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

struct mpxi_library *mpxi_library_lock(void)
{
	pthread_mutex_lock(&lock);
	if (ready)
		return &library;
	pthread_mutex_unlock(&lock);
	mpxi_error(MPXI_ENOINIT, "call mpx_library_init first");
	return NULL;
}

void mpxi_library_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

enum mpxi_estimator mpxi_library_estimator(void)
{
	/* Set before there is an event set, and constant then. */
	return library.estimator;
}

/*
 * A tick. It calls: mpxi_inside_sig, whose file lists its own calls; the core, and
 * through it the backend, whose file does likewise. The thread's own state only.
 */
void mpxi_library_tick_sig(void *context)
{
	struct mpxi_thread *thread = mpxi_self;

	if (!thread)
		return;
	/* A thread in this library is in PAPI often, and acts on the tick on its way out. */
	if (!mpxi_core_is_held_sig(thread->core) && mpxi_inside_sig(context))
		thread->put_off++;
	else
		mpxi_core_tick_sig(thread->core);
}

/* ---- fork -------------------------------------------------------------------------- */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* Only this thread is here. Of the others nothing is touched, not even freed: they may
 * have been anywhere. */
static void in_child(void)
{
	struct mpxi_thread *self = mpxi_self;

	if (ready) {
		mpxi_self = NULL;
		if (self) {
			mpxi_timer_forget(&self->timer);
			mpxi_core_forget(self->core);
			mpxi_papi_forget(self->papi);
			while (self->sets) {
				struct mpxi_handle *handle = self->sets;

				self->sets = handle->next;
				free(handle->value);
				free(handle);
			}
			free(self);
		}
		mpxi_handles_forget();
		mpxi_timers_forget(library.timers);
		library.timers = NULL;
		library.first_thread = NULL;
		library.threads = 0;
	}
	pthread_mutex_init(&lock, NULL);
}

static void watch_forks(void)
{
	/* Without it a child would count for its parent; it fails for want of memory only,
	 * and what allocates next says so. */
	(void)pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- init -------------------------------------------------------------------------- */

static int check_options(const struct mpx_options *o)
{
	if (o->slice_ns && (o->slice_ns < 100000 || o->slice_ns > UINT64_C(10000000000)))
		return mpxi_error(PAPI_EINVAL,
				  "slice_ns is %llu: a time slice is from 100000 (100 us) to 10000000000 (10 s)",
				  (unsigned long long)o->slice_ns);
	if ((unsigned)o->timer > MPX_TIMER_VIRTUAL)
		return mpxi_error(PAPI_EINVAL, "timer is %d, which is none of enum mpx_timer",
				  (int)o->timer);
	if ((unsigned)o->clock > MPX_CLOCK_CPU)
		return mpxi_error(PAPI_EINVAL, "clock is %d, which is none of enum mpx_clock",
				  (int)o->clock);
	if ((unsigned)o->estimator > MPX_ESTIMATOR_COVARIATE)
		return mpxi_error(PAPI_EINVAL,
				  "estimator is %d, which is none of enum mpx_estimator",
				  (int)o->estimator);
	if (o->estimator == MPX_ESTIMATOR_COVARIATE && !o->covariate)
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
	return o->covariate ? MPXI_COVARIATE : MPXI_INTERPOLATED;
}

static int init(const struct mpx_options *o)
{
	struct mpxi_library made = {
		.backend = {.clock = (enum mpxi_clock)o->clock, .group_max = o->group_max},
		.estimator = choose_estimator(o),
		.slice_ns = o->slice_ns ? o->slice_ns : SLICE_DEFAULT,
		.seed = o->seed,
		.signal_number = o->signal_number,
	};
	int error = mpxi_papi_init();

	if (!error && o->covariate) {
		error = mpxi_papi_code(o->covariate, &made.backend.covariate);
		made.backend.has_covariate = true;
	}
	if (!error)
		error = mpxi_inside_prepare();
	if (!error)
		error = mpxi_timers_create((enum mpxi_timer_kind)o->timer, made.slice_ns,
					   made.signal_number, mpxi_library_tick_sig, &made.timers);
	if (error)
		return error;
	made.timer = mpxi_timers_kind(made.timers);
	made.signal_number = mpxi_timers_signal(made.timers);
	library = made;
	return 0;
}

int mpx_library_init(int abi, const struct mpx_options *given)
{
	struct mpx_options o = {0};
	int error;

	if (abi != MPX_ABI_VERSION)
		return mpxi_error(PAPI_EINVAL,
				  "the program was built for ABI %d of libmpx, this is %d: build it again",
				  abi, MPX_ABI_VERSION);
	if (given && !mpxi_struct_take(&o, sizeof(o), given, given->size, LEAST(mpx_options, seed)))
		return mpxi_error(PAPI_EINVAL,
				  "options that this libmpx does not know, or a size that is not set: use MPX_OPTIONS_INIT");
	error = check_options(&o);
	if (error)
		return error;
	pthread_once(&fork_once, watch_forks);
	pthread_mutex_lock(&lock);
	if (ready)
		error = mpxi_error(PAPI_EISRUN, "mpx_library_init has been called already");
	else
		error = init(&o);
	ready = ready || !error;
	pthread_mutex_unlock(&lock);
	return error;
}

int mpx_library_shutdown(void)
{
	struct mpxi_library *l;
	unsigned others;

	mpxi_thread_end();
	l = mpxi_library_lock();
	if (!l)
		return PAPI_ENOINIT;
	others = l->threads;
	if (!others) {
		mpxi_timers_destroy(l->timers);
		*l = (struct mpxi_library){0};
		ready = false;
	}
	mpxi_library_unlock();
	if (others)
		return mpxi_error(PAPI_EISRUN,
				  "%u other threads have event sets: they call mpx_thread_end first",
				  others);
	return PAPI_OK;
}

int mpx_library_get_info(struct mpx_library_info *info)
{
	struct mpx_library_info mine = {0};
	struct mpxi_library *l = mpxi_library_lock();

	if (!l)
		return PAPI_ENOINIT;
	mine.slice_ns = l->slice_ns;
	mine.timer = (enum mpx_timer)l->timer;
	mine.estimator = l->estimator == MPXI_RATIO	   ? MPX_ESTIMATOR_RATIO
			 : l->estimator == MPXI_COVARIATE ? MPX_ESTIMATOR_COVARIATE
							   : MPX_ESTIMATOR_INTERPOLATED;
	mine.signal_number = l->signal_number;
	mine.threads = l->threads;
	mpxi_library_unlock();
	if (!mpxi_struct_give(info, info->size, &mine, sizeof(mine),
			      LEAST(mpx_library_info, threads)))
		return mpxi_error(PAPI_EINVAL, "the size of mpx_library_info is not set: use MPX_OPTIONS_INIT");
	return PAPI_OK;
}

const char *mpx_version(void)
{
	return UPC_VERSION_STRING;
}

const char *mpx_last_message(void)
{
	return mpxi_last_message();
}
