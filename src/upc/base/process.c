/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - the process-wide lock, and the list of units for the fork handlers.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct upci_fork_entry *entries; /* protected by lock */

static _Thread_local __attribute__((tls_model("initial-exec"))) pid_t thread_id; /* 0: not known yet */

pid_t upci_thread_id(void)
{
	if (!thread_id)
		thread_id = gettid();
	return thread_id;
}

void upci_thread_forget(void)
{
	thread_id = 0;
}

/* claimant points to memory that the kernel wipes in a forked child (MADV_WIPEONFORK), or to nobody, which
 * stays 0. The memory is mapped once, under the lock, and read without the lock. */
static pid_t nobody;
static pid_t *claimant = &nobody;

pid_t upci_process_claimed(void)
{
	return __atomic_load_n(__atomic_load_n(&claimant, __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
}

static pid_t *map_claimant(void)
{
	pid_t *mapped =
		mmap(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if ((void *)mapped == MAP_FAILED)
		return &nobody;
	if (madvise(mapped, sizeof(*mapped), MADV_WIPEONFORK) == 0)
		return mapped;
	munmap(mapped, sizeof(*mapped));
	return &nobody;
}

bool upci_process_claim(void)
{
	bool claimed;

	upci_process_lock();
	if (claimant == &nobody)
		__atomic_store_n(&claimant, map_claimant(), __ATOMIC_RELEASE);
	claimed = claimant != &nobody;
	if (claimed)
		__atomic_store_n(claimant, getpid(), __ATOMIC_RELAXED);
	upci_process_unlock();
	return claimed;
}

static void after_fork_in_child(void)
{
	struct upci_fork_entry *entry;

	upci_thread_forget();
	for (entry = entries; entry; entry = entry->next)
		entry->forked(entry);
	pthread_mutex_unlock(&lock);
}

static void before_fork_in_parent(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* Register the handlers when the library is loaded, so that no fork comes between the first use of the lock
 * and the registration. */
__attribute__((constructor(UPCI_FORK_PROCESS))) static void process_handle_forks(void)
{
	/* A failure, for lack of memory, leaves units shared with children. This code cannot do better. */
	(void)pthread_atfork(before_fork_in_parent, after_fork_in_parent, after_fork_in_child);
}

void upci_process_lock(void)
{
	pthread_mutex_lock(&lock);
}

void upci_process_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void upci_fork_register(struct upci_fork_entry *entry)
{
	upci_process_lock();
	entry->next = entries;
	entry->link = &entries;
	if (entries)
		entries->link = &entry->next;
	entries = entry;
	upci_process_unlock();
}

void upci_fork_unregister(struct upci_fork_entry *entry)
{
	upci_process_lock();
	*entry->link = entry->next;
	if (entry->next)
		entry->next->link = entry->link;
	upci_process_unlock();
}

void upci_process_end(void (*fn)(struct upci_fork_entry *entry))
{
	struct upci_fork_entry *entry;

	if (pthread_mutex_trylock(&lock))
		return;
	for (entry = entries; entry; entry = entry->next)
		fn(entry);
	pthread_mutex_unlock(&lock);
}
