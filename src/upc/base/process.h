/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - state of the whole process: the one lock of libupc, and the handling of units after a fork.
 */
#ifndef UPCI_PROCESS_H
#define UPCI_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The process lock. It protects the growth of catalogues (names, codes, memory), the list of units, changes
 * of the arrays that a forked child walks through, and the callback for notices. It is a leaf lock: its
 * holder takes no other lock. Its holder does nothing slow: it reads and creates no file and waits for
 * nothing. No signal handler takes it. fork holds it, so that a child finds all these structures consistent.
 * Functions whose names end in _locked are called with this lock held, or with their file's own lock.
 */
void upci_process_lock(void);
void upci_process_unlock(void);

/*
 * Constructor priorities of files whose locks fork holds: such a file registers its fork handlers at one of
 * these. fork takes the locks in reverse order of registration, the last one first.
 */
#define UPCI_FORK_PROCESS 101
#define UPCI_FORK_PFM 102
#define UPCI_FORK_ADDING 103

/* Define lock_NAME and unlock_NAME of a mutex that fork holds. The constructor runs when libupc is loaded, so
 * that no fork comes between the first use of the mutex and the registration. */
#define UPCI_FORK_LOCK(name, mutex, priority)                                        \
	static void lock_##name(void)                                                \
	{                                                                            \
		pthread_mutex_lock(mutex);                                           \
	}                                                                            \
	static void unlock_##name(void)                                              \
	{                                                                            \
		pthread_mutex_unlock(mutex);                                         \
	}                                                                            \
	__attribute__((constructor(priority))) static void name##_handle_forks(void) \
	{                                                                            \
		(void)pthread_atfork(lock_##name, unlock_##name, unlock_##name);     \
	}

/* Return the thread id, mostly without a system call. A child of a bare clone, which runs no fork handlers,
 * gets its parent's id until it calls upci_thread_forget. Both are async-signal-safe. */
pid_t upci_thread_id(void);
void upci_thread_forget(void);

/*
 * upci_process_claim stores the id of the calling process where no child inherits it. upci_process_claimed
 * returns that id, or 0. A child always gets 0, even after a bare clone, which runs no fork handlers.
 * upci_process_claim returns false if the kernel cannot wipe the id in children (QEMU, Linux before 4.14).
 * The id then stays 0 in every process. Signal handlers must not call upci_process_claim.
 */
pid_t upci_process_claimed(void);
bool upci_process_claim(void);

struct upc_unit;

/* A unit's entry in the list of units that a forked child resets. */
struct upci_fork_entry {
	struct upci_fork_entry *next, **link;
	/* Called in the child, which has only this thread. */
	void (*forked)(struct upci_fork_entry *entry);
};
void upci_fork_register(struct upci_fork_entry *entry);
void upci_fork_unregister(struct upci_fork_entry *entry);

/* Call fn with each unit's entry, under the lock, when the program ends. Do nothing if the lock is not free
 * at once, since a caller further up this stack may hold it. */
void upci_process_end(void (*fn)(struct upci_fork_entry *entry));

#endif
