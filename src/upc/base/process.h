/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - state of the whole process: the one lock of libupc, and what a
 * fork does to units.
 */
#ifndef UPCI_PROCESS_H
#define UPCI_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Protects the growth of catalogues (names, codes, memory), the list of units,
 * changes of the arrays that a forked child goes along, and the callback for
 * notices. A leaf lock: nothing is called with it held that could take another.
 * Nothing that may take long is done with it: no file is read or made, nobody waited for.
 * No signal handler takes it. It is held across fork, so that a child finds
 * all of them consistent.
 */
void upci_process_lock(void);
void upci_process_unlock(void);

/*
 * A file whose lock is held across forks registers it in a constructor of this priority. Locks are
 * taken in the reverse order, the last one first.
 */
#define UPCI_FORK_PROCESS 101
#define UPCI_FORK_PFM 102
#define UPCI_FORK_ADDING 103

/* Defines lock_NAME and unlock_NAME of a mutex, which is held across forks. The constructor runs when
 * libupc is loaded: no fork comes between the first use and this. */
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

/* gettid, mostly without a system call. A child that comes without the handlers of fork, by a
 * bare clone, has its parent's until upci_thread_forget. Signal handlers may call them. */
pid_t upci_thread_id(void);
void upci_thread_forget(void);

/*
 * Which process has claimed what lies in this memory, 0: none. In a child it is none, also where
 * the child comes without the handlers of fork, by a bare clone. False where the kernel cannot
 * say so (QEMU, Linux before 4.14): then it is none everywhere. A claim is not for handlers.
 */
pid_t upci_process_claimed(void);
bool upci_process_claim(void);

struct upc_unit;

/* A unit's place in the list of those that a forked child has to clean. */
struct upci_fork_entry {
	struct upci_fork_entry *next, **link;
	/* Called in the child, the only thread there is. */
	void (*forked)(struct upci_fork_entry *entry);
};
void upci_fork_register(struct upci_fork_entry *entry);
void upci_fork_unregister(struct upci_fork_entry *entry);

/* Calls fn with each unit's entry, under the lock; when the program ends: not where
 * the lock cannot be had at once, since who has it may be below us on the stack. */
void upci_process_end(void (*fn)(struct upci_fork_entry *entry));

#endif
