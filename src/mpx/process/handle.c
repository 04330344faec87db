/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle.c - numbers of event sets. A number is looked up without a lock, and what
 * stands behind it is touched only by the thread that owns it: so another thread's
 * wrong or late number never meets memory that is gone.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/error.h"
#include "process/thread.h"

enum { CHUNK = 256, CHUNKS = 4096 };

struct place {
	_Atomic(struct mpxi_thread *) owner; /* NULL: free. Partner: find, on any thread */
	struct mpxi_handle *handle;          /* the owner's alone */
	int next_free;
};

/* Chunks are made and never moved. Partner: open, under the lock. */
static _Atomic(struct place *) chunk[CHUNKS];
/* Protects what follows, and the making of chunks; nests in nothing. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first_free = -1, numbers;

static struct place *place_of(int number)
{
	return &atomic_load_explicit(&chunk[number / CHUNK], memory_order_acquire)[number % CHUNK];
}

static int new_number(int *number)
{
	struct place *made;

	if (first_free >= 0) {
		*number = first_free;
		first_free = place_of(first_free)->next_free;
		return 0;
	}
	if (numbers == CHUNK * CHUNKS)
		return mpxi_error(MPXI_ENOMEM, "there are %d event sets: destroy some first", numbers);
	if (numbers % CHUNK == 0) {
		made = calloc(CHUNK, sizeof(*made));
		if (!made)
			return mpxi_error(MPXI_ENOMEM, "out of memory for event sets");
		atomic_store_explicit(&chunk[numbers / CHUNK], made, memory_order_release);
	}
	*number = numbers++;
	return 0;
}

int mpxi_handle_open(struct mpxi_thread *thread, struct mpxi_handle *handle)
{
	struct place *place;
	int number = -1, error;

	pthread_mutex_lock(&lock);
	error = new_number(&number);
	pthread_mutex_unlock(&lock);
	if (error)
		return error;
	place = place_of(number);
	place->handle = handle;
	atomic_store_explicit(&place->owner, thread, memory_order_release);
	handle->number = number;
	handle->previous = NULL;
	handle->next = thread->sets;
	if (handle->next)
		handle->next->previous = handle;
	thread->sets = handle;
	return 0;
}

void mpxi_handle_close(struct mpxi_thread *thread, struct mpxi_handle *handle)
{
	struct place *place = place_of(handle->number);

	if (handle->previous)
		handle->previous->next = handle->next;
	else
		thread->sets = handle->next;
	if (handle->next)
		handle->next->previous = handle->previous;
	atomic_store_explicit(&place->owner, NULL, memory_order_release);
	pthread_mutex_lock(&lock);
	place->next_free = first_free;
	first_free = handle->number;
	pthread_mutex_unlock(&lock);
}

struct mpxi_thread *mpxi_handle_owner(int number)
{
	struct place *places = NULL;

	if (number >= 0 && number < CHUNK * CHUNKS)
		places = atomic_load_explicit(&chunk[number / CHUNK], memory_order_acquire);
	return places ? atomic_load_explicit(&places[number % CHUNK].owner, memory_order_acquire) : NULL;
}

struct mpxi_handle *mpxi_handle_at(int number)
{
	return place_of(number)->handle;
}

void mpxi_handle_free(struct mpxi_handle *handle)
{
	free(handle->value);
	free(handle);
}

void mpxi_handles_forget(void)
{
	int i;

	pthread_mutex_init(&lock, NULL);
	first_free = -1;
	for (i = numbers - 1; i >= 0; i--) {
		atomic_store_explicit(&place_of(i)->owner, NULL, memory_order_relaxed);
		place_of(i)->next_free = first_free;
		first_free = i;
	}
}
