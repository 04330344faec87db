/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results.c - the results file and its records: created by upc_run, opened by the plugin.
 *
 * Terms: count/thread.h.
 */
#include "count/results.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "count/left.h"
#include "count/leftover.h"

#define TEMPLATE UPCS_LEFTOVER_DIRECTORY "/" UPCS_LEFTOVER_PREFIX "XXXXXX"

/* The plugin and upc_run are built separately, and each reads what the other writes. */
static uint32_t hash_results_layout(void)
{
	return (uint32_t)(31 * sizeof(struct upcs_results) + offsetof(struct upcs_counts, count));
}

static struct upcs_results *map_results_file(int fd)
{
	void *p = mmap(NULL, sizeof(struct upcs_results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		       fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Create and lock the file. Return its descriptor, or -1 with errno. Another upc_run may remove the file as a
 * leftover before it is locked, so creation is retried. */
static int make_results_file(char *path)
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

	/* Growing a file beyond the limit would raise SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(*results)) {
		errno = EFBIG;
		return NULL;
	}
	fd = make_results_file(path);
	if (fd < 0)
		return NULL;
	/* Memory for records is allocated as they are taken. The options and the first records are allocated
	 * here, so that a full /dev/shm is noticed. */
	if (ftruncate(fd, sizeof(*results)) == 0) {
		errno = posix_fallocate(fd, 0, offsetof(struct upcs_results, process[16]));
		if (!errno)
			results = map_results_file(fd);
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
	results->layout = hash_results_layout();
	return results;
}

static bool is_begun(const uint32_t *state)
{
	enum upcs_state now = upcs_results_state(state);

	return now == UPCS_MAKING || now == UPCS_RUNS;
}

static void settle_process(struct upcs_results *results, uint32_t process, const char *path)
{
	struct upcs_left *left = upcs_left_read(path);

	if (!left)
		return;
	upcs_left_settle(left, results, process);
	upcs_left_free(left);
	unlink(path);
}

void upcs_results_settle(struct upcs_results *results, const char *path)
{
	uint32_t processes = upcs_results_processes(results), threads = upcs_results_threads(results), i;
	char counts[UPCS_COUNTS_PATH_MAX];

	for (i = 0; i < processes; i++) {
		struct upcs_process *process = &results->process[i];

		upcs_counts_path(counts, path, i);
		settle_process(results, i, counts);
		if (!is_begun(&process->state))
			continue;
		process->end_ns = upci_now_ns();
		__atomic_store_n(&process->state, UPCS_LOST, __ATOMIC_RELEASE);
	}
	for (i = 0; i < threads; i++)
		if (is_begun(&results->thread[i].state))
			__atomic_store_n(&results->thread[i].state, UPCS_LOST, __ATOMIC_RELEASE);
}

void upcs_results_destroy(struct upcs_results *results, const char *path, int lock)
{
	char counts[UPCS_COUNTS_PATH_MAX];
	uint32_t processes, i;

	/* A process that creates its file of counts after the loop below removes the file itself: the process
	 * takes its index before, and reads closed afterwards. */
	__atomic_store_n(&results->closed, 1, __ATOMIC_SEQ_CST);
	processes = upcs_results_processes(results);
	for (i = 0; i < processes; i++) {
		upcs_counts_path(counts, path, i);
		unlink(counts);
	}
	munmap(results, sizeof(*results));
	unlink(path);
	close(lock);
}

/* ---- asking for counts --------------------------------------------------------------- */

void upcs_results_ask(struct upcs_results *results)
{
	__atomic_fetch_add(&results->asked, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &results->asked, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t upcs_results_asked(const struct upcs_results *results)
{
	return __atomic_load_n(&results->asked, __ATOMIC_ACQUIRE);
}

void upcs_results_wait(struct upcs_results *results, uint32_t asked, int64_t ns)
{
	const struct timespec limit = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	syscall(SYS_futex, &results->asked, FUTEX_WAIT, asked, ns < 0 ? NULL : &limit, NULL, 0);
}

uint64_t upcs_results_space(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
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
		results = map_results_file(fd);
	close(fd);
	if (results && (results->magic != UPCS_RESULTS_MAGIC || results->version != UPCS_RESULTS_VERSION ||
			results->layout != hash_results_layout())) {
		munmap(results, sizeof(*results));
		return NULL;
	}
	return results;
}

bool upcs_results_are_closed(const struct upcs_results *results)
{
	return __atomic_load_n(&results->closed, __ATOMIC_SEQ_CST) != 0;
}
