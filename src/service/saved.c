/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * saved.c - the file of saved.h: a head and two slots.
 * Terms: service/service.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "upc.h"
#include "procfs/roots.h"
#include "service/saved.h"
#include "service/say.h"

#define MAGIC "UPCSTATE"
#define STATE_VERSION 1u
#define ORDER 0x01020304u
#define PAGE 4096u
#define FILE_MAX (256u << 20)

struct head {
	char magic[8];
	uint32_t version, order;
	uint64_t slot_size; /* including the slot's head */
	uint64_t stale;     /* not 0: values were published that are not in this file */
	uint64_t used;      /* not 0: a service has the file open; the mark is on the disk */
};

struct slot {
	uint64_t sequence, length, hash; /* length and hash: of the bytes that follow */
};

struct saved {
	char *path;
	char boot[64];
	int fd;
	uint64_t slot_size, sequence;
	bool stale;
	bool unused; /* nothing was written yet, and the last service ended cleanly */
};

static bool read_saved_bytes(int fd, void *to, size_t n, uint64_t at)
{
	return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

static int write_at(int fd, const void *from, size_t n, uint64_t at)
{
	ssize_t written = pwrite(fd, from, n, (off_t)at);

	if (written == (ssize_t)n)
		return 0;
	return written < 0 ? errno : ENOSPC;
}

/* Return the slot's offset. Sequence numbers alternate between the slots, so a state never overwrites the one
 * before it. */
static uint64_t slot_at(const struct slot *slot, uint64_t slot_size)
{
	return PAGE + (slot->sequence & 1) * slot_size;
}

/* Read the boot id: a file from before a reboot may lack the last writes. */
static void read_boot(char boot[64])
{
	int fd = upci_root_open(UPCI_ROOT_PROC, 0, 0, "sys/kernel/random/boot_id");
	ssize_t n = fd < 0 ? -1 : read(fd, boot, 63);

	boot[n < 0 ? 0 : n] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* ---- reading the old file --------------------------------------------------------- */

static void *read_slot(const struct saved *s, unsigned i, struct slot *slot)
{
	uint64_t at = PAGE + i * s->slot_size;
	void *bytes;

	if (!read_saved_bytes(s->fd, slot, sizeof(*slot), at) || !slot->sequence ||
	    slot->length > s->slot_size - sizeof(*slot))
		return NULL;
	bytes = malloc(slot->length + 1);
	if (bytes && read_saved_bytes(s->fd, bytes, slot->length, at + sizeof(*slot)) &&
	    saved_hash(bytes, slot->length) == slot->hash)
		return bytes;
	free(bytes);
	return NULL;
}

/* Read the file. Return NULL, and its newest slot in *was; or why it is no usable state. */
static const char *read_saved_file(struct saved *s, off_t size, struct saved_state **was)
{
	struct head head;
	struct slot slot;

	if (!read_saved_bytes(s->fd, &head, sizeof(head), 0) || memcmp(head.magic, MAGIC, sizeof(head.magic)))
		return "not a saved state";
	if (head.version != STATE_VERSION || head.order != ORDER)
		return "a saved state of another version, or another kind of machine";
	if (head.slot_size < PAGE || head.slot_size > FILE_MAX || (uint64_t)size < PAGE + 2 * head.slot_size)
		return "a saved state that was cut off";
	s->slot_size = head.slot_size;
	s->stale = head.stale;
	s->unused = !head.used;
	for (unsigned i = 0; i < 2; i++) {
		void *bytes = read_slot(s, i, &slot);
		struct saved_state *state = bytes ? saved_decode(bytes, slot.length, s->boot) : NULL;

		free(bytes);
		if (!state || slot.sequence <= s->sequence) {
			saved_state_free(state);
			continue;
		}
		s->sequence = slot.sequence;
		saved_state_free(*was);
		*was = state;
	}
	if (!*was)
		return "a damaged saved state";
	/* If a later service had the file open, the machine may have lost what that service wrote: the clean
	 * end then counts only in the same boot. */
	(*was)->whole = (head.used ? (*was)->same_boot : (*was)->whole) && !s->stale;
	return NULL;
}

/* Set the mark; it is on the disk on return. Return 0 or an errno. */
static int mark_saved_used(const struct saved *s, bool used)
{
	uint64_t mark = used;
	int error = write_at(s->fd, &mark, sizeof(mark), offsetof(struct head, used));

	return !error && fdatasync(s->fd) ? errno : error;
}

/* ---- making and growing -------------------------------------------------------------- */

/* Make a file with slots of this size, under another name until it is complete. Return 0 or an errno. */
static int make_saved_file(struct saved *s, uint64_t slot_size, const struct slot *slot, const void *bytes)
{
	struct head head = {.version = STATE_VERSION, .order = ORDER, .slot_size = slot_size, .used = 1};
	uint64_t at = slot ? slot_at(slot, slot_size) : 0;
	char *path = service_say("%s.new", s->path);
	int fd, error;

	if (!path)
		return ENOMEM;
	memcpy(head.magic, MAGIC, sizeof(head.magic));
	(void)unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	error = fd < 0 ? errno : 0;
	/* Allocate all of it now, so that a full disk is noticed here and not at a later write. */
	if (!error)
		error = posix_fallocate(fd, 0, (off_t)(PAGE + 2 * slot_size));
	if (!error)
		error = write_at(fd, &head, sizeof(head), 0);
	if (!error && slot)
		error = write_at(fd, bytes, slot->length, at + sizeof(*slot));
	if (!error && slot)
		error = write_at(fd, slot, sizeof(*slot), at);
	if (!error && flock(fd, LOCK_EX | LOCK_NB))
		error = errno;
	if (!error && rename(path, s->path))
		error = errno;
	if (error) {
		if (fd >= 0) {
			close(fd);
			(void)unlink(path);
		}
	} else {
		if (s->fd >= 0)
			close(s->fd);
		s->fd = fd;
		s->slot_size = slot_size;
		s->stale = false;
	}
	free(path);
	return error;
}

/* Rename a file that is no usable state, so that the operator can examine it. Return a remark, or NULL. */
static char *move_aside(struct saved *s, const char *why, bool *moved)
{
	char *to = service_say("%s.refused-%llu", s->path, (unsigned long long)time(NULL));
	char *remark;

	*moved = to && !rename(s->path, to);
	remark =
		*moved ? service_say("%s: %s; it was moved to %s, and counts begin anew", s->path, why, to)
		       : service_say("%s: %s; it cannot be moved aside, and no state is saved", s->path, why);
	free(to);
	if (*moved) {
		close(s->fd);
		s->fd = -1;
		s->sequence = 0;
		s->unused = false;
	}
	return remark;
}

/* ---- public ----------------------------------------------------------------------------- */

/* Return why the file cannot hold a state, whatever its contents, or NULL. */
static const char *find_unfit_reason(int fd, struct stat *status)
{
	if (fstat(fd, status) || !S_ISREG(status->st_mode))
		return "not a regular file";
	if (status->st_uid != geteuid() && status->st_uid)
		return "another user's file";
	if (status->st_mode & 022)
		return "a file that others can write";
	return NULL;
}

static int open_locked_saved(struct saved *s, struct saved_state **was, char **remark, bool *usable)
{
	const char *why;
	struct stat status, named;

	*usable = true;
	for (int tries = 0; tries < 8; tries++) {
		s->fd = open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
		if (s->fd < 0)
			break;
		if (flock(s->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
			*remark = service_say("%s: another service has it", s->path);
			return UPC_ESTATE;
		}
		/* The former holder of the lock may have replaced the file. */
		if (!fstat(s->fd, &status) && !stat(s->path, &named) && status.st_ino == named.st_ino &&
		    status.st_dev == named.st_dev)
			break;
		close(s->fd);
		s->fd = -1;
	}
	if (s->fd < 0) {
		*usable = errno == ENOENT;
		if (!*usable)
			*remark = service_say("%s: %s; no state is saved", s->path, strerror(errno));
		return 0;
	}
	why = find_unfit_reason(s->fd, &status);
	if (why) {
		*usable = false;
		*remark = service_say("%s: %s; no state is saved", s->path, why);
		return 0;
	}
	why = read_saved_file(s, status.st_size, was);
	if (why)
		*remark = move_aside(s, why, usable);
	return 0;
}

int saved_open(const char *path, struct saved **saved, struct saved_state **was, char **remark)
{
	struct saved *s = calloc(1, sizeof(*s));
	bool usable = false;
	int error = UPC_ENOMEM, failed;

	*saved = NULL;
	*was = NULL;
	*remark = NULL;
	if (!s)
		return error;
	s->fd = -1;
	s->path = strdup(path);
	if (s->path) {
		read_boot(s->boot);
		error = open_locked_saved(s, was, remark, &usable);
	}
	if (!error && usable) {
		failed = s->fd < 0 ? make_saved_file(s, 4 * PAGE, NULL, NULL) : mark_saved_used(s, true);
		usable = !failed;
		if (failed) {
			/* Drop the old state, too: later counts would not be in the file. */
			saved_state_free(*was);
			*was = NULL;
			free(*remark);
			*remark = service_say("%s: %s; no state is saved", s->path, strerror(failed));
		}
	}
	if (error || !usable)
		saved_close(s);
	else
		*saved = s;
	return error;
}

/* Mark whether values were published that are not in the file. The mark needs no new disk space, so it can be
 * written when the disk is full. If even the mark fails, the file is removed, so that the next service does
 * not find it. */
static void mark_stale(struct saved *s, bool stale)
{
	uint64_t mark = stale;

	if (s->stale == stale)
		return;
	if (!write_at(s->fd, &mark, sizeof(mark), offsetof(struct head, stale)))
		s->stale = stale;
	else if (stale && !unlink(s->path))
		s->stale = stale;
}

int saved_write(struct saved *s, const struct counters *counters, const struct saved_about *about)
{
	size_t length;
	void *bytes = saved_encode(counters, about, s->boot, &length);
	struct slot slot = {.sequence = s->sequence + 1, .length = length};
	uint64_t at = slot_at(&slot, s->slot_size);
	int error = 0;

	s->unused = false;
	if (!bytes) {
		mark_stale(s, true);
		return ENOMEM;
	}
	slot.hash = saved_hash(bytes, length);
	if (length > FILE_MAX / 4)
		error = EFBIG;
	else if (length + sizeof(slot) > s->slot_size)
		error = make_saved_file(s, (2 * length + 2 * PAGE) / PAGE * PAGE, &slot, bytes);
	else {
		/* Write the head last: until then the slot's hash does not fit its bytes. */
		error = write_at(s->fd, bytes, length, at + sizeof(slot));
		if (!error)
			error = write_at(s->fd, &slot, sizeof(slot), at);
	}
	free(bytes);
	if (!error)
		s->sequence = slot.sequence;
	mark_stale(s, error != 0);
	/* The state must be on the disk before the mark. */
	if (about->clean && !error && !fdatasync(s->fd))
		(void)mark_saved_used(s, false);
	return error;
}

void saved_close(struct saved *s)
{
	if (!s)
		return;
	/* For example after an error in the configuration, which ended the service before it began. */
	if (s->fd >= 0 && s->unused)
		(void)mark_saved_used(s, false);
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
	free(s);
}
