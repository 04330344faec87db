/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared.h - a unit's counts and configuration in shared memory: the layout, and the
 * owner's side (UPC, section 7). Only the owner writes, and it never reads back:
 * other processes' writes cannot harm it, but cutting the file off can.
 *
 * Protocol
 *   A change of more than one count is made in the owner's own memory and then written
 *   whole to the slot after the one that readers look at. The stamp of that slot names the
 *   change and marks it as incomplete; when it is complete, page->change names it.
 *   A reader's copy is good if, after the copy, stamp is still that of the change named. A
 *   reader thus has the time of all slots but one for a copy, an owner never waits, and when
 *   the owner is stopped or killed in the middle of a change there is still the one before.
 *   A single count is stored in the slot that readers look at: 64 bits, never torn.
 *
 *   Names of events are there once; sequence is odd while they change, and a reader takes
 *   its copy between two reads of the same even sequence.
 *
 *   All stores of data are release and all loads acquire, so that a reader that saw
 *   new data also sees the stamp or sequence that goes with it.
 *
 *   The owner holds a lock on the file (of its open file description) for as long as
 *   it lives. A reader whose copies fail for long asks the kernel whether the owner
 *   lives, and does not wait for a dead one. Every owner makes a new file: the next
 *   owner of a name unlinks the file that was left behind, and never writes to it.
 *
 *   tail is the file's last word. If the file is cut off, even if it is made longer
 *   again afterwards, the tail is lost first: a copy after which tail still holds the
 *   magic number was not taken from zeros.
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

/* Little-endian, the same for 32- and 64-bit programs. Strings are in words, so that
 * they are stored and loaded as everything else is: memory order is text order. */
struct upci_shared_event {
	uint64_t name[UPC_NAME_MAX / 8]; /* ends in 0 unless another process wrote to it */
	uint64_t unit[UPCI_SHARED_UNIT_MAX / 8];
	uint32_t bound; /* 0, 1 */
	uint32_t kind;  /* enum upc_kind */
};

/* The data of one change. */
struct upci_shared_slot {
	uint64_t stamp; /* twice the number of its change, less 1 while it is written */
	uint64_t generation, updated_ns, threshold;
	uint64_t changed_by, running;
	uint64_t unread[UPC_COUNTERS / 64]; /* a bit a counter: a level that was not read yet */
	uint64_t pad[6];
	uint64_t config[UPC_COUNTERS / 8]; /* as the registers: counter 8*g+k in byte k */
	uint64_t count[UPC_COUNTERS];
};

/* More need more of the owner's cache, fewer give readers less time. */
#define UPCI_SHARED_SLOTS 8u

struct upci_shared_page {
	uint64_t magic;
	uint32_t version, bytes; /* bytes: of this structure */
	uint32_t process, ended;
	uint64_t change; /* number of the last: in slot[change % UPCI_SHARED_SLOTS] */
	uint64_t pad[4];
	uint64_t sequence;   /* of the names of events */
	uint64_t generation; /* theirs */
	uint64_t pad2[6];
	struct upci_shared_slot slot[UPCI_SHARED_SLOTS]; /* each begins a cache line */
	struct upci_shared_event event[UPC_COUNTERS];
	uint64_t tail; /* magic */
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

/* The owner's record of the page; all zero: nothing is shared. */
struct upci_shared {
	struct upci_shared_page *page; /* NULL: not shared, and no call below is made */
	pid_t maker;                   /* who has it mapped, as upci_process_claimed says */
	bool has_fd;                   /* the file is open, with a name or not yet */
	int fd;
	char file[UPCI_SHARED_FILE_MAX];
	uint64_t change, sequence, generation;
	/* The data that are shown, or in a change will be. Words in the order of memory. */
	struct upci_shared_slot now;
	/* A second place for counts: the slot that readers look at; in a change, now. */
	uint64_t *live;
};

/*
 * Errors with message: those of upc_unit_share, and UPC_ENOSUPP where there is no
 * /dev/shm that supports it. *shared is all zero before, and after an error. The descriptor
 * and mapping are stored there, and cleared by destroy, under the process lock, so that
 * upci_shared_forked can release them at any moment; files are made, and waited for,
 * without that lock: the caller does not hold it.
 */
int upci_shared_create(const char *name, bool group, struct upci_shared *shared);
/* Removes the file of a dead owner of the name, as create does: UPC_ESTATE where an owner lives, 1 where
 * another process is removing it. */
int upci_shared_clear(const char *name);
/* Whether it is shared, and by this process: only then are the calls below for it. A child of a
 * bare clone, where upci_shared_forked was not called, has its parent's; it looks like the child's
 * own where the kernel cannot tell. */
static inline bool upci_shared_is_ours(const struct upci_shared *shared)
{
	return shared->page && shared->maker == upci_process_claimed();
}
/* Marks it ended and unlinks it: all that a program that ends can still do. */
void upci_shared_withdraw(struct upci_shared *shared);
/* The same, and unmaps it. */
void upci_shared_destroy(struct upci_shared *shared);
/* In a forked child, under the process lock: lets go of the parent's. */
void upci_shared_forked(struct upci_shared *shared);

/* A change of more than one count; of the configuration as well where configuration
 * is true (then generation grows). Readers see all calls between begin and end at once.
 * Changes do not nest. */
void upci_shared_begin(struct upci_shared *shared);
void upci_shared_end(struct upci_shared *shared, bool configuration);

/* A count, outside of a change or in one. */
static inline void upci_shared_count(struct upci_shared *shared, unsigned counter, uint64_t count)
{
	shared->now.count[counter] = htole64(count);
	upci_shared_put64(&shared->live[counter], count);
}

/* The rest: in a change only. */
void upci_shared_field(struct upci_shared *shared, unsigned counter, uint8_t field);
void upci_shared_registers(struct upci_shared *shared, bool running, uint64_t threshold);
void upci_shared_unread(struct upci_shared *shared, const uint64_t unread[UPC_COUNTERS / 64]);
/* name NULL: nothing is bound. unit may be NULL. Strings that are too long are cut. */
void upci_shared_event(struct upci_shared *shared, unsigned counter, const char *name, const char *unit,
		       enum upc_kind kind);

/* ---- both sides (shared_name.c) ------------------------------------------ */

/* Checks a name and makes the file's: "upc.UID.NAME". Errors with message: UPC_EINVAL. */
int upci_shared_file(const char *name, uid_t user, char file[UPCI_SHARED_FILE_MAX]);
/* The reverse: false where a file's name is not that of a shared unit. *name is the end of
 * file. */
bool upci_shared_parse(const char *file, uid_t *user, const char **name);
/* The directory of these files, open (O_PATH | O_DIRECTORY); the caller closes it. Errors with
 * message: UPC_ENOSUPP, UPC_EMFILE, UPC_EPERM, UPC_ESYSTEM. */
int upci_shared_directory(void);
/* A file in it, open for reading, or for writing as well; never a link's target, and
 * nothing waits. -1 with errno. */
int upci_shared_open(int directory, const char *file, bool write);
/* Says why that failed. ENOENT as UPC_ENOTASK. */
int upci_shared_open_error(int error, const char *file);
/* Whether the owner of an open file lives: holds the lock. */
bool upci_shared_locked(int fd);

/*
 * Two locks on bytes of the file, each of an open file description and for one holder:
 * the owner's, and that of a process that takes over a dead owner's name, so that readers
 * do not mistake it for the owner. fd is open for writing. False where another holds the lock.
 */
enum upci_shared_lock { UPCI_SHARED_OWNER = 0, UPCI_SHARED_TAKER = 1 };
bool upci_shared_lock(int fd, enum upci_shared_lock lock);

#endif
