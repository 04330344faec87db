/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.c - the record's writer: the file, its blocks, and a handler for the SIGBUS after a truncation of
 * the file.
 * Terms: region/region.h.
 */
#include "region/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

enum { FIRST_PAGES = 32, TEXT_PAGES = 4, FIRST_ROWS = 16 };

/* Protects the variables below. May be taken while the engine's locks are held. No signal handler takes
 * it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *_Atomic base; /* UPCR_RECORD_MAX bytes of address space; NULL: none. Paired with the load in
			      record_truncated */
static size_t room, used;  /* bytes: size of the file, and of its blocks */
static char path[4096];
static dev_t device;
static ino_t inode;
static atomic_bool lives; /* the head's state is UPCR_RECORD_LIVES */
static unsigned row_events;
static struct upcr_record_block *texts;
static size_t text_at, text_room; /* bytes after the block's head: filled, available */
static struct sigaction before;

static struct upcr_record_head *record_head(void)
{
	return (struct upcr_record_head *)(void *)atomic_load_explicit(&base, memory_order_relaxed);
}

uint64_t upcr_record_start(pid_t pid)
{
	char name[64], text[1024], *at;
	unsigned long long start = 0;
	ssize_t n;
	int fd, field;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* The command's name may contain blanks and parentheses. */
	at = strrchr(text, ')');
	/* A zombie, which has ended but was not waited for, does not count as a process. */
	if (at && at[1] && (at[2] == 'Z' || at[2] == 'X'))
		return 0;
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %llu", &start) == 1 ? start : 0;
}

/* ---- truncation ---------------------------------------------------------------------------- */

/* SIGBUS handler. It calls mmap, sigaction and raise, which are safe in handlers. A fault in the record gets
 * private memory, and later copies are lost. Any other fault is repeated for the handler that was installed
 * before. */
static void record_truncated(int signo, siginfo_t *info, void *context)
{
	char *at = info->si_addr, *from = atomic_load(&base);
	int saved = errno;

	(void)context;
	if (info->si_code > 0 && from && at >= from && at < from + UPCR_RECORD_MAX) {
		(void)mmap(from, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0);
	} else {
		sigaction(signo, &before, NULL);
		if (info->si_code <= 0)
			raise(signo);
	}
	errno = saved;
}

static void record_watch(void)
{
	struct sigaction action = {.sa_sigaction = record_truncated, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction now;

	if (sigaction(SIGBUS, NULL, &now) ||
	    ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == record_truncated))
		return;
	before = now;
	(void)sigaction(SIGBUS, &action, NULL);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* True if the file may become this large. SIGXFSZ would end the program. */
static bool record_fits_limit(size_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

/* Extend the file and map the new pages now: page faults at later accesses would be counted as the
 * program's. */
static bool record_extend(int fd, size_t more)
{
	char *to = atomic_load(&base) + room;

	if (!record_fits_limit(room + more) || posix_fallocate(fd, (off_t)room, (off_t)more) ||
	    mmap(to, more, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, (off_t)room) ==
		    MAP_FAILED)
		return false;
	room += more;
	return true;
}

/* Grow the file by at least bytes. The file is opened again, since the program may close descriptors that it
 * has not opened. */
static bool record_grow(size_t bytes)
{
	size_t more = room;
	struct stat about;
	int fd;
	bool done;

	while (more < bytes)
		more *= 2;
	if (room + more > UPCR_RECORD_MAX)
		return false;
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = fstat(fd, &about) == 0 && about.st_dev == device && about.st_ino == inode &&
	       record_extend(fd, more);
	close(fd);
	return done;
}

/* Return a zeroed block of whole pages, of at least *bytes; *bytes becomes its size. NULL: no room. */
static void *record_take_locked(size_t *bytes)
{
	const size_t page = UPCR_RECORD_PAGE, size = (*bytes + page - 1) / page * page;
	int saved = errno, cancel;
	struct upcr_record_block *block = NULL;

	if (!atomic_load(&base))
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (used + size <= room || record_grow(used + size - room)) {
		block = (struct upcr_record_block *)(void *)(atomic_load(&base) + used);
		block->pages = (uint32_t)(size / page);
		used += size;
		*bytes = size;
	} else {
		atomic_store(&record_head()->lacking, 1);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return block;
}

/* Create and map the file; on failure nothing of it stays. */
static bool record_create(const char *prefix)
{
	struct statfs system;
	struct stat about;
	unsigned i;
	void *area;
	bool done;
	int fd = -1;

	for (i = 0; fd < 0 && i < 1000; i++) {
		if (snprintf(path, sizeof(path), "%s.%d.%u", prefix, (int)getpid(), i) >= (int)sizeof(path))
			return false;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return false;
	}
	area = fd < 0 ? MAP_FAILED
		      : mmap(NULL, UPCR_RECORD_MAX, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0);
	room = 0;
	used = UPCR_RECORD_PAGE;
	done = area != MAP_FAILED && fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC &&
	       fstat(fd, &about) == 0;
	if (done) {
		device = about.st_dev;
		inode = about.st_ino;
		atomic_store(&base, (char *)area);
		done = record_extend(fd, FIRST_PAGES * (size_t)UPCR_RECORD_PAGE);
	}
	if (fd >= 0)
		close(fd);
	if (done)
		return true;
	atomic_store(&base, NULL);
	if (area != MAP_FAILED)
		munmap(area, UPCR_RECORD_MAX);
	if (fd >= 0)
		unlink(path);
	return false;
}

bool upcr_record_begin(const char *prefix, unsigned events, uint64_t begun, bool child)
{
	struct upcr_record_head *head;
	bool done;

	pthread_mutex_lock(&lock);
	done = !atomic_load(&base) && record_create(prefix);
	if (done) {
		record_watch();
		texts = NULL;
		text_at = text_room = 0;
		row_events = events;
		head = record_head();
		head->events = events;
		head->pid = getpid();
		head->start = upcr_record_start(head->pid);
		head->begun = begun;
		head->child = child;
		atomic_store(&head->state, UPCR_RECORD_LIVES);
		atomic_store(&lives, true);
		atomic_store(&head->magic, UPCR_RECORD_MAGIC);
	}
	pthread_mutex_unlock(&lock);
	return done;
}

const char *upcr_record_path(void)
{
	return path;
}

void upcr_record_set_state(enum upcr_record_state state)
{
	pthread_mutex_lock(&lock);
	if (atomic_load(&base))
		atomic_store(&record_head()->state, state);
	atomic_store(&lives, state == UPCR_RECORD_LIVES);
	pthread_mutex_unlock(&lock);
}

bool upcr_record_lives(void)
{
	return atomic_load(&base) && atomic_load(&lives);
}

/* The mapping stays: a thread may be in a mark. */
void upcr_record_end(void)
{
	int saved = errno;

	if (atomic_load(&base) && !atomic_load(&lives))
		unlink(path);
	errno = saved;
}

/* ---- blocks -------------------------------------------------------------------------------- */

void upcr_record_add(enum upcr_record_text kind, unsigned index, const char *text, size_t length)
{
	const size_t size = (sizeof(struct upcr_record_entry) + length + 7) & ~(size_t)7;
	size_t bytes = TEXT_PAGES * (size_t)UPCR_RECORD_PAGE;
	struct upcr_record_entry *entry;

	pthread_mutex_lock(&lock);
	if (text_at + size > text_room) {
		if (bytes < sizeof(*texts) + size)
			bytes = sizeof(*texts) + size;
		texts = record_take_locked(&bytes);
		text_at = 0;
		text_room = texts ? bytes - sizeof(*texts) : 0;
		if (texts)
			atomic_store_explicit(&texts->kind, UPCR_RECORD_TEXTS, memory_order_release);
	}
	if (texts) {
		entry = (struct upcr_record_entry *)(void *)((char *)(texts + 1) + text_at);
		entry->kind = kind;
		entry->index = index;
		entry->length = (uint32_t)length;
		memcpy(entry->text, text, length);
		text_at += size;
		atomic_store_explicit(&texts->used, (unsigned)text_at, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
}

struct upcr_record_thread *upcr_record_add_thread(unsigned serial)
{
	struct upcr_record_thread *thread;
	size_t bytes = sizeof(*thread);

	pthread_mutex_lock(&lock);
	thread = record_take_locked(&bytes);
	if (thread) {
		thread->block.serial = serial;
		atomic_store_explicit(&thread->block.kind, UPCR_RECORD_THREAD, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return thread;
}

void *upcr_record_add_rows(unsigned serial, unsigned first, unsigned *n)
{
	const size_t stride = upcr_record_stride(row_events);
	struct upcr_record_block *block;
	size_t bytes;

	*n = 0;
	bytes = sizeof(*block) + (first > FIRST_ROWS ? first : FIRST_ROWS) * stride;
	pthread_mutex_lock(&lock);
	block = record_take_locked(&bytes);
	if (block) {
		/* Rows fill the rest of the last page, too. */
		*n = (unsigned)((bytes - sizeof(*block)) / stride);
		block->serial = serial;
		block->first = first;
		block->n = *n;
		atomic_store_explicit(&block->kind, UPCR_RECORD_ROWS, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return block ? block + 1 : NULL;
}

static struct upcr_record_slot *record_slot(struct upcr_record_row *row, unsigned events)
{
	char *slots = (char *)(row + 1);

	return (struct upcr_record_slot *)(void *)(slots +
						   (row->generation & 1) * upcr_record_slot_size(events));
}

struct upcr_value *upcr_record_slot_begin(struct upcr_record_row *row, unsigned events)
{
	struct upcr_record_slot *slot;

	row->generation++;
	slot = record_slot(row, events);
	atomic_store_explicit(&slot->generation, 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return slot->value;
}

/* A compiler's fence is enough: the kernel sees the stores of a thread that it ends in program order. */
void upcr_record_slot_end(struct upcr_record_row *row, unsigned events)
{
	struct upcr_record_slot *slot = record_slot(row, events);

	slot->ns = atomic_load_explicit(&row->ns, memory_order_relaxed);
	atomic_store_explicit(&slot->generation, row->generation, memory_order_release);
}

/* ---- fork ---------------------------------------------------------------------------------- */

void upcr_record_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

void upcr_record_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* busy: a signal handler has forked inside a call of the engine. The call goes on in the child and writes to
 * the mapping, so the mapping stays, but becomes private memory. */
void upcr_record_in_child(bool busy)
{
	char *from = atomic_load(&base);

	pthread_mutex_init(&lock, NULL);
	if (from && busy)
		(void)mmap(from, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0);
	else if (from)
		(void)munmap(from, UPCR_RECORD_MAX);
	atomic_store(&base, NULL);
	texts = NULL;
	text_at = text_room = 0;
}
