/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.c - stands in for pthread_create and thrd_create. A thread is part of the regions in which it is
 * created; a thread that an OpenMP runtime creates is a worker of its teams.
 * Terms: region/front/front.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "region/front/front.h"
#include "region/front/ompt.h"
#include "region/front/real.h"

/* Making a thread's counters takes about 20 KiB of its stack. */
enum { LEAST_STACK = 64 * 1024 };

struct creation {
	union {
		void *(*pthread)(void *argument);
		thrd_start_t thrd;
	} start;
	void *argument;
	struct upcr_instance *birth;
	bool worker;
};

/* True if the thread is created by an OpenMP runtime whose teams this library follows: such threads work for
 * teams, and wait between teams. */
static bool threads_are_of_runtime(void *(*start)(void *))
{
	void *place;
	Dl_info object;
	const char *name;

	memcpy(&place, &start, sizeof(place));
	if (!dladdr(place, &object) || !object.dli_fname)
		return false;
	name = strrchr(object.dli_fname, '/');
	name = name ? name + 1 : object.dli_fname;
	if (!strncmp(name, "libgomp", 7))
		return true;
	return (!strncmp(name, "libomp", 6) || !strncmp(name, "libiomp5", 8)) && upcr_ompt_sees();
}

static bool threads_have_room(const pthread_attr_t *attributes)
{
	pthread_attr_t usual;
	size_t size = LEAST_STACK;

	if (attributes)
		return pthread_attr_getstacksize(attributes, &size) || size >= LEAST_STACK;
	if (pthread_getattr_default_np(&usual) == 0) {
		(void)pthread_attr_getstacksize(&usual, &size);
		pthread_attr_destroy(&usual);
	}
	return size >= LEAST_STACK;
}

/* Begin the new thread, and free its struct creation before the program's function runs, so that a
 * cancellation of the thread leaks nothing. */
static struct creation threads_begin(void *own)
{
	const struct creation creation = *(struct creation *)own;

	if (creation.worker)
		upcr_begin_worker();
	else
		upcr_begin_thread(creation.birth);
	free(own); /* the thread's first use of malloc is this call of ours */
	return creation;
}

static void *threads_run(void *own)
{
	struct creation creation = threads_begin(own);

	return creation.start.pthread(creation.argument);
}

static int threads_run_thrd(void *own)
{
	struct creation creation = threads_begin(own);

	return creation.start.thrd(creation.argument);
}

/* Return the struct creation to pass to the new thread. NULL if the thread is to be created uncounted. */
static struct creation *threads_prepare(bool worker, bool has_room, void *argument)
{
	struct upcr_instance *birth = NULL;
	struct creation *creation;

	if (!worker && !upcr_birth(&birth))
		return NULL;
	creation = has_room ? malloc(sizeof(*creation)) : NULL;
	if (creation)
		*creation = (struct creation){.argument = argument, .birth = birth, .worker = worker};
	else
		upcr_no_thread(birth, true);
	return creation;
}

static void threads_drop(struct creation *creation)
{
	if (!creation->worker)
		upcr_no_thread(creation->birth, false);
	free(creation);
}

UPCR_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       void *(*start)(void *argument), void *argument)
{
	struct creation *creation =
		threads_prepare(threads_are_of_runtime(start), threads_have_room(attributes), argument);
	int error;
	UPCR_FIND_REAL(int, "pthread_create",
		       (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));

	if (!creation)
		return real(thread, attributes, start, argument);
	creation->start.pthread = start;
	error = real(thread, attributes, threads_run, creation);
	if (error)
		threads_drop(creation);
	return error;
}

UPCR_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	struct creation *creation = threads_prepare(false, threads_have_room(NULL), argument);
	int error;
	UPCR_FIND_REAL(int, "thrd_create", (thrd_t *, thrd_start_t, void *));

	if (!creation)
		return real(thread, start, argument);
	creation->start.thrd = start;
	error = real(thread, threads_run_thrd, creation);
	if (error != thrd_success)
		threads_drop(creation);
	return error;
}
