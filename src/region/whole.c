/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * whole.c - reads the counters of the whole run.
 * Terms: region/region.h.
 */
#include "region/whole.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/now.h"

static struct upcr_whole *whole;           /* NULL: no counters */
static struct upcr_whole_stretch *stretch; /* stretch of this process; NULL: none yet */
static atomic_bool begun;                  /* the process has taken a stretch, or none was left */

int upcr_whole_open_counter(const struct upcr_whole_counter *counter, bool inherit)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counter->type,
		.config = counter->config,
		.config1 = counter->config1,
		.config2 = counter->config2,
		.disabled = inherit,
		.inherit = inherit,
		.enable_on_exec = inherit,
		.exclude_user = (counter->excludes & UPCR_WHOLE_NO_USER) != 0,
		.exclude_kernel = (counter->excludes & UPCR_WHOLE_NO_KERNEL) != 0,
		.exclude_hv = (counter->excludes & UPCR_WHOLE_NO_HV) != 0,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int upcr_whole_read(const struct upcr_whole *of, uint64_t *value)
{
	unsigned i;

	for (i = 0; i < of->counters; i++) {
		const struct upcr_whole_counter *counter = &of->counter[i];
		uint64_t id = 0;

		value[i] = 0;
		if (ioctl(counter->fd, PERF_EVENT_IOC_ID, &id) || id != counter->id ||
		    read(counter->fd, &value[i], sizeof(*value)) != (ssize_t)sizeof(*value))
			return -1;
	}
	return 0;
}

/* Map the memory of the run, or return NULL. The program may have put another file at the descriptor; only
 * our memory is sealed against shrinking. */
static struct upcr_whole *whole_map(int fd)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	struct upcr_whole *memory;
	struct stat about;

	if ((fcntl(fd, F_GET_SEALS) & seals) != seals || fstat(fd, &about) ||
	    (size_t)about.st_size < sizeof(*memory))
		return NULL;
	memory = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (memory->magic == UPCR_WHOLE_MAGIC && memory->size == (uint64_t)about.st_size &&
	    memory->counters <= UPCR_EVENTS_MAX &&
	    upcr_whole_head(memory->counters) + UPCR_WHOLE_STRETCHES * upcr_whole_stride(memory->counters) <=
		    memory->size)
		return memory;
	munmap(memory, (size_t)about.st_size);
	return NULL;
}

void upcr_whole_open(void)
{
	const char *text = secure_getenv(UPCR_WHOLE_VARIABLE);
	char *end;
	long fd = text ? strtol(text, &end, 10) : -1;

	if (fd > 0 && fd <= INT32_MAX && !*end)
		whole = whole_map((int)fd);
}

/* ---- counters of a thread ---------------------------------------------------------------------- */

/* Open a counter of the calling thread alone. -1 on failure, or if the program may soon need the remaining
 * descriptors. */
static int open_own(unsigned counter)
{
	const int fd = upcr_whole_open_counter(&whole->counter[counter], false);
	struct rlimit limit;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd < limit.rlim_cur / 2)
		return fd;
	close(fd);
	return -1;
}

/* Keep the descriptors in the caller's memory: the thread has no state yet. */
void upcr_early_begin(struct upcr_early *early)
{
	unsigned i;

	early->n = whole ? whole->counters : 0;
	for (i = 0; i < early->n; i++)
		early->fd[i] = open_own(i);
}

void upcr_early_end(struct upcr_early *early, uint64_t *value)
{
	unsigned i;

	for (i = 0; i < early->n; i++) {
		uint64_t count = 0;

		if (early->fd[i] < 0)
			continue;
		if (value && read(early->fd[i], &count, sizeof(count)) == (ssize_t)sizeof(count))
			value[whole->counter[i].place] += count;
		close(early->fd[i]);
	}
	early->n = 0;
}

/* Counters of ending threads. They are read when a later thread or the process ends. While there are LATE_MAX
 * counters, the ends of further threads are not counted. */
enum { LATE_MAX = 64 };
static struct late {
	int fd;
	unsigned counter;
	pid_t tid;
} late[LATE_MAX];
static unsigned lates;

/* Read the counters of ended threads. all: also read the counters of threads that have not ended. */
static void late_collect(bool all)
{
	unsigned i, kept = 0;

	for (i = 0; i < lates; i++) {
		uint64_t count;

		if (!all && tgkill(getpid(), late[i].tid, 0) == 0) {
			late[kept++] = late[i];
			continue;
		}
		if (stretch && read(late[i].fd, &count, sizeof(count)) == (ssize_t)sizeof(count))
			stretch->value[2 * whole->counters + late[i].counter] += count;
		close(late[i].fd);
	}
	lates = kept;
}

void upcr_late_begin(void)
{
	unsigned i;

	if (!whole || !stretch)
		return;
	late_collect(false);
	for (i = 0; i < whole->counters && lates < LATE_MAX; i++) {
		late[lates] = (struct late){.fd = open_own(i), .counter = i, .tid = gettid()};
		lates += late[lates].fd >= 0;
	}
}

/* ---- the process --------------------------------------------------------------------------------- */

/* Read the counters twice. The first reading touches the memory that the second one needs: no page fault of
 * this library may happen between the second reading and the counting that follows it. */
static bool read_twice(uint64_t *value)
{
	return upcr_whole_read(whole, value) == 0 && upcr_whole_read(whole, value) == 0;
}

void upcr_whole_begin(void)
{
	struct upcr_early early;
	unsigned number;

	if (!whole || atomic_exchange(&begun, true))
		return;
	number = atomic_fetch_add(&whole->stretches, 1);
	if (number >= UPCR_WHOLE_STRETCHES) {
		whole = NULL;
		return;
	}
	stretch = upcr_whole_stretch_of(whole, number);
	stretch->pid = getpid();
	stretch->begun = upci_now_ns();
	atomic_store(&stretch->state, UPCR_WHOLE_TAKEN);
	upcr_early_begin(&early);
	upcr_early_end(&early, NULL);
	if (read_twice(stretch->value + whole->counters) && read_twice(stretch->value))
		atomic_store(&stretch->state, UPCR_WHOLE_BEGUN);
	else
		whole = NULL;
}

void upcr_whole_use(void)
{
	if (whole && stretch)
		atomic_store(&stretch->used, 1);
}

void upcr_whole_end(void)
{
	if (!whole || !stretch)
		return;
	late_collect(true);
	if (upcr_whole_read(whole, stretch->value + whole->counters) == 0) {
		stretch->ended = upci_now_ns();
		atomic_store(&stretch->state, UPCR_WHOLE_ENDED);
	}
	stretch = NULL;
	atomic_store(&begun, false);
}

void upcr_whole_forked(void)
{
	for (; lates; lates--)
		close(late[lates - 1].fd);
	stretch = NULL;
	atomic_store(&begun, false);
}
