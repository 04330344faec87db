/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_virtual.c - timers of kind VIRTUAL: the signal of the process's ITIMER_VIRTUAL, forwarded to all
 * threads that count (MPX, section 5.1 and figure 2). The paper's handler takes a lock while it walks over
 * the threads. Our handler takes no lock, and yet never sends a signal to a thread that may have ended:
 *
 *   slot    a word for each open timer: its thread's id while it is armed, else 0. Slots are never freed,
 *           so a handler may read any of them at any time.
 *   pass    odd while a handler walks over the slots. Only one handler walks at a time; a second one leaves
 *           the walk to the first.
 *
 *   forward: pass to odd; read slot; tgkill if not 0; ...; pass to even
 *   close:   slot to 0; read pass; wait while it is the same odd number
 *
 * All four accesses are sequentially consistent. If close reads an even number, or another one than before,
 * every later walk reads the slot after it became 0. Otherwise close waits for the end of the one walk that
 * may have read the id. Therefore a walk that has read an id ends before that thread's close does. Until
 * then the id belongs to the thread: it cannot have been given to another thread.
 *
 * A handler runs with all signals blocked, including glibc's signal for cancellation, so that each walk
 * that has begun also ends.
 *
 * Terms: ticker/timer.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tgkill */
#endif
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/words.h"
#include "core/error.h"
#include "ticker/timer_kind.h"

#define SLOTS 256

struct block {
	_Atomic(pid_t) tid[SLOTS];
	bool used[SLOTS]; /* under lock */
	_Atomic(struct block *) next;
};

static struct block first;
static atomic_size_t top; /* number of slots that have ever been used */
static atomic_uint pass;
static _Atomic(pid_t) process; /* id of this process, for tgkill */

/* The interval timer runs while any thread's timer is armed. lock protects the variables below, the
 * interval timer, and the members `used' of the blocks. No handler takes the lock, and it nests in no
 * other lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned armed, paused;
static struct itimerval ours;
static uint64_t ours_ns;

/* Calls of libc: only tgkill, which is a plain system call. The caller preserves errno. */
bool mpxi_timer_forward_sig(const _Atomic(pid_t) *own)
{
	unsigned now = atomic_load(&pass);
	pid_t pid;
	size_t n;
	struct block *block;

	if (now & 1 || !atomic_compare_exchange_strong(&pass, &now, now + 1))
		return false;
	pid = atomic_load(&process);
	n = atomic_load(&top);
	for (block = &first; block && n; block = atomic_load(&block->next)) {
		size_t i, here = n < SLOTS ? n : SLOTS;

		n -= here;
		for (i = 0; i < here; i++) {
			pid_t tid = atomic_load(&block->tid[i]);

			if (tid && &block->tid[i] != own)
				tgkill(pid, tid, SIGVTALRM);
		}
	}
	atomic_store(&pass, now + 2);
	return true;
}

static void wait_for_pass(void)
{
	const struct timespec moment = {.tv_nsec = 20000};
	unsigned seen = atomic_load(&pass);

	/* Sleep instead of yielding: a yielding thread of higher priority would keep the handler's
	 * thread from running. */
	while (seen & 1 && atomic_load(&pass) == seen)
		nanosleep(&moment, NULL);
}

static _Atomic(pid_t) *take_slot_locked(void)
{
	struct block *block = &first, *next;
	size_t base = 0;

	for (;; base += SLOTS) {
		size_t i;

		for (i = 0; i < SLOTS; i++) {
			if (block->used[i])
				continue;
			block->used[i] = true;
			if (base + i >= atomic_load(&top))
				atomic_store(&top, base + i + 1);
			return &block->tid[i];
		}
		next = atomic_load(&block->next);
		if (!next) {
			next = calloc(1, sizeof(*next));
			if (!next)
				return NULL;
			atomic_store(&block->next, next);
		}
		block = next;
	}
}

static void leave_slot_locked(const _Atomic(pid_t) *slot)
{
	struct block *block;
	size_t i;

	for (block = &first; block; block = atomic_load(&block->next))
		for (i = 0; i < SLOTS; i++)
			if (&block->tid[i] == slot)
				block->used[i] = false;
}

static int refuse_taken_timer(void)
{
	return mpxi_error(MPXI_ECNFLCT, "the program uses the interval timer ITIMER_VIRTUAL "
					"itself; take another slice timer");
}

static int virtual_open(struct mpxi_timer *timer)
{
	struct itimerval now;

	pthread_mutex_lock(&lock);
	if (!armed && (getitimer(ITIMER_VIRTUAL, &now) || timerisset(&now.it_value))) {
		pthread_mutex_unlock(&lock);
		return refuse_taken_timer();
	}
	timer->slot = take_slot_locked();
	pthread_mutex_unlock(&lock);
	if (!timer->slot)
		return mpxi_error(MPXI_ENOMEM, "no memory for the list of counting threads");
	return MPXI_OK;
}

static int set_locked(uint64_t slice_ns)
{
	uint64_t us = (slice_ns + 999) / 1000;

	ours_ns = slice_ns;
	ours.it_value.tv_sec = (time_t)(us / 1000000);
	ours.it_value.tv_usec = (suseconds_t)(us % 1000000);
	ours.it_interval = ours.it_value;
	if (!paused && setitimer(ITIMER_VIRTUAL, &ours, NULL))
		return mpxi_error(MPXI_ESYS, "cannot start the interval timer: %s",
				  upci_words_of_errno(errno));
	return MPXI_OK;
}

static int start_locked(uint64_t slice_ns)
{
	struct itimerval old;

	/* Check first, so that a timer that the program has set is not changed. */
	if (getitimer(ITIMER_VIRTUAL, &old) || timerisset(&old.it_value))
		return refuse_taken_timer();
	return set_locked(slice_ns);
}

/* True if the interval is the one that we have set. The kernel may round an interval up to a multiple of
 * its clock tick. */
static bool interval_is_ours(const struct itimerval *now)
{
	long long us = (now->it_interval.tv_sec - ours.it_interval.tv_sec) * 1000000LL +
		       now->it_interval.tv_usec - ours.it_interval.tv_usec;

	return us >= 0 && us <= 20000;
}

/* Shorten the interval if slice_ns is shorter than the slices of all other threads, unless the program
 * has changed the timer. */
static void hurry_locked(uint64_t slice_ns)
{
	struct itimerval now;

	if (slice_ns < ours_ns && (paused || (!getitimer(ITIMER_VIRTUAL, &now) && interval_is_ours(&now))))
		(void)set_locked(slice_ns);
}

static void stop_locked(void)
{
	const struct itimerval never = {.it_value = {0, 0}};
	struct itimerval now;

	/* Leave the timer alone if the program has set another interval meanwhile. */
	if (!getitimer(ITIMER_VIRTUAL, &now) && interval_is_ours(&now))
		setitimer(ITIMER_VIRTUAL, &never, NULL);
}

static int virtual_arm(struct mpxi_timer *timer)
{
	int error = MPXI_OK;

	pthread_mutex_lock(&lock);
	atomic_store(&process, getpid());
	if (!armed)
		error = start_locked(timer->slice_ns);
	else
		hurry_locked(timer->slice_ns);
	if (!error) {
		armed++;
		atomic_store(timer->slot, timer->tid);
	}
	pthread_mutex_unlock(&lock);
	return error;
}

static void virtual_disarm(struct mpxi_timer *timer)
{
	pthread_mutex_lock(&lock);
	atomic_store(timer->slot, 0);
	if (!--armed)
		stop_locked();
	pthread_mutex_unlock(&lock);
}

static void virtual_close(struct mpxi_timer *timer)
{
	wait_for_pass(); /* the slot is 0, since the timer was disarmed before */
	pthread_mutex_lock(&lock);
	leave_slot_locked(timer->slot);
	pthread_mutex_unlock(&lock);
	timer->slot = NULL;
}

static void virtual_forget(struct mpxi_timer *timer)
{
	timer->slot = NULL; /* mpxi_timer_virtual_forget clears the whole table */
}

void mpxi_timer_virtual_pause(struct mpxi_timer *timer)
{
	const struct timespec now = {0, 0};
	sigset_t set;

	pthread_mutex_lock(&lock);
	if (!paused++ && armed)
		stop_locked();
	pthread_mutex_unlock(&lock);
	if (timer && timer->armed)
		atomic_store(timer->slot, 0);
	wait_for_pass();
	/* Consume the pending signal of the process, too, since the new program would inherit it. */
	sigemptyset(&set);
	sigaddset(&set, SIGVTALRM);
	while (sigtimedwait(&set, NULL, &now) >= 0 || errno == EINTR)
		;
}

void mpxi_timer_virtual_resume(struct mpxi_timer *timer)
{
	if (timer && timer->armed)
		atomic_store(timer->slot, timer->tid);
	pthread_mutex_lock(&lock);
	if (!--paused && armed)
		setitimer(ITIMER_VIRTUAL, &ours, NULL);
	pthread_mutex_unlock(&lock);
}

void mpxi_timer_virtual_forget(void)
{
	struct block *block;
	size_t i;

	/* a thread that does not exist in the child may have held it */
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (block = &first; block; block = atomic_load(&block->next)) {
		memset(block->used, 0, sizeof(block->used));
		for (i = 0; i < SLOTS; i++)
			atomic_store(&block->tid[i], 0);
	}
	armed = paused = 0;
	atomic_store(&pass, 0);
}

const struct mpxi_timer_ops mpxi_timer_virtual = {
	.kind = MPXI_TIMER_VIRTUAL,
	.open = virtual_open,
	.close = virtual_close,
	.arm = virtual_arm,
	.disarm = virtual_disarm,
	.forget = virtual_forget,
};
