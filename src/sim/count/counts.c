/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.c - the file of raw counts: creating the file, its memory, and adding up.
 *
 * Terms: count/thread.h.
 */
#include "count/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count/memory.h"

#define COUNTS_A_PAGE (UPCS_PAGE / sizeof(uint64_t))

_Static_assert(offsetof(struct upcs_counts, count) % UPCS_PAGE == 0, "arrays are made of whole pages");

static size_t bytes_for(uint32_t arrays)
{
	return offsetof(struct upcs_counts, count) + arrays * UPCS_ARRAY_BYTES;
}

void upcs_counts_path(char path[UPCS_COUNTS_PATH_MAX], const char *results, uint32_t process)
{
	snprintf(path, UPCS_COUNTS_PATH_MAX, "%s.%u", results, process);
}

/* ---- memory -------------------------------------------------------------------------- */

/*
 * Allocate memory that is about to be written. If the tmpfs is full, private pages take its place. Processes
 * that open the file later do not see private pages, but counting works with them. Only pages without memory
 * are replaced, because their neighbours hold data.
 */
static void back_counts_memory(struct upcs_counts *counts, void *begin, size_t bytes)
{
	char *page = (char *)((uintptr_t)begin & ~(uintptr_t)(UPCS_PAGE - 1)), *end = (char *)begin + bytes;
	int error = errno;

	if (upcs_memory_take(begin, bytes))
		return;
	for (; page < end; page += UPCS_PAGE)
		if (!upcs_memory_take(page, UPCS_PAGE))
			(void)mmap(page, UPCS_PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	counts->unshared = 1;
	errno = error;
}

/*
 * Return a distant address. mmap gives out addresses from the top down, next to existing mappings. QEMU maps
 * its buffer of translated code later, and the buffer must be close enough to this library for near calls.
 * Our 16 GB must not lie in between.
 */
static void *out_of_the_way(void)
{
	uintptr_t here = (uintptr_t)&out_of_the_way & ~(uintptr_t)(UPCS_PAGE - 1);
	uintptr_t away = (uintptr_t)64 << 30;

	return here > 2 * away ? (void *)(here - away) : NULL;
}

static struct upcs_counts *map_counts_file(int fd, void *at, uint32_t *arrays)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p;

	/* RLIMIT_AS may limit address space. */
	for (*arrays = UPCS_ARRAYS_MAX; *arrays; *arrays /= 4) {
		p = mmap(at, bytes_for(*arrays), PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
		if (p != MAP_FAILED)
			return p;
	}
	return NULL;
}

/* Growing a file beyond RLIMIT_FSIZE would raise SIGXFSZ. */
static bool may_be_large(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes_for(UPCS_ARRAYS_MAX));
}

static int make_counts_file(const char *path)
{
	int fd = -1;

	if (may_be_large())
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes_for(UPCS_ARRAYS_MAX))) {
		close(fd);
		unlink(path);
		fd = -1;
	}
	return fd;
}

struct upcs_counts *upcs_counts_create(const char *path, const struct upcs_kind *kinds, uint32_t n, void *at)
{
	struct upcs_counts *counts;
	int fd = make_counts_file(path);
	uint32_t arrays;

	counts = map_counts_file(fd, at ? at : out_of_the_way(), &arrays);
	if (fd >= 0)
		close(fd);
	if (!counts) {
		unlink(path);
		return NULL;
	}
	/* A forked child makes its own file. */
	(void)madvise(counts, bytes_for(arrays), MADV_DONTFORK);
	(void)madvise(counts, bytes_for(arrays), MADV_DONTDUMP);
	back_counts_memory(counts, counts, offsetof(struct upcs_counts, kind[n + 1]));
	counts->unshared |= fd < 0;
	if (n)
		memcpy(counts->kind, kinds, n * sizeof(*kinds));
	counts->arrays = arrays;
	counts->kinds = n;
	__atomic_store_n(&counts->magic, UPCS_COUNTS_MAGIC, __ATOMIC_RELEASE);
	return counts;
}

void upcs_counts_destroy(struct upcs_counts *counts, const char *path)
{
	munmap(counts, bytes_for(counts->arrays));
	if (path)
		unlink(path);
}

/* ---- kinds and arrays ---------------------------------------------------------------- */

bool upcs_counts_add_kind(struct upcs_counts *counts, const struct upcs_kind *kind)
{
	uint32_t n = counts->kinds, i;

	if (n == UPCS_KINDS_MAX)
		return false;
	back_counts_memory(counts, &counts->kind[n], sizeof(*kind));
	/* A new page of kinds needs a new page of counts in every array. */
	if (n % COUNTS_A_PAGE == 0)
		for (i = 0; i < counts->used; i++)
			if (counts->array[i].thread)
				back_counts_memory(counts, &counts->count[i][n], UPCS_PAGE);
	counts->kind[n] = *kind;
	__atomic_store_n(&counts->kinds, n + 1, __ATOMIC_RELEASE);
	return true;
}

/* Return the bytes in use of an array: the pages of all kinds, and of the next kind. */
static size_t used_bytes(const struct upcs_counts *counts)
{
	size_t bytes = (counts->kinds / COUNTS_A_PAGE + 1) * UPCS_PAGE;

	return bytes < UPCS_ARRAY_BYTES ? bytes : UPCS_ARRAY_BYTES;
}

void upcs_counts_keep(struct upcs_counts *counts)
{
	counts->keeps = 1;
}

/* Store the tally that earlier threads left in the array, so that the new thread's counts exclude it. */
static void write_base(struct upcs_counts *counts, uint32_t array)
{
	uint64_t sum[UPCS_STATIC] = {0};
	uint32_t k;

	if (array >= counts->used)
		return;
	for (k = 0; k < counts->kinds; k++)
		if (counts->count[array][k])
			upcs_counts_sum(sum, &counts->kind[k], counts->count[array][k]);
	back_counts_memory(counts, counts->base[array], sizeof(sum));
	memcpy(counts->base[array], sum, sizeof(sum));
}

int upcs_counts_take(struct upcs_counts *counts, uint32_t thread, uint16_t active)
{
	uint32_t i;

	for (i = 0; i < counts->arrays; i++) {
		if (counts->array[i].thread)
			continue;
		back_counts_memory(counts, counts->count[i], used_bytes(counts));
		if (counts->keeps)
			write_base(counts, i);
		if (i >= counts->used)
			__atomic_store_n(&counts->used, i + 1, __ATOMIC_RELEASE);
		counts->array[i].active = active;
		/* Stored before any count, for processes that read the file after a crash. */
		__atomic_store_n(&counts->array[i].thread, thread + 1, __ATOMIC_RELEASE);
		return (int)i;
	}
	return -1;
}

/* Clear the array. Private memory refuses MADV_REMOVE and is cleared by memset. */
static void clear_array(struct upcs_counts *counts, int array)
{
	char *page = (char *)counts->count[array], *end = page + used_bytes(counts);

	if (madvise(page, (size_t)(end - page), MADV_REMOVE))
		for (; page < end; page += UPCS_PAGE)
			if (madvise(page, UPCS_PAGE, MADV_REMOVE))
				memset(page, 0, UPCS_PAGE);
}

void upcs_counts_give(struct upcs_counts *counts, int array)
{
	if (!counts->keeps)
		clear_array(counts, array);
	__atomic_store_n(&counts->array[array].thread, 0, __ATOMIC_RELEASE);
}

/* Readers in other processes compare this number in upcs_left_is_still(). */
void upcs_counts_changes(struct upcs_counts *counts)
{
	__atomic_fetch_add(&counts->changes, 1, __ATOMIC_SEQ_CST);
}

/* ---- folding ------------------------------------------------------------------------- */

void upcs_counts_sum(uint64_t sum[UPCS_STATIC], const struct upcs_kind *kind, uint64_t n)
{
	unsigned i;

	for (i = 0; i < UPCS_STATIC; i++)
		sum[i] += n * kind->tally[i];
}

static void add_static_sum(uint64_t to[UPCS_STATIC], const uint64_t sum[UPCS_STATIC])
{
	unsigned i;

	/* Other processes may read the results at any time. This thread is the only writer. */
	for (i = 0; i < UPCS_STATIC; i++)
		if (sum[i])
			__atomic_store_n(&to[i], to[i] + sum[i], __ATOMIC_RELAXED);
}

void upcs_counts_tally(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC])
{
	add_static_sum(record->tally[0], sum);
	upcs_counts_tally_regions(record, active, sum);
}

void upcs_counts_tally_regions(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_STATIC])
{
	unsigned r;

	for (r = 0; active >> r; r++)
		if (active >> r & 1)
			add_static_sum(record->tally[1 + r], sum);
}

static void doubt_column(struct upcs_thread *record, unsigned column, uint32_t bits)
{
	if (~__atomic_load_n(&record->doubt[column], __ATOMIC_RELAXED) & bits)
		__atomic_fetch_or(&record->doubt[column], bits, __ATOMIC_RELAXED);
}

void upcs_counts_doubt(struct upcs_thread *record, uint16_t regions, uint32_t bits)
{
	unsigned r;

	for (r = 0; r < UPCS_REGIONS_MAX; r++)
		if (regions >> r & 1)
			doubt_column(record, 1 + r, bits);
}

void upcs_counts_end(struct upcs_thread *record)
{
	upcs_counts_doubt(record, (uint16_t)(record->suspect & ~record->switched), UPCS_DOUBT_UNWOUND);
	upcs_counts_doubt(record, (uint16_t)(record->suspect & record->switched), UPCS_DOUBT_SWITCHED);
}

bool upcs_counts_has_sent(const struct upcs_thread *record)
{
	return record->raised && record->raised == record->tally[0][UPCS_INSTRUCTIONS];
}

void upcs_counts_late(struct upcs_thread *record)
{
	if (record->scored && !(record->in_call && record->taken == record->calls))
		doubt_column(record, 0, UPCS_DOUBT_LATE);
}

bool upcs_counts_cut(struct upcs_thread *record)
{
	upcs_counts_late(record);
	if (record->in_call || upcs_counts_has_sent(record))
		return false;
	doubt_column(record, 0, UPCS_DOUBT_CUT);
	upcs_counts_doubt(record, (uint16_t)record->active, UPCS_DOUBT_CUT);
	return true;
}
