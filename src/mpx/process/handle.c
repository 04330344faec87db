/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle.c - the numbers of event sets. A number is looked up without a lock, and only the thread that owns
 * a set accesses its handle, so a wrong or outdated number never leads to freed memory.
 *
 * Each number has a place (struct place) in a table. The number is composed of the place's index and the
 * count of earlier uses of that place. The number of a destroyed set is invalid until half a million other
 * sets have been created.
 *
 * Terms: process/thread.h.
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/error.h"
#include "process/thread.h"

enum { CHUNK = 256, CHUNKS = 4096, PLACES = CHUNK * CHUNKS, USES = INT_MAX / PLACES + 1 };

struct place {
	/* NULL: the place is free. Pairs with the loads in mpxi_handle_owner, on any thread */
	_Atomic(struct mpxi_thread *) owner;
	struct mpxi_handle *handle; /* accessed by the owner only */
	/* count of uses modulo USES; changes only while the place is free. Read in mpxi_handle_owner */
	atomic_int use;
	int next_free;
};

/* Chunks of the table; NULL: not allocated yet. A chunk is never moved or freed. The store is in
 * take_handle_place_locked, under the lock. */
static _Atomic(struct place *) chunk[CHUNKS];
/* Protects the following variables and the allocation of chunks; nests in no other lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first_free = -1, last_free, places;

static struct place *place_at(int index)
{
	return &atomic_load_explicit(&chunk[index / CHUNK], memory_order_acquire)[index % CHUNK];
}

static struct place *place_of_number(int number)
{
	return place_at(number % PLACES);
}

static void free_place_locked(int index)
{
	struct place *place = place_at(index);
	const int use = atomic_load_explicit(&place->use, memory_order_relaxed);

	atomic_store_explicit(&place->use, (use + 1) % USES, memory_order_relaxed);
	place->next_free = -1;
	if (first_free >= 0)
		place_at(last_free)->next_free = index;
	else
		first_free = index;
	last_free = index;
}

/* Take a never used place of an existing chunk, else the place that has been free for the longest time. */
static int take_handle_place_locked(int *index)
{
	struct place *made;

	if (places % CHUNK == 0 && first_free >= 0) {
		*index = first_free;
		first_free = place_at(first_free)->next_free;
		return 0;
	}
	if (places == PLACES)
		return mpxi_error(MPXI_ENOMEM, "there are %d event sets: destroy some first", places);
	if (places % CHUNK == 0) {
		made = calloc(CHUNK, sizeof(*made));
		if (!made)
			return mpxi_error(MPXI_ENOMEM, "out of memory for event sets");
		atomic_store_explicit(&chunk[places / CHUNK], made, memory_order_release);
	}
	*index = places++;
	return 0;
}

int mpxi_handle_open(struct mpxi_thread *thread, struct mpxi_handle *handle)
{
	struct place *place;
	int index = -1, error;

	pthread_mutex_lock(&lock);
	error = take_handle_place_locked(&index);
	pthread_mutex_unlock(&lock);
	if (error)
		return error;
	place = place_at(index);
	place->handle = handle;
	atomic_store_explicit(&place->owner, thread, memory_order_release);
	handle->number = atomic_load_explicit(&place->use, memory_order_relaxed) * PLACES + index;
	handle->previous = NULL;
	handle->next = thread->sets;
	if (handle->next)
		handle->next->previous = handle;
	thread->sets = handle;
	return 0;
}

void mpxi_handle_close(struct mpxi_thread *thread, struct mpxi_handle *handle)
{
	struct place *place = place_of_number(handle->number);

	if (handle->previous)
		handle->previous->next = handle->next;
	else
		thread->sets = handle->next;
	if (handle->next)
		handle->next->previous = handle->previous;
	atomic_store_explicit(&place->owner, NULL, memory_order_release);
	pthread_mutex_lock(&lock);
	free_place_locked(handle->number % PLACES);
	pthread_mutex_unlock(&lock);
}

struct mpxi_thread *mpxi_handle_owner(int number)
{
	struct mpxi_thread *owner;
	struct place *place;

	if (number < 0 ||
	    !(place = atomic_load_explicit(&chunk[number % PLACES / CHUNK], memory_order_acquire)))
		return NULL;
	place += number % CHUNK;
	owner = atomic_load_explicit(&place->owner, memory_order_acquire);
	return atomic_load_explicit(&place->use, memory_order_relaxed) == number / PLACES ? owner : NULL;
}

struct mpxi_handle *mpxi_handle_at(int number)
{
	return place_of_number(number)->handle;
}

static void free_asked(struct mpxi_asked *asked)
{
	unsigned i;

	for (i = 0; i < asked->relations; i++) {
		free(asked->relation[i].event);
		free(asked->relation[i].coefficient);
	}
	free(asked->relation);
	free(asked->ratio);
}

unsigned mpxi_handle_index(const struct mpxi_handle *handle, uint32_t code)
{
	unsigned i, n = mpxi_set_events(handle->set);

	for (i = 0; i < n && mpxi_papi_code_of(mpxi_set_event(handle->set, i)) != code; i++)
		;
	return i;
}

void mpxi_handle_free(struct mpxi_handle *handle)
{
	free_asked(&handle->asked);
	mpxi_regions_clear(&handle->regions);
	free(handle->accum);
	free(handle->value);
	free(handle);
}

void mpxi_handles_forget(void)
{
	int i;

	pthread_mutex_init(&lock, NULL);
	first_free = -1;
	for (i = 0; i < places; i++) {
		atomic_store_explicit(&place_at(i)->owner, NULL, memory_order_relaxed);
		free_place_locked(i);
	}
}
