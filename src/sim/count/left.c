/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * left.c - reads a process's file of raw counts with pread. Touching a mapping of a page that has no memory
 * would allocate memory, or raise SIGBUS.
 *
 * Terms: count/thread.h.
 */
#include "count/left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first fields of struct upcs_counts. */
struct head {
	uint64_t magic;
	uint32_t kinds, arrays, unshared, keeps, used, changes;
};
_Static_assert(offsetof(struct upcs_counts, changes) == offsetof(struct head, changes),
	       "head is that of the file");

struct upcs_left {
	int fd;
	struct head head;
	struct upcs_array *array;
	struct upcs_kind *kind;
	uint64_t (*sum)[UPCS_STATIC]; /* tally of each array's thread */
	uint64_t *total;              /* count of each kind in all arrays */
	uint64_t *count;              /* one array's counts */
};

/* Read bytes at an offset. Bytes behind the end of the file read as zero. Return false on an error. */
static bool read_left_bytes(int fd, size_t at, void *to, size_t bytes)
{
	char *p = to;
	ssize_t n;

	memset(to, 0, bytes);
	while (bytes) {
		n = pread(fd, p, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		p += n;
		at += (size_t)n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool read_left_head(int fd, struct head *head)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size != offsetof(struct upcs_counts, count) + UPCS_ARRAYS_MAX * UPCS_ARRAY_BYTES ||
	    !read_left_bytes(fd, 0, head, sizeof(*head)) || head->magic != UPCS_COUNTS_MAGIC)
		return false;
	if (head->kinds > UPCS_KINDS_MAX)
		head->kinds = UPCS_KINDS_MAX;
	if (head->used > UPCS_ARRAYS_MAX)
		head->used = UPCS_ARRAYS_MAX;
	return true;
}

static int open_left_file(const char *path)
{
	return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Read the counts of the array's current or last thread, without those of earlier threads. */
static bool read_array(struct upcs_left *left, uint32_t i)
{
	uint64_t base[UPCS_STATIC];
	uint32_t k;
	unsigned t;

	if (!left->array[i].thread && !left->head.keeps)
		return true;
	if (!read_left_bytes(left->fd, offsetof(struct upcs_counts, base) + i * sizeof(base), base,
			     sizeof(base)) ||
	    !read_left_bytes(left->fd, offsetof(struct upcs_counts, count) + i * UPCS_ARRAY_BYTES,
			     left->count, left->head.kinds * sizeof(*left->count)))
		return false;
	for (k = 0; k < left->head.kinds; k++) {
		if (!left->count[k])
			continue;
		left->total[k] += left->count[k];
		upcs_counts_sum(left->sum[i], &left->kind[k], left->count[k]);
	}
	for (t = 0; t < UPCS_STATIC; t++)
		left->sum[i][t] -= base[t];
	return true;
}

/* Allocate one element more than needed, so that no calloc has size 0. */
static bool make_left_room(struct upcs_left *left)
{
	size_t kinds = left->head.kinds + 1u, arrays = left->head.used + 1u;

	left->array = calloc(arrays, sizeof(*left->array));
	left->sum = calloc(arrays, sizeof(*left->sum));
	left->kind = calloc(kinds, sizeof(*left->kind));
	left->total = calloc(kinds, sizeof(*left->total));
	left->count = calloc(kinds, sizeof(*left->count));
	return left->array && left->sum && left->kind && left->total && left->count;
}

static bool read_left_counts(struct upcs_left *left)
{
	uint32_t i;

	if (!read_left_head(left->fd, &left->head) || !make_left_room(left) ||
	    !read_left_bytes(left->fd, offsetof(struct upcs_counts, array), left->array,
			     left->head.used * sizeof(*left->array)) ||
	    !read_left_bytes(left->fd, offsetof(struct upcs_counts, kind), left->kind,
			     left->head.kinds * sizeof(*left->kind)))
		return false;
	for (i = 0; i < left->head.used; i++)
		if (!read_array(left, i))
			return false;
	return true;
}

struct upcs_left *upcs_left_read(const char *path)
{
	struct upcs_left *left = calloc(1, sizeof(*left));

	if (!left)
		return NULL;
	left->fd = open_left_file(path);
	if (left->fd < 0 || !read_left_counts(left)) {
		upcs_left_free(left);
		return NULL;
	}
	return left;
}

void upcs_left_free(struct upcs_left *left)
{
	if (left->fd >= 0)
		close(left->fd);
	free(left->array);
	free(left->sum);
	free(left->kind);
	free(left->total);
	free(left->count);
	free(left);
}

bool upcs_left_changes(const char *path, uint32_t *before)
{
	int fd = open_left_file(path);
	struct head head;
	bool there = fd >= 0 && read_left_head(fd, &head);

	if (there)
		*before = head.changes;
	if (fd >= 0)
		close(fd);
	return there;
}

bool upcs_left_is_still(const struct upcs_left *left, uint32_t before)
{
	struct head now;

	return before % 2 == 0 && read_left_head(left->fd, &now) && now.changes == before;
}

/*
 * Raise the record's tallies to the file's. A tally that was folded before may exceed the file's: private
 * pages that back_counts_memory() mapped are gone with their process. Readers never see a tally shrink.
 */
void upcs_left_whole(const struct upcs_left *left, struct upcs_thread *record, uint32_t index)
{
	struct upcs_thread whole = {.state = UPCS_FREE};
	uint32_t i;
	unsigned c, t;

	for (i = 0; i < left->head.used; i++)
		if (left->array[i].thread == index + 1)
			upcs_counts_tally(&whole,
					  (uint16_t)(left->array[i].active & ((1u << UPCS_REGIONS_MAX) - 1)),
					  left->sum[i]);
	for (c = 0; c < UPCS_COLUMNS; c++)
		for (t = 0; t < UPCS_STATIC; t++)
			if (record->tally[c][t] < whole.tally[c][t])
				__atomic_store_n(&record->tally[c][t], whole.tally[c][t], __ATOMIC_RELAXED);
}

/* Records that are marked as ended are completed, too, since their threads may have counted a little more
 * before the process died. */
void upcs_left_settle(const struct upcs_left *left, struct upcs_results *results, uint32_t process)
{
	uint32_t n = upcs_results_threads(results), i;
	bool cut = false, sent = false;

	for (i = 0; i < n; i++) {
		struct upcs_thread *record = &results->thread[i];
		enum upcs_state state = upcs_results_state(&record->state);

		if ((state != UPCS_RUNS && state != UPCS_ENDED) || record->process != process)
			continue;
		upcs_left_whole(left, record, i);
		if (state == UPCS_ENDED)
			continue;
		if (left->head.changes % 2)
			upcs_counts_doubt(record, UINT16_MAX, UPCS_DOUBT_TWICE | UPCS_DOUBT_LATE);
		cut |= upcs_counts_cut(record);
		sent |= upcs_counts_has_sent(record);
		upcs_counts_end(record);
		__atomic_store_n(&record->state, UPCS_ENDED, __ATOMIC_RELEASE);
	}
	/* If a thread sent the signal that ended the process, the other threads were cut by this signal, and
	 * not by an instruction. */
	if (cut && !sent)
		results->process[process].died = 1;
}

void upcs_left_add(const struct upcs_left *left, uint64_t to[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC])
{
	uint32_t k;

	for (k = 0; k < left->head.kinds; k++)
		if (left->total[k])
			upcs_counts_sum(
				to[left->kind[k].function <= UPCS_FUNCTIONS_MAX ? left->kind[k].function : 0],
				&left->kind[k], left->total[k]);
}
