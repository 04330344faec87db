/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_sets.c - maps the event set numbers that the program sees to libmpx and PAPI sets.
 *
 * Terms: shim/shim.h.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/thread.h"
#include "shim/shim.h"
#include "shim/shim_real.h"
#include "shim/shim_report.h"

enum { CHUNK = 256, CHUNKS = SHIM_SETS / CHUNK, NOTED_MAX = 256, SHIM_EVENTS = 1024 };

/* Chunks of sets. Chunks are never moved or freed. They are stored with release under the lock; this
 * pairs with the acquire load in place_of_set, which takes no lock. */
static _Atomic(struct shim_set *) chunk[CHUNKS];
/* Protects the creation of chunks, and the three variables below. Taken while no other lock is held. No
 * signal handler takes it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first_free = -1;
static atomic_int numbers; /* numbers given out so far; shim_find_plain_sig reads it without the lock */
static unsigned serials;   /* sets created so far */

/* The thread's list of libmpx sets. The address of this variable identifies the thread (shim_set.owner). */
static __thread struct shim_set *mine __attribute__((tls_model("initial-exec")));

static struct shim_set *place_of_set(int index)
{
	struct shim_set *places = atomic_load_explicit(&chunk[index / CHUNK], memory_order_acquire);

	return places ? &places[index % CHUNK] : NULL;
}

static struct shim_set *take_set_place_locked(void)
{
	struct shim_set *set, *made;
	int index = first_free;

	if (index >= 0) {
		set = place_of_set(index);
		first_free = set->next_free;
		return set;
	}
	index = atomic_load(&numbers);
	if (index == SHIM_SETS)
		return NULL;
	if (index % CHUNK == 0) {
		made = calloc(CHUNK, sizeof(*made));
		if (!made)
			return NULL;
		atomic_store_explicit(&chunk[index / CHUNK], made, memory_order_release);
	}
	set = place_of_set(index);
	set->number = SHIM_FIRST + index;
	atomic_store(&numbers, index + 1);
	return set;
}

static void give_place_back(struct shim_set *set)
{
	pthread_mutex_lock(&lock);
	set->next_free = first_free;
	first_free = set->number - SHIM_FIRST;
	pthread_mutex_unlock(&lock);
}

int shim_create(int *number)
{
	struct shim_set *set;
	unsigned serial;
	int id, error;

	pthread_mutex_lock(&lock);
	set = take_set_place_locked();
	serial = ++serials;
	pthread_mutex_unlock(&lock);
	if (!set)
		return PAPI_ENOMEM;
	error = mpx_set_create(&id);
	if (error) {
		shim_say_once("an event set cannot be created: %s", mpx_last_message());
		give_place_back(set);
		return error;
	}
	set->id = id;
	set->owner = &mine;
	set->component = -1;
	set->running = set->multiplex = false;
	set->zero = true;
	set->handler = NULL;
	set->record = shim_wants_report() ? shim_record_create(gettid(), serial) : NULL;
	set->previous = NULL;
	set->next = mine;
	if (mine)
		mine->previous = set;
	mine = set;
	atomic_store_explicit(&set->kind, SHIM_MPX, memory_order_release);
	*number = set->number;
	return PAPI_OK;
}

struct shim_set *shim_find(int number, int *error)
{
	struct shim_set *set = place_of_set(number - SHIM_FIRST);
	enum shim_kind kind = SHIM_FREE;

	if (set)
		kind = atomic_load_explicit(&set->kind, memory_order_acquire);
	*error = PAPI_ENOEVST;
	if (kind == SHIM_FREE)
		return NULL;
	*error = PAPI_EPERM;
	if (kind == SHIM_MPX && set->owner != &mine) {
		shim_say_once("a thread calls PAPI on an event set of another thread: with "
			      "multiplexing a set is its thread's alone; create one in each thread");
		return NULL;
	}
	return set;
}

struct shim_set *shim_find_plain_sig(int id)
{
	int n = atomic_load_explicit(&numbers, memory_order_acquire), i;

	for (i = 0; i < n; i++) {
		struct shim_set *set = place_of_set(i);

		if (atomic_load_explicit(&set->kind, memory_order_acquire) == SHIM_PLAIN && set->id == id)
			return set;
	}
	return NULL;
}

/* Remove a libmpx set from its thread's list. Context: the set's own thread. */
static void unlink_mine(struct shim_set *set)
{
	if (set->previous)
		set->previous->next = set->next;
	else
		mine = set->next;
	if (set->next)
		set->next->previous = set->previous;
}

void shim_forget(struct shim_set *set)
{
	if (atomic_load(&set->kind) == SHIM_MPX)
		unlink_mine(set);
	if (set->record)
		shim_record_retire(set->record);
	set->record = NULL;
	atomic_store_explicit(&set->kind, SHIM_FREE, memory_order_release);
	give_place_back(set);
}

void shim_turn_plain(struct shim_set *set, int id)
{
	int old = set->id;

	unlink_mine(set);
	set->id = id;
	if (set->record) {
		shim_record_stop(set->record);
		shim_record_turn_plain(set->record);
	}
	atomic_store_explicit(&set->kind, SHIM_PLAIN, memory_order_release);
	(void)mpx_set_destroy(&old);
}

int shim_count_events(const struct shim_set *set)
{
	int n = 0;

	return mpx_set_list_events(set->id, NULL, &n) ? 0 : n;
}

static void note_stretch(struct shim_set *set, int i, int code)
{
	struct mpxi_pool stretch;

	if (shim_wants_places() && !mpxi_set_stretch(set->id, (unsigned)i, &stretch))
		shim_record_note_stretch(set->record, (unsigned)i, code, &stretch);
}

static int note_in(struct mpx_estimate *e, int n, struct shim_set *set, long long *values)
{
	struct mpxi_pool total;
	int error, i;

	e[0].size = sizeof(e[0]);
	error = mpx_set_estimates(set->id, e, n);
	for (i = 0; !error && i < n; i++) {
		error = mpxi_set_total(set->id, (unsigned)i, &total);
		if (!error)
			shim_record_note(set->record, (unsigned)i, e[i].code, &total);
		if (!error)
			note_stretch(set, i, e[i].code);
		if (values)
			values[i] = e[i].value;
	}
	return error;
}

int shim_note(struct shim_set *set, long long *values)
{
	struct mpx_estimate small[16], *e = small;
	int n = shim_count_events(set), error;

	if (n > 16) {
		e = calloc((size_t)n, sizeof(*e));
		if (!e)
			return PAPI_ENOMEM;
	}
	error = note_in(e, n, set, values);
	if (e != small)
		free(e);
	return error;
}

void shim_end_stretch(struct shim_set *set)
{
	int codes[SHIM_EVENTS], n = SHIM_EVENTS, i;

	if (!set->record || !shim_wants_places() || mpx_set_list_events(set->id, codes, &n))
		return;
	for (i = 0; i < n && i < SHIM_EVENTS; i++)
		note_stretch(set, i, codes[i]);
	shim_record_end_stretch(set->record);
}

void shim_note_thread(void)
{
	struct shim_set *set;

	for (set = mine; set; set = set->next)
		if (set->running && set->record)
			(void)shim_note(set, NULL);
}

void shim_note_thread_sig(void)
{
	static struct mpx_estimate estimates[NOTED_MAX]; /* only one thread ends the process */
	struct shim_set *set;

	for (set = mine; set; set = set->next) {
		const int n = shim_count_events(set);

		/* Skip the set if its record's lock is held, since the signal may have interrupted this
		 * thread while it held the lock. If another thread takes the lock after this test, that
		 * thread releases the lock soon, so note_in may wait for it. */
		if (!set->running || !set->record || n > NOTED_MAX ||
		    pthread_mutex_trylock(&set->record->lock))
			continue;
		pthread_mutex_unlock(&set->record->lock);
		(void)note_in(estimates, n, set, NULL);
	}
}

void shim_forget_thread(void)
{
	shim_note_thread();
	while (mine)
		shim_forget(mine);
}

static bool has_component(const struct shim_set *set, int component)
{
	int codes[64], n = 64, i;

	if (mpx_set_list_events(set->id, codes, &n))
		return false;
	for (i = 0; i < n && i < 64; i++)
		if (shim_real()->get_event_component(codes[i]) == component)
			return true;
	return n > 64; /* with more than 64 events, assume yes */
}

bool shim_thread_counts(int component)
{
	const struct shim_set *set;

	for (set = mine; set; set = set->next)
		if (set->running && has_component(set, component))
			return true;
	return false;
}

bool shim_was_used(void)
{
	return atomic_load(&numbers) > 0;
}

void shim_sets_in_child(void)
{
	int n = atomic_load(&numbers), i;

	pthread_mutex_init(&lock, NULL);
	mine = NULL;
	for (i = 0; i < n; i++) {
		struct shim_set *set = place_of_set(i);

		atomic_store(&set->kind, SHIM_FREE);
		set->record = NULL;
	}
	/* The parent's numbers are never used again, so the child's calls with them fail. */
	first_free = -1;
	serials = 0;
}
