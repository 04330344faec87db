/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - a thread's backend, core and timer, from its first event set to its end.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "error.h"
#include "thread.h"

__thread struct mpxi_thread *mpxi_self __attribute__((tls_model("initial-exec")));

/* Whose destructor ends a thread's state when the thread ends. */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int key_error;

static void destroy(struct mpxi_thread *thread)
{
	/* First the timer: from here on no tick comes. */
	mpxi_timer_close(&thread->timer);
	mpxi_self = NULL;
	while (thread->sets) {
		struct mpxi_handle *handle = thread->sets;

		mpxi_handle_close(thread, handle);
		free(handle->value);
		free(handle);
	}
	mpxi_core_destroy(thread->core);
	mpxi_papi_destroy(thread->papi);
	free(thread);
}

static void end_of_thread(void *unused)
{
	(void)unused;
	mpxi_thread_end();
}

static void make_key(void)
{
	key_error = pthread_key_create(&key, end_of_thread);
}

static int share(void *arg, bool on)
{
	struct mpxi_thread *thread = arg;

	if (on)
		return mpxi_timer_arm(&thread->timer);
	mpxi_timer_disarm(&thread->timer);
	return 0;
}

/* Different in each thread and run, unless the user has chosen one: threads that work in
 * step should not have their groups in step too. */
static uint64_t seed_of(const struct mpxi_library *library, const struct mpxi_thread *thread)
{
	struct timespec now;

	if (library->seed)
		return library->seed + library->threads;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec * UINT64_C(6364136223846793005) ^ (uintptr_t)thread;
}

static int create(struct mpxi_library *library, struct mpxi_thread *thread)
{
	struct mpxi_core_options options = {.ops = &mpxi_papi_ops, .sharing = share, .arg = thread};
	int error = mpxi_papi_create(&library->backend, &thread->papi);

	if (error)
		return error;
	options.backend = thread->papi;
	options.seed = seed_of(library, thread);
	error = mpxi_core_create(&options, &thread->core);
	if (!error) {
		error = mpxi_timer_open(&thread->timer, library->timers);
		if (error)
			mpxi_core_destroy(thread->core);
	}
	if (error)
		mpxi_papi_destroy(thread->papi);
	return error;
}

int mpxi_thread_get(struct mpxi_thread **found)
{
	struct mpxi_library *library = mpxi_library_lock();
	struct mpxi_thread *thread = mpxi_self;
	int error = 0;

	if (!library)
		return MPXI_ENOINIT;
	*found = thread;
	if (thread) {
		mpxi_library_unlock();
		return 0;
	}
	pthread_once(&key_once, make_key);
	if (key_error)
		error = mpxi_error(MPXI_ENOMEM, "no thread-specific key is left for the end of threads");
	/* A forked child has none. */
	if (!error && !library->timers)
		error = mpxi_timers_create(library->timer, library->slice_ns,
					   library->signal_number, mpxi_library_tick_sig,
					   &library->timers);
	thread = error ? NULL : calloc(1, sizeof(*thread));
	if (!error && !thread)
		error = mpxi_error(MPXI_ENOMEM, "out of memory for a thread's event sets");
	if (!error)
		error = create(library, thread);
	if (!error && pthread_setspecific(key, thread)) {
		destroy(thread);
		thread = NULL;
		error = mpxi_error(MPXI_ENOMEM, "out of memory for a thread's event sets");
	}
	if (error) {
		free(thread);
	} else {
		thread->next = library->first_thread;
		if (thread->next)
			thread->next->previous = thread;
		library->first_thread = thread;
		library->threads++;
		mpxi_self = thread;
		*found = thread;
	}
	mpxi_library_unlock();
	return error;
}

void mpxi_thread_end(void)
{
	struct mpxi_thread *thread = mpxi_self;
	struct mpxi_library *library;

	if (!thread)
		return;
	library = mpxi_library_lock();
	if (library) {
		if (thread->previous)
			thread->previous->next = thread->next;
		else
			library->first_thread = thread->next;
		if (thread->next)
			thread->next->previous = thread->previous;
		library->threads--;
		mpxi_library_unlock();
	}
	pthread_setspecific(key, NULL);
	destroy(thread);
}
