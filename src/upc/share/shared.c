/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared.c - the owner's side of a shared unit: creates the file, writes to it and removes it.
 *
 * A file has no name until it is complete and locked (O_TMPFILE, linkat). At whatever instruction the owner
 * is killed, the name therefore leads to nothing, or to a file that a monitor can judge by its lock and that
 * the next owner removes.
 *
 * Terms: share/shared.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/message.h"
#include "base/now.h"
#include "base/process.h"
#include "share/shared.h"

/* Number of tries to take the name while other processes take and release it. */
#define TRIES 50

_Static_assert(__atomic_always_lock_free(sizeof(uint64_t), 0), "the compiler's locks are no other process's");
_Static_assert(offsetof(struct upci_shared_page, slot) == 128, "layout: begins a cache line");
_Static_assert(sizeof(struct upci_shared_slot) == 38 * 64, "layout: whole cache lines");
_Static_assert(offsetof(struct upci_shared_page, event) == 19584, "layout");
_Static_assert(sizeof(struct upci_shared_event) == 296, "layout");
_Static_assert(sizeof(struct upci_shared_page) == 95368, "layout");

static int refuse_shared_file(const char *file, const char *what)
{
	int error = errno;

	switch (error) {
	case ENOSPC:
	case ENOMEM:
	case EDQUOT:
		return upci_fail(UPC_ENOMEM,
				 "%s: %s: no memory is left in /dev/shm: make it larger, or remove files",
				 file, what);
	case EMFILE:
	case ENFILE:
		return upci_fail(UPC_EMFILE,
				 "%s: %s: too few file descriptors are left: raise the limit (ulimit -n)",
				 file, what);
	case EACCES:
	case EPERM:
	case EROFS:
		return upci_fail(UPC_EPERM, "%s: %s: not permitted in /dev/shm (%s)", file, what,
				 strerror(error));
	default:
		return upci_fail(UPC_ESYSTEM, "%s: %s: %s", file, what, strerror(error));
	}
}

/* True if the name still leads to the open file. */
static bool has_name(int directory, const char *file, int fd)
{
	struct stat open, named;

	return fstat(fd, &open) == 0 && fstatat(directory, file, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* ---- a file that already has the name --------------------------------------- */

static int refuse_living(int fd, const char *file)
{
	uint32_t process = 0;

	if (pread(fd, &process, sizeof(process), offsetof(struct upci_shared_page, process)) !=
	    sizeof(process))
		process = 0;
	return upci_fail(UPC_ESTATE, "%s: process %u shows a unit under this name: choose another one", file,
			 le32toh(process));
}

/*
 * Remove the file of a dead owner. The taker's lock keeps two processes from doing this at the same time: the
 * second would remove the file that the first has put there. Return 0 if the name may be free, 1 if another
 * process is removing it, or an error with message.
 */
static int remove_dead(int directory, const char *file, int fd)
{
	if (!upci_shared_lock(fd, UPCI_SHARED_TAKER))
		return 1;
	if (!has_name(directory, file, fd))
		return 1;
	if (unlinkat(directory, file, 0) && errno != ENOENT)
		return refuse_shared_file(file, "what a dead process left cannot be removed");
	return 0;
}

static int clear_way(int directory, const char *file)
{
	int fd = upci_shared_open(directory, file, true), result;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : upci_shared_open_error(errno, file);
	if (fstat(fd, &st))
		result = refuse_shared_file(file, "fstat");
	else if (!S_ISREG(st.st_mode))
		result = upci_shared_open_error(ENXIO, file);
	else if (st.st_uid != geteuid())
		result = upci_fail(UPC_EPERM,
				   "%s: user %lu has put a file there: remove it, or choose another name",
				   file, (unsigned long)st.st_uid);
	else if (upci_shared_locked(fd))
		result = refuse_living(fd, file);
	else
		result = remove_dead(directory, file, fd);
	close(fd);
	return result;
}

/* ---- a new file ---------------------------------------------------------- */

static int size_file(const char *file, int fd)
{
	struct rlimit limit;
	int error;

	/* Beyond the limit, the kernel sends a signal that ends the program. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < sizeof(struct upci_shared_page))
		return upci_fail(
			UPC_EPERM,
			"%s: it has %zu bytes, and the limit for files is %llu: raise it (ulimit -f)", file,
			sizeof(struct upci_shared_page), (unsigned long long)limit.rlim_cur);
	/* Allocate the memory now: later, a full tmpfs would raise SIGBUS. */
	do
		error = posix_fallocate(fd, 0, sizeof(struct upci_shared_page));
	while (error == EINTR);
	if (error) {
		errno = error;
		return refuse_shared_file(file, "taking memory for it");
	}
	return 0;
}

/* Open a file without a name. From here on the child of a fork closes it. Otherwise the child would hold the
 * lock too, and keep the name. */
static int open_unnamed_file(int directory, struct upci_shared *shared)
{
	upci_process_lock();
	shared->fd = upci_fd_keep(openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	shared->has_fd = shared->fd >= 0;
	upci_process_unlock();
	if (shared->has_fd)
		return 0;
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: /dev/shm cannot make files without a name (O_TMPFILE): mount a tmpfs there",
			shared->file);
	return refuse_shared_file(shared->file, "a file cannot be made");
}

static int make_shared_file(int directory, bool group, struct upci_shared *shared)
{
	int error = open_unnamed_file(directory, shared);

	if (error)
		return error;
	/* open applied the umask, so set the mode again. */
	if (fchmod(shared->fd, group ? 0640 : 0600))
		return refuse_shared_file(shared->file, "its mode cannot be set");
	error = size_file(shared->file, shared->fd);
	if (!error && !upci_shared_lock(shared->fd, UPCI_SHARED_OWNER))
		error = refuse_shared_file(shared->file, "it cannot be locked");
	return error;
}

/* Map the file, but not in children of a fork, which would be second writers. */
static struct upci_shared_page *map_shared_file(int fd)
{
	void *page = mmap(NULL, sizeof(struct upci_shared_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, sizeof(struct upci_shared_page), MADV_DONTFORK)) {
		munmap(page, sizeof(struct upci_shared_page));
		return NULL;
	}
	return page;
}

static uint32_t calling_thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

/* ---- showing ------------------------------------------------------------- */

static void show_page_slot(struct upci_shared *shared)
{
	const struct upci_shared_slot *from = &shared->now;
	uint64_t number = ++shared->change;
	struct upci_shared_slot *to = &shared->page->slot[number % UPCI_SHARED_SLOTS];
	unsigned i;

	/* Every later store of data is a release, which pairs with the acquire loads in copy_unit: a reader
	 * that sees any of these data also sees this stamp. */
	upci_shared_put64(&to->stamp, 2 * number - 1);
	for (i = 0; i < UPC_COUNTERS; i++)
		__atomic_store_n(&to->count[i], from->count[i], __ATOMIC_RELEASE);
	for (i = 0; i < UPC_COUNTERS / 8; i++)
		__atomic_store_n(&to->config[i], from->config[i], __ATOMIC_RELEASE);
	for (i = 0; i < UPC_COUNTERS / 64; i++)
		__atomic_store_n(&to->unread[i], from->unread[i], __ATOMIC_RELEASE);
	__atomic_store_n(&to->generation, from->generation, __ATOMIC_RELEASE);
	__atomic_store_n(&to->updated_ns, from->updated_ns, __ATOMIC_RELEASE);
	__atomic_store_n(&to->threshold, from->threshold, __ATOMIC_RELEASE);
	__atomic_store_n(&to->changed_by, from->changed_by, __ATOMIC_RELEASE);
	__atomic_store_n(&to->running, from->running, __ATOMIC_RELEASE);
	upci_shared_put64(&to->stamp, 2 * number);
	upci_shared_put64(&shared->page->change, number);
	shared->live = to->count;
}

static void new_generation(struct upci_shared *shared)
{
	shared->now.generation = htole64(++shared->generation);
	shared->now.changed_by = htole64(calling_thread());
}

/* Write the whole page, although it is zero already. The first touch of a page while the unit runs would be a
 * page fault that the unit counts. */
static void fill_shared_page(struct upci_shared *shared)
{
	struct upci_shared_page *page = shared->page;

	memset(page, 0, sizeof(*page));
	upci_shared_put64(&page->magic, UPCI_SHARED_MAGIC);
	upci_shared_put32(&page->version, UPCI_SHARED_VERSION);
	upci_shared_put32(&page->bytes, sizeof(*page));
	upci_shared_put32(&page->process, (uint32_t)getpid());
	upci_shared_put64(&page->tail, UPCI_SHARED_MAGIC);
	new_generation(shared);
	upci_shared_put64(&page->generation, shared->generation);
	shared->now.updated_ns = htole64(upci_now_ns());
	show_page_slot(shared);
}

/* ---- creating ------------------------------------------------------------ */

/* Give the open file its name. On failure return -1 with errno, EEXIST if the name is taken. */
static int give_name(int directory, const char *file, int fd)
{
	char path[64];
	int error;

	/* Link by way of /proc, since the direct link needs a capability before Linux 6.10. Link directly if
	 * there is no /proc, or if a set-user-id program may not look into its own. */
	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	if (!linkat(AT_FDCWD, path, directory, file, AT_SYMLINK_FOLLOW))
		return 0;
	error = errno;
	if (error == EEXIST || !linkat(fd, "", directory, file, AT_EMPTY_PATH))
		return error == EEXIST ? -1 : 0;
	if (errno != EEXIST)
		errno = error;
	return -1;
}

static int publish_shared_name(int directory, const char *file, int fd)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	unsigned i;
	int result;

	for (i = 0; i < TRIES; i++) {
		result = clear_way(directory, file);
		if (result < 0)
			return result;
		if (result > 0) {
			nanosleep(&moment, NULL);
			continue;
		}
		if (!give_name(directory, file, fd))
			return 0;
		if (errno != EEXIST)
			return refuse_shared_file(file, "the file cannot be given its name");
	}
	return upci_fail(UPC_ESTATE, "%s: others hold or take this name all the time: choose another one",
			 file);
}

static int create_shared_file(int directory, bool group, struct upci_shared *shared)
{
	/* Check the name first: a name that is taken is the most likely mistake. */
	int error = clear_way(directory, shared->file);

	if (error < 0)
		return error;
	error = make_shared_file(directory, group, shared);
	if (error)
		return error;
	(void)upci_process_claim();
	shared->maker = upci_process_claimed();
	upci_process_lock();
	shared->page = map_shared_file(shared->fd);
	upci_process_unlock();
	if (!shared->page)
		return refuse_shared_file(shared->file, "it cannot be mapped");
	fill_shared_page(shared);
	return publish_shared_name(directory, shared->file, shared->fd);
}

static void clear_shared_page(struct upci_shared *shared)
{
	upci_process_lock();
	if (shared->page)
		munmap(shared->page, sizeof(*shared->page));
	upci_shared_forked(shared);
	upci_process_unlock();
}

int upci_shared_create(const char *name, bool group, struct upci_shared *shared)
{
	int error = upci_shared_file(name, geteuid(), shared->file), directory;

	if (error)
		return error;
	directory = upci_shared_directory();
	error = directory;
	if (directory >= 0) {
		error = create_shared_file(directory, group, shared);
		close(directory);
	}
	if (error)
		clear_shared_page(shared);
	return error;
}

int upci_shared_clear(const char *name)
{
	char file[UPCI_SHARED_FILE_MAX];
	int error = upci_shared_file(name, geteuid(), file), directory;

	if (error)
		return error;
	directory = upci_shared_directory();
	if (directory < 0)
		return directory;
	error = clear_way(directory, file);
	close(directory);
	return error;
}

void upci_shared_withdraw(struct upci_shared *shared)
{
	char path[UPCI_SHARED_FILE_MAX + 16];

	upci_shared_put32(&shared->page->ended, 1);
	/* Use the path, since no descriptor may be left for the directory. No process takes the name from a
	 * living owner, but the file may have been removed by hand. */
	snprintf(path, sizeof(path), UPCI_SHARED_DIRECTORY "/%s", shared->file);
	if (has_name(AT_FDCWD, path, shared->fd))
		(void)unlink(path);
}

void upci_shared_destroy(struct upci_shared *shared)
{
	upci_shared_withdraw(shared);
	clear_shared_page(shared);
}

void upci_shared_forked(struct upci_shared *shared)
{
	/* The page is not mapped here (MADV_DONTFORK). The lock belongs to the open file, which stays the
	 * parent's once this descriptor is closed. */
	if (shared->has_fd)
		close(shared->fd);
	memset(shared, 0, sizeof(*shared));
}

/* ---- writing ------------------------------------------------------------- */

void upci_shared_begin(struct upci_shared *shared)
{
	shared->live = shared->now.count;
}

/* Make sequence odd, at the first event of a change; upci_shared_end makes it even again. */
static void open_event_sequence(struct upci_shared *shared)
{
	if (!(shared->sequence & 1))
		upci_shared_put64(&shared->page->sequence, ++shared->sequence);
}

void upci_shared_end(struct upci_shared *shared, bool configuration)
{
	if (configuration)
		new_generation(shared);
	shared->now.updated_ns = htole64(upci_now_ns());
	show_page_slot(shared);
	if (configuration) {
		open_event_sequence(shared);
		upci_shared_put64(&shared->page->generation, shared->generation);
	}
	if (shared->sequence & 1)
		upci_shared_put64(&shared->page->sequence, ++shared->sequence);
}

void upci_shared_field(struct upci_shared *shared, unsigned counter, uint8_t field)
{
	uint64_t *word = &shared->now.config[counter / 8], config = le64toh(*word);
	unsigned shift = counter % 8 * 8;

	config = (config & ~(UINT64_C(0xff) << shift)) | (uint64_t)field << shift;
	*word = htole64(config);
}

void upci_shared_registers(struct upci_shared *shared, bool running, uint64_t threshold)
{
	shared->now.running = htole64(running);
	shared->now.threshold = htole64(threshold);
}

void upci_shared_unread(struct upci_shared *shared, const uint64_t unread[UPC_COUNTERS / 64])
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS / 64; i++)
		shared->now.unread[i] = htole64(unread[i]);
}

/* Store text in words. size is a multiple of 8, and the last byte stays 0. */
static void put_page_text(uint64_t *to, size_t size, const char *text)
{
	uint64_t words[UPC_NAME_MAX / 8] = {0};
	size_t i;

	memcpy(words, text, strnlen(text, size - 1));
	for (i = 0; i < size / 8; i++)
		__atomic_store_n(&to[i], words[i], __ATOMIC_RELEASE);
}

void upci_shared_event(struct upci_shared *shared, unsigned counter, const char *name, const char *unit,
		       enum upc_kind kind)
{
	struct upci_shared_event *event = &shared->page->event[counter];

	open_event_sequence(shared);
	put_page_text(event->name, sizeof(event->name), name ? name : "");
	put_page_text(event->unit, sizeof(event->unit), unit ? unit : "");
	upci_shared_put32(&event->bound, name != NULL);
	upci_shared_put32(&event->kind, (uint32_t)kind);
}
