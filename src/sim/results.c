/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results.c - the results file: made by upc_run, opened by the plugin, and its records.
 */
#include "results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "counts.h"
#include "leftover.h"
#include "memory.h"

#define TEMPLATE UPCS_LEFTOVER_DIRECTORY "/" UPCS_LEFTOVER_PREFIX "XXXXXX"

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct upcs_results *map(int fd)
{
	void *p = mmap(NULL, sizeof(struct upcs_results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* -1 with errno. Who removes leftovers may take a file for one before it is locked. */
static int make_file(char *path)
{
	int fd, i;

	for (i = 0; i < 100; i++) {
		strcpy(path, TEMPLATE);
		fd = mkostemp(path, O_CLOEXEC); /* mode 0600 */
		if (fd < 0 || upcs_leftover_hold(fd))
			return fd;
		close(fd);
	}
	errno = EBUSY;
	return -1;
}

struct upcs_results *upcs_results_create(char *path, int *lock)
{
	struct upcs_results *results = NULL;
	struct rlimit limit;
	int fd, error;

	/* To pass the limit would be a signal. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(*results)) {
		errno = EFBIG;
		return NULL;
	}
	fd = make_file(path);
	if (fd < 0)
		return NULL;
	/* Its memory is taken as records are; the options and the first ones now, so that
	 * a /dev/shm without any left is found here. */
	if (ftruncate(fd, sizeof(*results)) == 0) {
		errno = posix_fallocate(fd, 0, offsetof(struct upcs_results, process[16]));
		if (!errno)
			results = map(fd);
	}
	error = errno;
	if (!results) {
		unlink(path);
		close(fd);
		errno = error;
		return NULL;
	}
	*lock = fd;
	results->magic = UPCS_RESULTS_MAGIC;
	results->version = UPCS_RESULTS_VERSION;
	results->bytes = (uint32_t)sizeof(*results);
	return results;
}

void upcs_results_settle(struct upcs_results *results, const char *path)
{
	uint32_t processes = __atomic_load_n(&results->processes, __ATOMIC_ACQUIRE), i;
	char counts[UPCS_COUNTS_PATH_MAX];

	for (i = 0; i < processes && i < UPCS_PROCESSES_MAX; i++) {
		struct upcs_process *process = &results->process[i];

		upcs_counts_path(counts, path, i);
		(void)upcs_counts_settle(results, i, counts);
		if (process->state != UPCS_MAKING && process->state != UPCS_RUNS)
			continue;
		process->end_ns = now_ns();
		__atomic_store_n(&process->state, UPCS_LOST, __ATOMIC_RELEASE);
	}
	for (i = 0; i < UPCS_THREADS_MAX && i < results->threads; i++)
		if (results->thread[i].state == UPCS_MAKING || results->thread[i].state == UPCS_RUNS)
			__atomic_store_n(&results->thread[i].state, UPCS_LOST, __ATOMIC_RELEASE);
}

void upcs_results_destroy(struct upcs_results *results, const char *path, int lock)
{
	char counts[UPCS_COUNTS_PATH_MAX];
	uint32_t processes, i;

	/* A file that is made after we have looked for it is seen to by who made it: its index is
	 * taken before, and this is read behind. */
	__atomic_store_n(&results->closed, 1, __ATOMIC_SEQ_CST);
	processes = __atomic_load_n(&results->processes, __ATOMIC_SEQ_CST);
	for (i = 0; i < processes && i < UPCS_PROCESSES_MAX; i++) {
		upcs_counts_path(counts, path, i);
		unlink(counts);
	}
	munmap(results, sizeof(*results));
	unlink(path);
	close(lock);
}

/* ---- the plugin's side --------------------------------------------------------------- */

struct upcs_results *upcs_results_open(const char *path)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct upcs_results *results = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == (off_t)sizeof(*results))
		results = map(fd);
	close(fd);
	if (results && (results->magic != UPCS_RESULTS_MAGIC || results->version != UPCS_RESULTS_VERSION ||
			results->bytes != (uint32_t)sizeof(*results))) {
		munmap(results, sizeof(*results));
		return NULL;
	}
	return results;
}

bool upcs_results_are_closed(const struct upcs_results *results)
{
	return __atomic_load_n(&results->closed, __ATOMIC_SEQ_CST) != 0;
}

/* The number of those that found no place is kept as well, but does not come round to 0. */
static uint32_t take(uint32_t *taken)
{
	uint32_t index = __atomic_fetch_add(taken, 1, __ATOMIC_SEQ_CST);

	if (index >= UINT32_MAX / 2)
		__atomic_store_n(taken, UINT32_MAX / 2, __ATOMIC_RELAXED);
	return index;
}

struct upcs_process *upcs_results_process(struct upcs_results *results, uint32_t *index)
{
	struct upcs_process *process;

	*index = take(&results->processes);
	if (*index >= UPCS_PROCESSES_MAX)
		return NULL;
	process = &results->process[*index];
	if (!upcs_memory_take(process, sizeof(*process)))
		return NULL;
	process->begin_ns = now_ns();
	__atomic_store_n(&process->state, UPCS_MAKING, __ATOMIC_RELEASE);
	return process;
}

struct upcs_thread *upcs_results_thread(struct upcs_results *results, uint32_t *index)
{
	*index = take(&results->threads);
	if (*index >= UPCS_THREADS_MAX)
		return NULL;
	if (!upcs_memory_take(&results->thread[*index], sizeof(results->thread[*index])))
		return NULL;
	__atomic_store_n(&results->thread[*index].state, UPCS_MAKING, __ATOMIC_RELEASE);
	return &results->thread[*index];
}
