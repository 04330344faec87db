/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * monitor_bus.c - see monitor_bus.h.
 *
 * Functions whose names end in _sig run in the handler. The handler takes no lock: guards are never freed,
 * only reused, and the list only grows. It calls mmap as a bare system call, sigaction and raise, which POSIX
 * lists as async-signal-safe, and the handler that was installed before.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.h"
#include "share/monitor_bus.h"
#include "base/process.h"
#include "upc.h"

struct upci_bus_guard {
	struct upci_bus_guard *next; /* set before the guard is in the list */
	uintptr_t start; /* 0: free. Stored (release) after length, loaded (acquire) before length */
	size_t length;
	int hit; /* stored in the handler, loaded by upci_bus_hit */
};

/* Pushed under the process lock (release), walked by the handler (acquire). */
static struct upci_bus_guard *guards;

/* Protected by the process lock. */
static unsigned guarded;
static bool installed;

/* The action for SIGBUS before the library's. Written before the library's handler is installed. */
static struct sigaction previous;
static int previous_spent; /* previous had SA_RESETHAND and was called */

/* ---- in the handler -------------------------------------------------------- */

static struct upci_bus_guard *find_sig(uintptr_t address)
{
	struct upci_bus_guard *guard;
	uintptr_t start;

	for (guard = __atomic_load_n(&guards, __ATOMIC_ACQUIRE); guard; guard = guard->next) {
		start = __atomic_load_n(&guard->start, __ATOMIC_ACQUIRE);
		if (start && address >= start &&
		    address - start < __atomic_load_n(&guard->length, __ATOMIC_RELAXED))
			return guard;
	}
	return NULL;
}

/* Map zeros over a range. Uses the bare system call: a sanitizer may replace libc's mmap, and would report it
 * as a write that races with other readers. */
static bool map_zeros_sig(uintptr_t start, size_t length)
{
	return syscall(SYS_mmap, start, length, (long)PROT_READ,
		       (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED), -1L, 0L) == (long)start;
}

/* Map zeros over the whole mapping, not only the page, since the rest of the file is of no use. Two threads
 * may do this at the same time. */
static bool cover_sig(struct upci_bus_guard *guard)
{
	if (!map_zeros_sig(__atomic_load_n(&guard->start, __ATOMIC_RELAXED),
			   __atomic_load_n(&guard->length, __ATOMIC_RELAXED)))
		return false;
	__atomic_store_n(&guard->hit, 1, __ATOMIC_RELEASE);
	return true;
}

/* Act as without a handler. After a fault, the instruction is repeated, faults again, and ends the process
 * there. A signal that was sent is sent again. */
static void default_sig(int signal, bool fault)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	sigaction(signal, &action, NULL);
	if (!fault)
		raise(signal);
}

static void pass_on_sig(int signal, siginfo_t *info, void *context)
{
	bool fault = info->si_code == BUS_ADRALN || info->si_code == BUS_ADRERR ||
		     info->si_code == BUS_OBJERR || info->si_code == BUS_MCEERR_AR;
	bool reset = previous.sa_flags & SA_RESETHAND;

	if (!(previous.sa_flags & SA_SIGINFO) && previous.sa_handler == SIG_IGN) {
		/* The kernel does not let a process ignore a fault. */
		if (fault)
			default_sig(signal, fault);
	} else if ((!(previous.sa_flags & SA_SIGINFO) && previous.sa_handler == SIG_DFL) ||
		   (reset && __atomic_exchange_n(&previous_spent, 1, __ATOMIC_RELAXED))) {
		default_sig(signal, fault);
	} else if (previous.sa_flags & SA_SIGINFO) {
		previous.sa_sigaction(signal, info, context);
	} else {
		previous.sa_handler(signal);
	}
}

static void on_bus(int signal, siginfo_t *info, void *context)
{
	struct upci_bus_guard *guard;
	int saved = errno;

	if (info->si_code == BUS_ADRERR) {
		guard = find_sig((uintptr_t)info->si_addr);
		if (guard && cover_sig(guard)) {
			errno = saved;
			return;
		}
	}
	errno = saved;
	pass_on_sig(signal, info, context); /* may not return; no lock is held */
}

/* ---- installing it --------------------------------------------------------- */

static bool is_our_bus_action(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_bus;
}

static bool is_function(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) ||
	       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* Install the handler. It takes over the mask and flags of the previous action, so that they still apply to
 * the previous handler. */
static int install_locked(void)
{
	struct sigaction action, now;

	if (sigaction(SIGBUS, NULL, &now))
		return -1;
	if (installed && (is_our_bus_action(&now) || is_function(&now)))
		return 0; /* a handler that was installed later passes unknown faults on to this one */
	previous = now;
	previous_spent = 0;
	action = now;
	action.sa_sigaction = on_bus;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | (now.sa_flags & (SA_RESTART | SA_NODEFER));
	if (sigaction(SIGBUS, &action, NULL))
		return -1;
	installed = true;
	return 0;
}

/* Restore the previous action, but only if the library's handler is still installed. A handler that was
 * installed later may call the library's handler, which then stays in that chain. */
static void restore_bus_action_locked(void)
{
	struct sigaction now;

	if (sigaction(SIGBUS, NULL, &now) || !is_our_bus_action(&now))
		return;
	if (previous_spent) {
		memset(&now, 0, sizeof(now));
		now.sa_handler = SIG_DFL;
		sigaction(SIGBUS, &now, NULL);
	} else {
		sigaction(SIGBUS, &previous, NULL);
	}
	installed = false;
}

static struct upci_bus_guard *free_guard_locked(void)
{
	struct upci_bus_guard *guard;

	for (guard = guards; guard; guard = guard->next)
		if (!guard->start)
			return guard;
	guard = calloc(1, sizeof(*guard));
	if (guard) {
		guard->next = guards;
		__atomic_store_n(&guards, guard, __ATOMIC_RELEASE);
	}
	return guard;
}

int upci_bus_guard(void *address, size_t length, struct upci_bus_guard **guard)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct upci_bus_guard *g;
	int error = 0;

	upci_process_lock();
	g = free_guard_locked();
	if (!g) {
		error = upci_fail(UPC_ENOMEM, "no memory to guard a monitor with");
	} else if (install_locked()) {
		error = upci_fail(UPC_ESYSTEM, "a handler for SIGBUS cannot be installed: %s",
				  strerror(errno));
	} else {
		__atomic_store_n(&g->hit, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&g->length, (length + page - 1) / page * page, __ATOMIC_RELAXED);
		__atomic_store_n(&g->start, (uintptr_t)address, __ATOMIC_RELEASE);
		guarded++;
		*guard = g;
	}
	upci_process_unlock();
	return error;
}

void upci_bus_release(struct upci_bus_guard *guard)
{
	upci_process_lock();
	__atomic_store_n(&guard->start, 0, __ATOMIC_RELEASE);
	if (--guarded == 0)
		restore_bus_action_locked();
	upci_process_unlock();
}

bool upci_bus_hit(const struct upci_bus_guard *guard)
{
	return __atomic_load_n(&guard->hit, __ATOMIC_ACQUIRE) != 0;
}
