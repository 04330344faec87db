/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_record.c - records of event sets: sums their counts, and merges records of destroyed sets.
 *
 * A record contains its set's counts in all stretches. A stretch lasts from a start, reset or accum to the
 * next reset, accum or stop. Some programs create and destroy millions of sets. Destroyed sets of a thread
 * with the same events are therefore merged into one record. If there are too many records, sets of
 * different threads are merged, too.
 *
 * Terms: shim/shim.h.
 */
#include "shim/shim_record.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RECORDS_MAX = 4096, SORTED_MAX = 1 << 16, PATIENCE_MS = 500 };

/* Protects the lists `first' and `retired', length and dropped. Taken before a record's lock. A report
 * in a signal handler waits at most half a second for it. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shim_record *first; /* records of existing sets */
static unsigned length;

/* Records of destroyed sets; length is their number. If there are more of them than a report has room for,
 * further records are only counted, in dropped. */
static struct shim_record *retired;
static unsigned long dropped;

static enum mpxi_estimator estimator = MPXI_AUTO;

static void link_locked(struct shim_record **list, struct shim_record *record)
{
	record->previous = NULL;
	record->next = *list;
	if (record->next)
		record->next->previous = record;
	*list = record;
}

static void unlink_record_locked(struct shim_record **list, struct shim_record *record)
{
	if (record->previous)
		record->previous->next = record->next;
	else
		*list = record->next;
	if (record->next)
		record->next->previous = record->previous;
}

static void destroy_record(struct shim_record *record)
{
	unsigned i;

	for (i = 0; i < record->rows; i++)
		free(record->row[i].name);
	free(record->row);
	shim_places_clear(&record->places);
	pthread_mutex_destroy(&record->lock);
	free(record);
}

struct shim_record *shim_record_create(pid_t thread, unsigned serial)
{
	struct shim_record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	pthread_mutex_init(&record->lock, NULL);
	record->thread = thread;
	record->serial = serial;
	record->sets = 1;
	pthread_mutex_lock(&list_lock);
	link_locked(&first, record);
	pthread_mutex_unlock(&list_lock);
	return record;
}

int shim_record_add(struct shim_record *record, int code, const char *name)
{
	int error = PAPI_OK;
	unsigned i;

	pthread_mutex_lock(&record->lock);
	for (i = 0; i < record->rows && record->row[i].code != code; i++)
		;
	if (i == record->rows && i == record->room) {
		unsigned room = record->room ? 2 * record->room : 8;
		struct shim_row *more = realloc(record->row, room * sizeof(*more));

		if (more) {
			record->row = more;
			record->room = room;
		} else {
			error = PAPI_ENOMEM;
		}
	}
	if (!error && i == record->rows) {
		record->row[i] = (struct shim_row){.code = code, .name = name ? strdup(name) : NULL};
		record->rows++;
	}
	pthread_mutex_unlock(&record->lock);
	return error;
}

/* ---- sums ---------------------------------------------------------------------------- */

void shim_record_estimate_by(enum mpxi_estimator wanted)
{
	estimator = wanted;
}

struct mpxi_result shim_row_result(const struct shim_row *row)
{
	struct mpxi_pool all = row->done;
	struct mpxi_result result;

	mpxi_pool_merge(&all, &row->now, estimator);
	mpxi_pool_result(&all, estimator, &result);
	return result;
}

struct mpxi_result shim_record_place_result(const struct shim_record *record, unsigned place, unsigned i)
{
	return shim_places_result(&record->places, place, i, estimator);
}

void shim_record_choose_place(struct shim_record *record, const void *address)
{
	char *name = NULL;

	/* Reading the places needs no lock, since only the set's own thread changes them.
	 * shim_place_name takes the dynamic linker's lock, so it is called before the record's lock is
	 * taken. */
	if (!shim_places_know(&record->places, address) && record->places.n < SHIM_PLACES)
		name = shim_place_name(address);
	pthread_mutex_lock(&record->lock);
	shim_places_choose(&record->places, address, name, record->rows);
	pthread_mutex_unlock(&record->lock);
}

void shim_record_start(struct shim_record *record)
{
	pthread_mutex_lock(&record->lock);
	shim_places_start(&record->places);
	record->starts++;
	record->running = true;
	pthread_mutex_unlock(&record->lock);
}

static struct shim_row *find_row_locked(struct shim_record *record, unsigned i, int code)
{
	/* Rows are in the order of the set's events, unless events were removed. Try the row with the
	 * event's index first. */
	if (i < record->rows && record->row[i].code == code)
		return &record->row[i];
	for (i = 0; i < record->rows; i++)
		if (record->row[i].code == code)
			return &record->row[i];
	return NULL;
}

void shim_record_note(struct shim_record *record, unsigned i, int code, const struct mpxi_pool *pool)
{
	struct shim_row *row;

	pthread_mutex_lock(&record->lock);
	row = find_row_locked(record, i, code);
	if (row)
		row->now = *pool;
	pthread_mutex_unlock(&record->lock);
}

void shim_record_note_stretch(struct shim_record *record, unsigned i, int code,
			      const struct mpxi_pool *stretch)
{
	struct shim_row *row;

	pthread_mutex_lock(&record->lock);
	row = find_row_locked(record, i, code);
	if (row)
		shim_places_note(&record->places, (unsigned)(row - record->row), stretch);
	pthread_mutex_unlock(&record->lock);
}

void shim_record_end_stretch(struct shim_record *record)
{
	pthread_mutex_lock(&record->lock);
	shim_places_end(&record->places, estimator);
	pthread_mutex_unlock(&record->lock);
}

static void fold_row(struct shim_row *row)
{
	mpxi_pool_merge(&row->done, &row->now, estimator);
	row->now = (struct mpxi_pool){0};
}

void shim_record_drop(struct shim_record *record, int code)
{
	struct shim_row *row;

	pthread_mutex_lock(&record->lock);
	row = find_row_locked(record, 0, code);
	if (row)
		fold_row(row);
	pthread_mutex_unlock(&record->lock);
}

void shim_record_stop(struct shim_record *record)
{
	pthread_mutex_lock(&record->lock);
	record->running = false;
	pthread_mutex_unlock(&record->lock);
}

void shim_record_turn_plain(struct shim_record *record)
{
	pthread_mutex_lock(&record->lock);
	record->plain = true;
	pthread_mutex_unlock(&record->lock);
}

/* ---- destroyed sets -------------------------------------------------------------------- */

/* True if two records can be merged. Both records are retired, or about to be retired under list_lock, so no
 * other thread changes them. */
static bool records_are_alike(const struct shim_record *a, const struct shim_record *b)
{
	unsigned i;

	if (a->rows != b->rows || a->plain != b->plain)
		return false;
	for (i = 0; i < a->rows; i++)
		if (a->row[i].code != b->row[i].code)
			return false;
	return true;
}

static void merge_locked(struct shim_record *to, struct shim_record *from)
{
	unsigned i;

	pthread_mutex_lock(&to->lock);
	for (i = 0; i < to->rows; i++)
		mpxi_pool_merge(&to->row[i].done, &from->row[i].done, estimator);
	shim_places_merge(&to->places, &from->places, estimator);
	to->starts += from->starts;
	to->sets += from->sets;
	to->serial = from->serial < to->serial ? from->serial : to->serial;
	if (to->thread != from->thread)
		to->thread = 0;
	pthread_mutex_unlock(&to->lock);
}

void shim_record_retire(struct shim_record *record)
{
	struct shim_record *other;
	bool any_thread;
	unsigned i;

	shim_record_stop(record);
	for (i = 0; i < record->rows; i++)
		fold_row(&record->row[i]);
	shim_record_end_stretch(record);
	pthread_mutex_lock(&list_lock);
	unlink_record_locked(&first, record);
	any_thread = length >= RECORDS_MAX;
	for (other = retired; other; other = other->next)
		if ((any_thread || other->thread == record->thread) && records_are_alike(other, record))
			break;
	if (other) {
		merge_locked(other, record);
	} else if (length >= SORTED_MAX) {
		dropped++;
	} else if (record->rows || record->plain) {
		link_locked(&retired, record);
		length++;
		record = NULL;
	}
	pthread_mutex_unlock(&list_lock);
	if (record)
		destroy_record(record);
}

/* ---- for the report ----------------------------------------------------------------- */

static bool is_before(const struct shim_record *a, const struct shim_record *b)
{
	return a->thread != b->thread ? a->thread < b->thread : a->serial < b->serial;
}

/* Sort with Shell's method. The C library's qsort allocates memory for large arrays. */
static void sort_records(struct shim_record **list, unsigned n)
{
	unsigned gap = 1, i, k;

	while (gap < n / 3)
		gap = 3 * gap + 1;
	for (; gap; gap /= 3)
		for (i = gap; i < n; i++) {
			struct shim_record *one = list[i];

			for (k = i; k >= gap && is_before(one, list[k - gap]); k -= gap)
				list[k] = list[k - gap];
			list[k] = one;
		}
}

/* Take a lock; return false if the time limit passes. Another thread that holds a lock releases it soon.
 * If a signal has interrupted this thread while it held the lock, waiting is in vain. The time limit
 * therefore applies to the waits for all locks together. */
static bool take_record_lock(pthread_mutex_t *lock, bool wait)
{
	static unsigned patience = PATIENCE_MS;
	const struct timespec ms = {.tv_nsec = 1000000};

	if (wait)
		return pthread_mutex_lock(lock) == 0;
	while (pthread_mutex_trylock(lock)) {
		if (!patience)
			return false;
		patience--;
		(void)nanosleep(&ms, NULL);
	}
	return true;
}

void shim_record_each(void (*each)(const struct shim_record *record, void *argument), void *argument,
		      bool wait)
{
	/* A static array, since _exit may be called where the heap must not be used. */
	static struct shim_record *sorted[SORTED_MAX];
	struct shim_record *record, *lists[2];
	unsigned n = 0, i;

	if (!take_record_lock(&list_lock, wait))
		return;
	lists[0] = retired;
	lists[1] = first;
	for (i = 0; i < 2; i++)
		for (record = lists[i]; record && n < SORTED_MAX; record = record->next)
			sorted[n++] = record;
	sort_records(sorted, n);
	for (i = 0; i < n; i++) {
		if (!take_record_lock(&sorted[i]->lock, wait))
			continue;
		each(sorted[i], argument);
		pthread_mutex_unlock(&sorted[i]->lock);
	}
	pthread_mutex_unlock(&list_lock);
}

unsigned long shim_record_left_out(bool wait)
{
	const struct shim_record *record;
	unsigned long n = 0, beyond;

	if (!take_record_lock(&list_lock, wait))
		return 0;
	for (record = retired; record; record = record->next)
		n++;
	for (record = first; record; record = record->next)
		n++;
	beyond = dropped;
	pthread_mutex_unlock(&list_lock);
	return beyond + (n > SORTED_MAX ? n - SORTED_MAX : 0);
}

static void is_any(const struct shim_record *record, void *argument)
{
	*(bool *)argument |= record->starts || record->plain;
}

bool shim_record_any(void)
{
	bool any = false;

	shim_record_each(is_any, &any, false);
	return any;
}

void shim_record_in_child(void)
{
	/* Threads that do not exist in the child may hold locks. The parent's records are therefore not
	 * freed. This leaks a little memory once in each child. */
	pthread_mutex_init(&list_lock, NULL);
	first = retired = NULL;
	length = 0;
	dropped = 0;
}
