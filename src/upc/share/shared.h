/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared.h - a unit's counts and configuration in shared memory: the layout, and the owner's side (UPC,
 * section 7).
 *
 * Terms:
 *   shared unit  a unit that copies its counts and configuration to a file in /dev/shm
 *   owner        the process that has the unit and writes the file
 *   monitor      a process that reads the file, also called a reader
 *   page         the contents of the file (struct upci_shared_page)
 *   name         the user's name for the unit, and the end of the file's name, upc.UID.NAME
 *   change       a set of stores that readers see all at once
 *   generation   a number that grows with each change of the configuration
 *
 * Only the owner writes, and the owner never reads its data back. Writes by other processes cannot harm the
 * owner, but truncating the file can.
 *
 * Protocol
 *   The owner makes a change of more than one count in its own memory. Then it
 *   writes the change to the slot after the one that readers use. The stamp of
 *   that slot names the change and marks it as incomplete. When the change is
 *   complete, page->change names it. A reader's copy is valid if, after the copy,
 *   stamp is still that of the named change. A reader thus has time for a copy
 *   until all other slots have been written, an owner never waits, and if the
 *   owner is stopped or killed in the middle of a change, the change before it is
 *   still valid. A single count is stored in the slot that readers use: 64 bits,
 *   never torn.
 *
 *   Names of events exist once. sequence is odd while they change. A reader takes
 *   its copy between two reads of the same even sequence.
 *
 *   All stores of data are release and all loads acquire, so a reader that saw
 *   new data also sees the stamp or sequence that belongs to it.
 *
 *   The owner holds a lock on the file (of its open file description) as long as
 *   it lives. A reader whose copies fail for long asks the kernel whether the
 *   owner lives, and does not wait for a dead owner. Every owner makes a new file:
 *   the next owner of a name unlinks the file that was left behind, and never
 *   writes to it.
 *
 *   tail is the last word of the file. If the file is truncated, even if it is made
 *   longer again afterwards, the tail is lost first. A copy was therefore not
 *   taken from zeros if tail still holds the magic number after the copy.
 */
#ifndef UPCI_SHARED_H
#define UPCI_SHARED_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process.h"
#include "upc.h"

#define UPCI_SHARED_MAGIC UINT64_C(0x31544e5543505542)
#define UPCI_SHARED_DIRECTORY "/dev/shm"
#define UPCI_SHARED_VERSION 2u
#define UPCI_SHARED_UNIT_MAX 32u

/* Little-endian, the same for 32- and 64-bit programs. Strings are arrays of words, so that they are stored
 * and loaded like all other data. The order of bytes in memory is the order of the text. */
struct upci_shared_event {
	uint64_t name[UPC_NAME_MAX / 8]; /* ends in 0 unless another process wrote to it */
	uint64_t unit[UPCI_SHARED_UNIT_MAX / 8];
	uint32_t bound; /* 0 or 1 */
	uint32_t kind;  /* enum upc_kind */
};

/* The data of one change. */
struct upci_shared_slot {
	uint64_t stamp; /* twice the number of its change, less 1 while it is written */
	uint64_t generation, updated_ns, threshold;
	uint64_t changed_by, running;
	uint64_t unread[UPC_COUNTERS / 64]; /* one bit per counter: a level that has no reading yet */
	uint64_t pad[6];
	uint64_t config[UPC_COUNTERS / 8]; /* as in the registers: counter 8*g+k in byte k */
	uint64_t count[UPC_COUNTERS];
};

/* More slots need more of the owner's cache; fewer give readers less time. */
#define UPCI_SHARED_SLOTS 8u

struct upci_shared_page {
	uint64_t magic;
	uint32_t version, bytes; /* bytes: size of this structure */
	uint32_t process, ended;
	uint64_t change; /* number of the last change, in slot[change % UPCI_SHARED_SLOTS] */
	uint64_t pad[4];
	uint64_t sequence;   /* odd while event[] changes, grows with each change of event[] */
	uint64_t generation; /* generation of the configuration that event[] belongs to */
	uint64_t pad2[6];
	struct upci_shared_slot slot[UPCI_SHARED_SLOTS]; /* each begins a cache line */
	struct upci_shared_event event[UPC_COUNTERS];
	uint64_t tail; /* UPCI_SHARED_MAGIC */
};

static inline void upci_shared_put64(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, htole64(value), __ATOMIC_RELEASE);
}

static inline void upci_shared_put32(uint32_t *to, uint32_t value)
{
	__atomic_store_n(to, htole32(value), __ATOMIC_RELEASE);
}

static inline uint64_t upci_shared_get64(const uint64_t *from)
{
	return le64toh(__atomic_load_n(from, __ATOMIC_ACQUIRE));
}

static inline uint32_t upci_shared_get32(const uint32_t *from)
{
	return le32toh(__atomic_load_n(from, __ATOMIC_ACQUIRE));
}

/* ---- the owner's side (shared.c) ----------------------------------------- */

#define UPCI_SHARED_NAME_MAX 64u
#define UPCI_SHARED_FILE_MAX (UPCI_SHARED_NAME_MAX + 32u)

/* The owner's record of the page; all zero: not shared. */
struct upci_shared {
	struct upci_shared_page *page; /* NULL: not shared, and no function below may be called */
	pid_t maker;                   /* process that mapped it, from upci_process_claimed */
	bool has_fd;                   /* the file is open, with or without a name */
	int fd;
	char file[UPCI_SHARED_FILE_MAX];
	uint64_t change, sequence, generation;
	/* The data that are published or, in a change, that will be. Words in memory byte order. */
	struct upci_shared_slot now;
	/* Second destination of counts, in addition to now: the slot that readers use or, in a change,
	 * now. */
	uint64_t *live;
};

/*
 * Create and publish the file of a name. Return 0, or an error with message: those of upc_unit_share, and
 * UPC_ENOSUPP if /dev/shm does not exist or does not support this. *shared must be all zero, and is all zero
 * after an error. The descriptor and mapping are stored there, and cleared by upci_shared_destroy, under the
 * process lock, so that upci_shared_forked can release them at any moment. The file is created, and locks
 * awaited, without the process lock: the caller must not hold it.
 */
int upci_shared_create(const char *name, bool group, struct upci_shared *shared);
/* Remove the file of a dead owner of the name, as upci_shared_create does. Return 0, UPC_ESTATE with message
 * if the owner lives, another error with message, or 1 if another process is removing the file. */
int upci_shared_clear(const char *name);
/* True if the unit is shared, by this process. Only then may the functions below be called. A child of a bare
 * clone, in which upci_shared_forked was not called, has a copy of its parent's struct upci_shared. If
 * upci_process_claim fails in the parent, the copy looks like the child's own. */
static inline bool upci_shared_is_ours(const struct upci_shared *shared)
{
	return shared->page && shared->maker == upci_process_claimed();
}
/* Mark the unit as ended and unlink the file. A program that ends can still do this. */
void upci_shared_withdraw(struct upci_shared *shared);
/* Do the same, then unmap the page. */
void upci_shared_destroy(struct upci_shared *shared);
/* Release the parent's file in a forked child, under the process lock. */
void upci_shared_forked(struct upci_shared *shared);

/* Begin and end a change of more than one count and, if configuration is true, of the configuration, whose
 * generation then increases. Readers see all calls between begin and end at once. Changes do not nest. */
void upci_shared_begin(struct upci_shared *shared);
void upci_shared_end(struct upci_shared *shared, bool configuration);

/* Store a count, in a change or outside of one. */
static inline void upci_shared_count(struct upci_shared *shared, unsigned counter, uint64_t count)
{
	shared->now.count[counter] = htole64(count);
	upci_shared_put64(&shared->live[counter], count);
}

/* Store other data, in a change only. */
void upci_shared_field(struct upci_shared *shared, unsigned counter, uint8_t field);
void upci_shared_registers(struct upci_shared *shared, bool running, uint64_t threshold);
void upci_shared_unread(struct upci_shared *shared, const uint64_t unread[UPC_COUNTERS / 64]);
/* Store the name and unit of a counter's event. name NULL: no event is bound. unit may be NULL. Strings that
 * are too long are cut. */
void upci_shared_event(struct upci_shared *shared, unsigned counter, const char *name, const char *unit,
		       enum upc_kind kind);

/* ---- both sides (shared_name.c) ------------------------------------------ */

/* Check a name and make the file's name: "upc.UID.NAME". Return 0, or UPC_EINVAL with message. */
int upci_shared_file(const char *name, uid_t user, char file[UPCI_SHARED_FILE_MAX]);
/* Parse a file's name. False if it is not the name of a shared unit. *name points to the end part of file. */
bool upci_shared_parse(const char *file, uid_t *user, const char **name);
/* Open the directory of these files (O_PATH | O_DIRECTORY); the caller closes it. Return a descriptor, or an
 * error with message: UPC_ENOSUPP, UPC_EMFILE, UPC_EPERM, UPC_ESYSTEM. */
int upci_shared_directory(void);
/* Open a file in the directory for reading or, if write is set, for reading and writing. Does not follow a
 * link and never blocks. Return a descriptor, or -1 with errno. */
int upci_shared_open(int directory, const char *file, bool write);
/* Return errno of upci_shared_open as an error with message; ENOENT becomes UPC_ENOTASK. */
int upci_shared_open_error(int error, const char *file);
/* True if the owner of an open file lives, and so holds the lock. */
bool upci_shared_locked(int fd);

/*
 * Lock a byte of the file, for its open file description; one process can hold each lock. OWNER is the
 * owner's. TAKER belongs to a process that takes over a dead owner's name, so that readers do not take it for
 * the owner. fd must be open for writing. False if another process holds the lock.
 */
enum upci_shared_lock { UPCI_SHARED_OWNER = 0, UPCI_SHARED_TAKER = 1 };
bool upci_shared_lock(int fd, enum upci_shared_lock lock);

#endif
