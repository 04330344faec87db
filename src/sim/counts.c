/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.c - the file of raw counts: making it, its memory, and what a dead process left.
 */
#include "counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

#define COUNTS_A_PAGE (UPCS_PAGE / sizeof(uint64_t))
#define ARRAY_BYTES (UPCS_KINDS_MAX * sizeof(uint64_t))

_Static_assert(offsetof(struct upcs_counts, count) % UPCS_PAGE == 0, "arrays are made of whole pages");

static size_t bytes_for(uint32_t arrays)
{
	return offsetof(struct upcs_counts, count) + arrays * ARRAY_BYTES;
}

void upcs_counts_path(char path[UPCS_COUNTS_PATH_MAX], const char *results, uint32_t process)
{
	snprintf(path, UPCS_COUNTS_PATH_MAX, "%s.%u", results, process);
}

/* ---- memory -------------------------------------------------------------------------- */

/*
 * Has the memory that is about to be written. Where there is none, pages of our own take its
 * place, which whoever comes after us does not see, but which are as good while we live. Only
 * where there is none: what lies beside it has something in it.
 */
static void back(struct upcs_counts *counts, void *begin, size_t bytes)
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
 * Memory is given out from the top down, next to what is there. Translated code, which the
 * emulator makes room for after us, should be near enough to this library for near calls, and not
 * have our 16 GB in between.
 */
static void *out_of_the_way(void)
{
	uintptr_t here = (uintptr_t)&out_of_the_way & ~(uintptr_t)(UPCS_PAGE - 1);
	uintptr_t away = (uintptr_t)64 << 30;

	return here > 2 * away ? (void *)(here - away) : NULL;
}

static struct upcs_counts *map(int fd, void *at, uint32_t *arrays)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p;

	/* Address space may be limited. */
	for (*arrays = UPCS_ARRAYS_MAX; *arrays; *arrays /= 4) {
		p = mmap(at, bytes_for(*arrays), PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
		if (p != MAP_FAILED)
			return p;
	}
	return NULL;
}

/* A file larger than the limit would be a signal. */
static bool may_be_large(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes_for(UPCS_ARRAYS_MAX));
}

static int make_file(const char *path)
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
	int fd = make_file(path);
	uint32_t arrays;

	counts = map(fd, at ? at : out_of_the_way(), &arrays);
	if (fd >= 0)
		close(fd);
	if (!counts) {
		unlink(path);
		return NULL;
	}
	/* A forked child has one of its own. */
	(void)madvise(counts, bytes_for(arrays), MADV_DONTFORK);
	(void)madvise(counts, bytes_for(arrays), MADV_DONTDUMP);
	back(counts, counts, offsetof(struct upcs_counts, kind[n + 1]));
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
	back(counts, &counts->kind[n], sizeof(*kind));
	/* Its counts lie in the next page of every array. */
	if (n % COUNTS_A_PAGE == 0)
		for (i = 0; i < counts->arrays; i++)
			if (counts->array[i].thread)
				back(counts, &counts->count[i][n], UPCS_PAGE);
	counts->kind[n] = *kind;
	__atomic_store_n(&counts->kinds, n + 1, __ATOMIC_RELEASE);
	return true;
}

/* Of an array: the pages of all kinds, and of the next one. */
static size_t used_bytes(const struct upcs_counts *counts)
{
	size_t bytes = (counts->kinds / COUNTS_A_PAGE + 1) * UPCS_PAGE;

	return bytes < ARRAY_BYTES ? bytes : ARRAY_BYTES;
}

int upcs_counts_take(struct upcs_counts *counts, uint32_t thread, uint16_t active)
{
	uint32_t i;

	for (i = 0; i < counts->arrays; i++) {
		if (counts->array[i].thread)
			continue;
		back(counts, counts->count[i], used_bytes(counts));
		counts->array[i].active = active;
		/* Before any count, for whoever settles. */
		__atomic_store_n(&counts->array[i].thread, thread + 1, __ATOMIC_RELEASE);
		return (int)i;
	}
	return -1;
}

void upcs_counts_give(struct upcs_counts *counts, int array)
{
	char *page = (char *)counts->count[array], *end = page + used_bytes(counts);

	/* Memory that is not the file's has to be cleared by hand. */
	if (madvise(page, (size_t)(end - page), MADV_REMOVE))
		for (; page < end; page += UPCS_PAGE)
			if (madvise(page, UPCS_PAGE, MADV_REMOVE))
				memset(page, 0, UPCS_PAGE);
	__atomic_store_n(&counts->array[array].thread, 0, __ATOMIC_RELEASE);
}

/* ---- folding ------------------------------------------------------------------------- */

void upcs_counts_sum(uint64_t sum[UPCS_TALLIES], const struct upcs_kind *kind, uint64_t n)
{
	unsigned i;

	for (i = 0; i < UPCS_TALLIES; i++)
		sum[i] += n * kind->tally[i];
}

static void add(uint64_t to[UPCS_TALLIES], const uint64_t sum[UPCS_TALLIES])
{
	unsigned i;

	/* Readers of the results may look at any time; there is no other writer. */
	for (i = 0; i < UPCS_TALLIES; i++)
		if (sum[i])
			__atomic_store_n(&to[i], to[i] + sum[i], __ATOMIC_RELAXED);
}

void upcs_counts_tally(struct upcs_thread *record, uint16_t active, const uint64_t sum[UPCS_TALLIES])
{
	unsigned r;

	add(record->tally[0], sum);
	for (r = 0; active >> r; r++)
		if (active >> r & 1)
			add(record->tally[1 + r], sum);
}

static void doubt(struct upcs_thread *record, unsigned column, uint32_t bits)
{
	if (~__atomic_load_n(&record->doubt[column], __ATOMIC_RELAXED) & bits)
		__atomic_fetch_or(&record->doubt[column], bits, __ATOMIC_RELAXED);
}

void upcs_counts_doubt(struct upcs_thread *record, uint16_t regions, uint32_t bits)
{
	unsigned r;

	for (r = 0; r < UPCS_REGIONS_MAX; r++)
		if (regions >> r & 1)
			doubt(record, 1 + r, bits);
}

void upcs_counts_end(struct upcs_thread *record)
{
	upcs_counts_doubt(record, (uint16_t)record->suspect, UPCS_DOUBT_UNWOUND);
}

/* What it sent itself came behind the block that it sent it in. */
static bool has_sent(const struct upcs_thread *record)
{
	return record->raised && record->raised == record->tally[0][UPCS_INSTRUCTIONS];
}

bool upcs_counts_cut(struct upcs_thread *record)
{
	if (record->scored && !(record->in_call && record->taken == record->calls))
		doubt(record, 0, UPCS_DOUBT_LATE);
	if (record->in_call || has_sent(record))
		return false;
	doubt(record, 0, UPCS_DOUBT_CUT);
	upcs_counts_doubt(record, (uint16_t)record->active, UPCS_DOUBT_CUT);
	return true;
}

/*
 * What a dead process has left, read: to look at a mapping of it where it has no memory would take
 * some, or be a SIGBUS.
 */
struct left {
	int fd;
	uint32_t arrays, kinds;
	struct upcs_array *array;
	struct upcs_kind *kind;
	uint64_t *count; /* one array's */
};

/* What lies behind the file's end is zero. */
static bool read_at(int fd, size_t at, void *to, size_t bytes)
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

static bool read_left(int fd, struct left *left)
{
	struct {
		uint64_t magic;
		uint32_t kinds, arrays;
	} head;
	struct stat st;

	*left = (struct left){.fd = fd};
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != bytes_for(UPCS_ARRAYS_MAX) ||
	    !read_at(fd, 0, &head, sizeof(head)) || head.magic != UPCS_COUNTS_MAGIC)
		return false;
	left->kinds = head.kinds < UPCS_KINDS_MAX ? head.kinds : UPCS_KINDS_MAX;
	left->arrays = head.arrays < UPCS_ARRAYS_MAX ? head.arrays : UPCS_ARRAYS_MAX;
	/* One more than none, for malloc. */
	left->array = malloc((left->arrays + 1) * sizeof(*left->array));
	left->kind = malloc((left->kinds + 1) * sizeof(*left->kind));
	left->count = malloc((left->kinds + 1) * sizeof(*left->count));
	return left->array && left->kind && left->count &&
	       read_at(fd, offsetof(struct upcs_counts, array), left->array, left->arrays * sizeof(*left->array)) &&
	       read_at(fd, offsetof(struct upcs_counts, kind), left->kind, left->kinds * sizeof(*left->kind));
}

static void free_left(struct left *left)
{
	free(left->array);
	free(left->kind);
	free(left->count);
}

/*
 * The record as it should be. What was folded before stands where the file has less: pages that
 * back() put in its place are gone with their process. Readers never see a tally shrink.
 */
static bool settle_thread(struct upcs_thread *record, uint32_t index, const struct left *left)
{
	struct upcs_thread whole = {.state = UPCS_FREE};
	uint32_t i, k;
	unsigned c, t;

	for (i = 0; i < left->arrays; i++) {
		uint64_t sum[UPCS_TALLIES] = {0};

		if (left->array[i].thread != index + 1)
			continue;
		if (!read_at(left->fd, offsetof(struct upcs_counts, count) + i * ARRAY_BYTES, left->count,
			     left->kinds * sizeof(*left->count)))
			return false;
		for (k = 0; k < left->kinds; k++)
			if (left->count[k])
				upcs_counts_sum(sum, &left->kind[k], left->count[k]);
		upcs_counts_tally(&whole, (uint16_t)(left->array[i].active & ((1u << UPCS_REGIONS_MAX) - 1)), sum);
	}
	for (c = 0; c < UPCS_COLUMNS; c++)
		for (t = 0; t < UPCS_TALLIES; t++)
			if (record->tally[c][t] < whole.tally[c][t])
				__atomic_store_n(&record->tally[c][t], whole.tally[c][t], __ATOMIC_RELAXED);
	return true;
}

static bool settle_threads(struct upcs_results *results, uint32_t process, const struct left *left)
{
	uint32_t n = upcs_results_threads(results), i;
	bool cut = false, sent = false;

	for (i = 0; i < n; i++) {
		struct upcs_thread *record = &results->thread[i];

		if (upcs_results_state(&record->state) != UPCS_RUNS || record->process != process)
			continue;
		if (!settle_thread(record, i, left))
			return false;
		cut |= upcs_counts_cut(record);
		sent |= has_sent(record);
		upcs_counts_end(record);
		__atomic_store_n(&record->state, UPCS_ENDED, __ATOMIC_RELEASE);
	}
	/* Others are at work when one sends what ends them all. */
	if (cut && !sent)
		results->process[process].died = 1;
	return true;
}

bool upcs_counts_whole(struct upcs_thread *copy, uint32_t index, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct left left;
	bool whole;

	if (fd < 0)
		return false;
	whole = read_left(fd, &left) && settle_thread(copy, index, &left);
	free_left(&left);
	close(fd);
	return whole;
}

bool upcs_counts_settle(struct upcs_results *results, uint32_t process, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct left left;
	bool settled;

	if (fd < 0)
		return false;
	settled = read_left(fd, &left) && settle_threads(results, process, &left);
	free_left(&left);
	close(fd);
	if (settled)
		unlink(path);
	return settled;
}
