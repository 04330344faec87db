/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * monitor.c - reads shared units. No data in the page are trusted: any process with the user id of the unit's
 * owner may have written them, and may write at any moment.
 * Terms: share/shared.h.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/message.h"
#include "base/now.h"
#include "share/monitor_bus.h"
#include "base/process.h"
#include "share/shared.h"
#include "base/sized.h"
#include "base/words.h"

/* TRIES copies are tried before any system call. Then TRIES_A_NAP copies are tried between naps, until
 * PATIENCE_NS have passed. */
#define TRIES 2000
#define TRIES_A_NAP 64
#define NAP_NS 20000
#define PATIENCE_NS 100000000

struct upc_monitor {
	const struct upci_shared_page *page;
	int fd; /* the open file, to test whether its owner holds the lock */
	struct upci_bus_guard *guard;
	char file[UPCI_SHARED_FILE_MAX];
};

/* ---- consistent copies --------------------------------------------------------- */

/* Copy something from the page to *to. False if the owner changed it meanwhile. */
typedef bool copy_fn(const struct upci_shared_page *page, void *to);

struct snapshot {
	uint64_t count[UPC_COUNTERS];
	uint64_t config[UPC_COUNTERS / 8];
	uint64_t unread[UPC_COUNTERS / 64];
	uint64_t generation, updated_ns, threshold, changed_by, running;
	uint32_t process, ended;
};

static bool copy_unit(const struct upci_shared_page *page, void *to)
{
	struct snapshot *s = to;
	const struct upci_shared_slot *slot;
	uint64_t change;
	unsigned i;

	s->process = upci_shared_get32(&page->process);
	/* Load ended before change: if ended is set, change never changes again. */
	s->ended = upci_shared_get32(&page->ended);
	change = upci_shared_get64(&page->change);
	slot = &page->slot[change % UPCI_SHARED_SLOTS];
	for (i = 0; i < UPC_COUNTERS; i++)
		s->count[i] = upci_shared_get64(&slot->count[i]);
	for (i = 0; i < UPC_COUNTERS / 8; i++)
		s->config[i] = upci_shared_get64(&slot->config[i]);
	for (i = 0; i < UPC_COUNTERS / 64; i++)
		s->unread[i] = upci_shared_get64(&slot->unread[i]);
	s->generation = upci_shared_get64(&slot->generation);
	s->updated_ns = upci_shared_get64(&slot->updated_ns);
	s->threshold = upci_shared_get64(&slot->threshold);
	s->changed_by = upci_shared_get64(&slot->changed_by);
	s->running = upci_shared_get64(&slot->running);
	/* The copy is valid if the slot still has the stamp of the complete change. All loads are acquires:
	 * if any newer data was copied, this load sees the newer stamp, which was stored before that data.
	 * They pair with the release stores in show_page_slot and upci_shared_count. */
	return upci_shared_get64(&slot->stamp) == 2 * change;
}

struct event_copy {
	unsigned counter; /* set by the caller */
	struct upci_shared_event event;
	uint64_t generation;
};

static void copy_words(uint64_t *to, const uint64_t *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
}

static bool copy_event(const struct upci_shared_page *page, void *to)
{
	struct event_copy *c = to;
	const struct upci_shared_event *event = &page->event[c->counter];
	uint64_t sequence = upci_shared_get64(&page->sequence);

	if (sequence & 1)
		return false;
	copy_words(c->event.name, event->name, sizeof(event->name) / 8);
	copy_words(c->event.unit, event->unit, sizeof(event->unit) / 8);
	c->event.bound = upci_shared_get32(&event->bound);
	c->event.kind = upci_shared_get32(&event->kind);
	c->generation = upci_shared_get64(&page->generation);
	return upci_shared_get64(&page->sequence) == sequence;
}

static inline void pause_briefly(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield");
#endif
}

static bool try_copy(const struct upci_shared_page *page, unsigned n, copy_fn *copy, void *to)
{
	for (; n; n--) {
		if (copy(page, to))
			return true;
		pause_briefly();
	}
	return false;
}

/* Wait and copy again, after the first tries failed: the owner is slow, changes the unit fast, or is dead.
 * Return 0, UPC_EGONE or UPC_ESTATE. */
static int wait_and_copy(const struct upc_monitor *m, copy_fn *copy, void *to)
{
	static const struct timespec nap = {.tv_nsec = NAP_NS};
	uint64_t give_up = upci_now_ns() + PATIENCE_NS;
	bool alive;

	(void)upci_words_prepare();
	do {
		nanosleep(&nap, NULL);
		/* Check before the copy, since the data of a dead owner do not change any more. */
		alive = upci_shared_locked(m->fd);
		if (try_copy(m->page, alive ? TRIES_A_NAP : 1, copy, to))
			return 0;
		if (!alive)
			return upci_fail(UPC_EGONE, "%s: its owner was killed in the middle of a change",
					 m->file);
	} while (upci_now_ns() < give_up);
	return upci_fail(
		UPC_ESTATE,
		"%s: its owner, process %u, is changing it all the time, or stopped while it does: try again",
		m->file, upci_shared_get32(&m->page->process));
}

static int take_page_copy(const struct upc_monitor *m, copy_fn *copy, void *to)
{
	int error;

	if (!try_copy(m->page, TRIES, copy, to)) {
		error = wait_and_copy(m, copy, to);
		/* If the file was truncated, the copy may fail on zeros mixed with a piece of the file:
		 * report that below. */
		if (error && upci_shared_get64(&m->page->tail) == UPCI_SHARED_MAGIC)
			return error;
	}
	/* Truncation removes the tail before any other data. If it removed the copied data, even if zeros
	 * stand there now, the tail is gone too. */
	if (upci_shared_get64(&m->page->tail) != UPCI_SHARED_MAGIC || upci_bus_hit(m->guard))
		return upci_fail(UPC_EGONE, "%s: the file was cut off", m->file);
	return 0;
}

/* ---- opening ------------------------------------------------------------------- */

/* Check the page's header, which is read before the file is mapped. */
static int check_page_header(int fd, const struct stat *st, const char *file)
{
	struct {
		uint64_t magic;
		uint32_t version, bytes;
	} header;
	uint32_t version;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    le64toh(header.magic) != UPCI_SHARED_MAGIC)
		return upci_fail(UPC_ENOSUPP, "%s: not a shared unit", file);
	version = le32toh(header.version);
	if (version != UPCI_SHARED_VERSION)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: a shared unit of version %u, and this libupc (%s) knows version %u: use the same "
			"release for both",
			file, version, upc_version(), UPCI_SHARED_VERSION);
	if (le32toh(header.bytes) != sizeof(struct upci_shared_page) ||
	    st->st_size != (off_t)sizeof(struct upci_shared_page))
		return upci_fail(UPC_ENOSUPP,
				 "%s: %lld bytes, says %u, and a shared unit has %zu: not one, or cut off",
				 file, (long long)st->st_size, le32toh(header.bytes),
				 sizeof(struct upci_shared_page));
	return 0;
}

static int check_monitored_file(int fd, uid_t user, const char *file)
{
	struct stat st;

	if (fstat(fd, &st))
		return upci_fail(UPC_ESYSTEM, "%s: %s", file, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return upci_shared_open_error(ENXIO, file);
	if (st.st_uid != user)
		return upci_fail(UPC_EPERM, "%s: belongs to user %lu, not %lu", file,
				 (unsigned long)st.st_uid, (unsigned long)user);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return upci_fail(UPC_EPERM, "%s: others than its owner can write to it (mode %04o)", file,
				 (unsigned)st.st_mode & 07777);
	if (st.st_nlink > 1)
		return upci_fail(UPC_EPERM, "%s: has another name as well (a hard link): remove it", file);
	if (!st.st_nlink)
		return upci_fail(UPC_EGONE, "%s: was removed just now", file);
	return check_page_header(fd, &st, file);
}

static int map_monitored_file(struct upc_monitor *m)
{
	void *page = mmap(NULL, sizeof(*m->page), PROT_READ, MAP_SHARED, m->fd, 0);
	int error;

	if (page == MAP_FAILED)
		return upci_fail(errno == ENOMEM ? UPC_ENOMEM : UPC_ESYSTEM, "%s: cannot be mapped: %s",
				 m->file, strerror(errno));
	error = upci_bus_guard(page, sizeof(*m->page), &m->guard);
	if (error) {
		munmap(page, sizeof(*m->page));
		return error;
	}
	m->page = page;
	return 0;
}

static void unmap_file(struct upc_monitor *m)
{
	upci_bus_release(m->guard);
	munmap((void *)m->page, sizeof(*m->page));
}

static int open_monitored_file(struct upc_monitor *m, uid_t user)
{
	struct snapshot s;
	int directory = upci_shared_directory(), error;

	if (directory < 0)
		return directory;
	m->fd = upci_shared_open(directory, m->file, false);
	error = errno;
	close(directory);
	if (m->fd < 0)
		return upci_shared_open_error(error, m->file);
	error = check_monitored_file(m->fd, user, m->file);
	if (!error)
		error = map_monitored_file(m);
	if (error) {
		close(m->fd);
		return error;
	}
	/* The file may have been truncated meanwhile, or its owner may have ended. */
	error = take_page_copy(m, copy_unit, &s);
	if (!error && (s.ended || !upci_shared_locked(m->fd)))
		error = upci_fail(UPC_EGONE, "%s: its owner, process %u, has ended", m->file, s.process);
	if (error) {
		unmap_file(m);
		close(m->fd);
	}
	return error;
}

int upc_monitor_open(const char *name, const struct upc_monitor_options *given, struct upc_monitor **monitor)
{
	static const struct upci_sized sized = UPCI_SIZED(upc_monitor_options, user, upci_fail);
	struct upc_monitor_options options = UPC_OPTIONS_INIT(upc_monitor_options);
	struct upc_monitor *m;
	uid_t user;
	int error = 0;

	(void)upci_words_prepare();
	if (!monitor)
		return upci_fail(UPC_EINVAL, "upc_monitor_open: no place for the monitor");
	if (given)
		error = upci_sized_take(&sized, &options, given);
	if (error)
		return error;
	user = options.foreign ? options.user : geteuid();
	m = calloc(1, sizeof(*m));
	if (!m)
		return upci_fail(UPC_ENOMEM, "no memory for a monitor");
	error = upci_shared_file(name, user, m->file);
	if (!error)
		error = open_monitored_file(m, user);
	if (error) {
		free(m);
		return error;
	}
	*monitor = m;
	return 0;
}

void upc_monitor_close(struct upc_monitor *monitor)
{
	if (!monitor)
		return;
	unmap_file(monitor);
	close(monitor->fd);
	free(monitor);
}

/* ---- reading --------------------------------------------------------------------- */

static const struct upci_sized sized_info = UPCI_SIZED_FROM_0(upc_monitor_info, upci_fail);

static void tell_monitor_info(const struct snapshot *s, struct upc_monitor_info *info)
{
	struct upc_monitor_info full = {
		.process = (pid_t)s->process,
		.changed_by = (pid_t)s->changed_by,
		.generation = s->generation,
		.updated_ns = s->updated_ns,
		.running = s->running != 0,
		.ended = s->ended != 0,
		.threshold = s->threshold,
	};
	unsigned i;

	for (i = 0; i < UPC_COUNTERS / 8; i++) {
		uint64_t eight = htole64(s->config[i]);

		memcpy(full.field + i * sizeof(eight), &eight, sizeof(eight));
	}
	for (i = 0; i < UPC_COUNTERS; i++)
		full.unread[i] = s->unread[i / 64] >> i % 64 & 1;
	upci_sized_give(&sized_info, info, &full);
}

int upc_monitor_read(struct upc_monitor *monitor, uint64_t *values, struct upc_monitor_info *info)
{
	struct snapshot s;
	int error = 0;

	if (!monitor)
		return upci_fail(UPC_EINVAL, "upc_monitor_read: no monitor");
	if (info)
		error = upci_sized_check(&sized_info, info);
	if (!error)
		error = take_page_copy(monitor, copy_unit, &s);
	if (error)
		return error;
	if (values)
		memcpy(values, s.count, sizeof(s.count));
	if (info)
		tell_monitor_info(&s, info);
	return 0;
}

/* Copy text and replace control characters, since the user may print names on a terminal. */
static void take_text(char *to, const uint64_t *from, size_t size)
{
	size_t i;

	memcpy(to, from, size);
	to[size - 1] = 0;
	for (i = 0; to[i]; i++)
		if (to[i] < ' ' || to[i] > '~')
			to[i] = '?';
	memset(to + i, 0, size - i);
}

int upc_monitor_counter(struct upc_monitor *monitor, int counter, struct upc_monitor_event *event)
{
	static const struct upci_sized sized = UPCI_SIZED_FROM_0(upc_monitor_event, upci_fail);
	struct upc_monitor_event full = {.size = 0};
	struct event_copy c;
	int error;

	_Static_assert(sizeof(full.name) == sizeof(c.event.name) && sizeof(full.unit) == sizeof(c.event.unit),
		       "");
	(void)upci_words_prepare();
	if (!monitor || counter < 0 || counter >= UPC_COUNTERS)
		return upci_fail(UPC_EINVAL, "upc_monitor_counter: counter %d, and there are 0 to %d",
				 counter, UPC_COUNTERS - 1);
	error = upci_sized_check(&sized, event);
	if (error)
		return error;
	c.counter = (unsigned)counter;
	error = take_page_copy(monitor, copy_event, &c);
	if (error)
		return error;
	full.generation = c.generation;
	if (c.event.bound) {
		full.bound = 1;
		full.kind = c.event.kind == UPC_KIND_LEVEL ? UPC_KIND_LEVEL : UPC_KIND_COUNT;
		take_text(full.name, c.event.name, sizeof(full.name));
		take_text(full.unit, c.event.unit, sizeof(full.unit));
	}
	upci_sized_give(&sized, event, &full);
	return 0;
}

int upc_monitor_alive(struct upc_monitor *monitor)
{
	return monitor && upci_shared_get64(&monitor->page->tail) == UPCI_SHARED_MAGIC &&
	       !upci_shared_get32(&monitor->page->ended) && upci_shared_locked(monitor->fd);
}

/* ---- listing ---------------------------------------------------------------------- */

static int open_list(DIR **list)
{
	int directory = upci_shared_directory(), fd, error;

	if (directory < 0)
		return directory;
	/* A directory that was opened with O_PATH cannot be listed. */
	fd = upci_fd_keep(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	error = errno;
	close(directory);
	if (fd < 0)
		return upci_shared_open_error(error, ".");
	*list = fdopendir(fd);
	if (!*list) {
		close(fd);
		return upci_fail(UPC_ENOMEM, "no memory to list shared units with");
	}
	return 0;
}

/* True if file is a shared unit that belongs to the user in its name. Any user may put a file there whose
 * name contains another user's number. */
static bool is_unit(int directory, const char *file, uid_t *user, const char **name)
{
	struct stat st;

	return upci_shared_parse(file, user, name) &&
	       fstatat(directory, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == *user;
}

int upc_monitor_list(int (*fn)(const char *name, uid_t user, void *arg), void *arg)
{
	struct dirent *entry;
	const char *name;
	DIR *list;
	uid_t user;
	int n = 0, result;

	(void)upci_words_prepare();
	result = open_list(&list);
	if (result)
		return result;
	while (!result && (entry = readdir(list)))
		if (is_unit(dirfd(list), entry->d_name, &user, &name)) {
			n++;
			result = fn ? fn(name, user, arg) : 0;
		}
	closedir(list);
	return result ? result : n;
}
