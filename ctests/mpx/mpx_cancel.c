/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_cancel.c - a thread that is cancelled ends where it says so, not in the handler that
 * ends a time slice, which reads descriptors in the middle of anything.
 */
#include <stdatomic.h>

#include "mpx_util.h"

static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stage; /* 1: in the section, 2: behind it */
static atomic_ullong slices;

static unsigned long long slices_now(void)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	return mpx_thread_get_info(&info) ? 0 : info.slices;
}

static void *sharing(void *pending)
{
	const char *names[] = {FAULTS, MINOR};
	volatile unsigned long burnt = 0;
	unsigned long i;
	int set, state, k;

	works(mpx_set_create(&set));
	for (k = 0; k < 2; k++)
		works(mpx_set_add_named_event(set, names[k]));
	works(mpx_set_start(set));
	pthread_mutex_lock(&section);
	atomic_store(&stage, 1);
	while (!atomic_load((atomic_int *)pending))
		burnt = burnt + 1;
	/* No place to end from here on, and some hundred slices. */
	for (i = 0; i < 300000000; i++)
		burnt = burnt + i;
	atomic_store(&stage, 2);
	pthread_mutex_unlock(&section);
	/* This reads a counter, and would be the end. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	atomic_store(&slices, slices_now());
	pthread_setcancelstate(state, NULL);
	pthread_testcancel();
	return NULL;
}

int main(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	atomic_int pending = 0;
	void *result = NULL;
	pthread_t thread;

	options.slice_ns = 1000000;
	options.group_max = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	ok(!pthread_create(&thread, NULL, sharing, &pending), "a thread");
	while (!atomic_load(&stage))
		sched_yield();
	pthread_cancel(thread);
	atomic_store(&pending, 1);
	pthread_join(thread, &result);
	ok(result == PTHREAD_CANCELED, "it is cancelled");
	ok(atomic_load(&stage) == 2, "behind its critical section");
	ok(!pthread_mutex_trylock(&section), "whose lock is free");
	ok(atomic_load(&slices) > 1, "slices ended in it: %llu", atomic_load(&slices));
	works(mpx_library_shutdown());
	return done();
}
