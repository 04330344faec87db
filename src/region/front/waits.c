/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waits.c - stands in for condition variables and semaphores of POSIX, by which threads hand on work. A
 * region is a lower bound if it wakes a thread without regions, or waits until such a thread wakes it, as
 * with a pool of threads.
 * Terms: region/front/front.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_cond_clockwait, sem_clockwait */
#endif
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "region/front/front.h"
#include "region/front/real.h"

/* Size of the tables, which are indexed by the object's hash. If another object takes an object's entry, the
 * wait or wake is missed. */
enum { OBJECTS = 512 };

static _Atomic(const void *) awaited[OBJECTS]; /* objects that a thread without regions waits for */
static _Atomic(const void *) woken[OBJECTS];   /* objects that a thread without regions woke last */
static void *_Atomic real_post;                /* found early, since signal handlers call sem_post */

/* Touch the pages of the tables, so that they cost the program no page faults. */
static __attribute__((constructor)) void waits_begin(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		atomic_store_explicit(&awaited[i], NULL, memory_order_relaxed);
		atomic_store_explicit(&woken[i], NULL, memory_order_relaxed);
	}
	(void)upcr_real_of(&real_post, "sem_post", NULL);
}

static unsigned waits_place(const void *object)
{
	return (unsigned)((uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u >> 55);
}

static bool waits_has(_Atomic(const void *) *table, const void *object)
{
	return atomic_load_explicit(&table[waits_place(object)], memory_order_relaxed) == object;
}

static void waits_put(_Atomic(const void *) *table, const void *object, const void *value)
{
	if (waits_has(table, object) != (value != NULL))
		atomic_store_explicit(&table[waits_place(object)], value, memory_order_relaxed);
}

static void waits_sleep(const void *object)
{
	if (upcr_is_without())
		waits_put(awaited, object, object);
}

/* After a successful wait (error is 0) on an object that a thread without regions woke last, make the
 * caller's open regions lower bounds. Return error. */
static int waits_wake_up(const void *object, int error)
{
	if (!error && waits_has(woken, object))
		upcr_hands_on();
	return error;
}

static void waits_wake(const void *object)
{
	if (upcr_is_without()) {
		waits_put(woken, object, object);
		return;
	}
	waits_put(woken, object, NULL);
	if (waits_has(awaited, object))
		upcr_hands_on();
}

UPCR_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	UPCR_FIND_REAL(int, "pthread_cond_signal", (pthread_cond_t *));

	waits_wake(cond);
	return real(cond);
}

UPCR_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	UPCR_FIND_REAL(int, "pthread_cond_broadcast", (pthread_cond_t *));

	waits_wake(cond);
	return real(cond);
}

UPCR_EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	UPCR_FIND_REAL(int, "pthread_cond_wait", (pthread_cond_t *, pthread_mutex_t *));

	waits_sleep(cond);
	return waits_wake_up(cond, real(cond, mutex));
}

UPCR_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				       const struct timespec *until)
{
	UPCR_FIND_REAL(int, "pthread_cond_timedwait",
		       (pthread_cond_t *, pthread_mutex_t *, const struct timespec *));

	waits_sleep(cond);
	return waits_wake_up(cond, real(cond, mutex, until));
}

UPCR_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				       const struct timespec *until)
{
	UPCR_FIND_REAL(int, "pthread_cond_clockwait",
		       (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *));

	waits_sleep(cond);
	return waits_wake_up(cond, real(cond, mutex, clock, until));
}

UPCR_EXPORT int sem_post(sem_t *semaphore)
{
	int (*real)(sem_t *);

	*(void **)&real = upcr_real_of(&real_post, "sem_post", NULL);
	waits_wake(semaphore);
	return real(semaphore);
}

UPCR_EXPORT int sem_wait(sem_t *semaphore)
{
	UPCR_FIND_REAL(int, "sem_wait", (sem_t *));

	waits_sleep(semaphore);
	return waits_wake_up(semaphore, real(semaphore));
}

UPCR_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
	UPCR_FIND_REAL(int, "sem_timedwait", (sem_t *, const struct timespec *));

	waits_sleep(semaphore);
	return waits_wake_up(semaphore, real(semaphore, until));
}

UPCR_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	UPCR_FIND_REAL(int, "sem_clockwait", (sem_t *, clockid_t, const struct timespec *));

	waits_sleep(semaphore);
	return waits_wake_up(semaphore, real(semaphore, clock, until));
}
