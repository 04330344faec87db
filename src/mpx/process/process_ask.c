/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_ask.c - requests to the members of process-wide sets.
 *
 * Only the thread of a core may use the core, so each thread starts, reads and stops its members itself.
 * The requesting thread writes a request to the other thread's struct mpxi_request and sends a signal to
 * that thread. The transitions of request.state:
 *
 *   requester:  FREE -> ASKED, signal, wait; ANSWERED -> FREE
 *               after a second ASKED -> FREE: withdrawn
 *   member:     ASKED -> TAKEN, act, ANSWERED, wake
 *
 * Both transitions from ASKED are compare-and-swap, so exactly one of them succeeds. If the handler finds
 * the core held or the thread in PAPI, it increments put_off and returns. The requester then sends the
 * signal again a millisecond later. The thread also answers at the begin of each of its calls of MPX.
 *
 * Terms: process/thread.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tgkill */
#endif
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "core/error.h"
#include "process/process_private.h"
#include "process/thread.h"

enum { FREE, ASKED, TAKEN, ANSWERED };

#define ROUND_NS 1000000u /* 1 ms: a round, the interval between checks for answers */
#define AGAIN 100         /* number of rounds after which a signal counts as lost and is sent again */
#define ROUNDS 1000       /* number of rounds after which a request is withdrawn */

/* Number of answers so far; the futex on which the requester waits. */
static _Atomic uint32_t answers;

/* ---- the requested thread ---------------------------------------------------------------- */

static int act_on_wish(struct mpxi_member *member, enum mpxi_wish wish)
{
	struct mpxi_set *set = member->set;

	switch (wish) {
	case MPXI_WISH_START:
		if (mpxi_set_runs(set)) /* an earlier stop has not reached the member */
			(void)mpxi_set_stop(set);
		return mpxi_set_start(set);
	case MPXI_WISH_READ:
		return mpxi_set_read(set);
	case MPXI_WISH_TAKE:
		return mpxi_set_take(set);
	case MPXI_WISH_RESET:
		return mpxi_set_reset(set);
	case MPXI_WISH_STOP:
		break;
	}
	return mpxi_set_stop(set);
}

bool mpxi_process_is_asked_sig(struct mpxi_thread *thread)
{
	return atomic_load_explicit(&thread->request.state, memory_order_relaxed) == ASKED;
}

void mpxi_process_put_off_sig(struct mpxi_thread *thread)
{
	atomic_fetch_add_explicit(&thread->request.put_off, 1, memory_order_relaxed);
}

/*
 * Answer the request, in the handler or in ordinary context. A handler that interrupts an answer in
 * ordinary context finds the request TAKEN. Calls the core's functions that mpxi_set_admit permits in a
 * handler (core.h), and the system call futex.
 */
void mpxi_process_answer_sig(struct mpxi_thread *thread)
{
	struct mpxi_request *request = &thread->request;
	uint32_t state = ASKED;

	if (!atomic_compare_exchange_strong(&request->state, &state, TAKEN))
		return;
	request->error = act_on_wish(request->member, request->wish);
	atomic_store(&request->state, ANSWERED);
	atomic_fetch_add(&answers, 1);
	syscall(SYS_futex, &answers, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- the requesting thread --------------------------------------------------------------- */

/* Convert the request to the one that this member needs: a set that does not run is started, and a stale
 * one is reset. Return false if there is nothing to do. */
static bool wish_of(const struct mpxi_member *member, enum mpxi_wish *wish)
{
	bool runs = mpxi_set_runs(member->set);

	if (!mpxi_member_takes_part(member))
		return false;
	switch (*wish) {
	case MPXI_WISH_STOP:
		return runs;
	case MPXI_WISH_START:
		return true;
	default:
		if (!runs)
			*wish = MPXI_WISH_START;
		else if (member->stale)
			*wish = MPXI_WISH_RESET;
		return true;
	}
}

static void send_member_signal(struct mpxi_member *member, unsigned round)
{
	member->signalled = round;
	member->seen = atomic_load(&member->thread->request.put_off);
	/* The thread has not ended, since it would have no member then. If the limit of pending signals
	 * is reached, tgkill fails with EAGAIN, and the signal is sent again later. */
	(void)tgkill(getpid(), member->thread->tid, mpxi_library_signal());
}

void mpxi_process_ask_locked(struct mpxi_process *process, enum mpxi_wish wish)
{
	struct mpxi_member *member;

	for (member = process->members; member; member = member->next) {
		struct mpxi_request *request = &member->thread->request;
		enum mpxi_wish mine = wish;

		member->asked = wish_of(member, &mine);
		if (!member->asked)
			continue;
		request->wish = mine;
		request->member = member;
		atomic_store(&request->state, ASKED);
		send_member_signal(member, 0);
	}
}

/* Record that the member's windows are current after its answer. */
static void note_answer(struct mpxi_member *member)
{
	if (member->thread->request.error)
		return;
	if (member->thread->request.wish == MPXI_WISH_START ||
	    member->thread->request.wish == MPXI_WISH_RESET)
		member->stale = false;
	member->known = true;
}

/* Check once for answers, and send signals again where necessary. Return the number of members that have
 * not answered. */
static unsigned collect_locked(struct mpxi_process *process, unsigned round)
{
	struct mpxi_member *member;
	unsigned open = 0;

	for (member = process->members; member; member = member->next) {
		struct mpxi_request *request = &member->thread->request;

		if (!member->asked)
			continue;
		if (atomic_load(&request->state) == ANSWERED) {
			note_answer(member);
			member->asked = false;
			atomic_store(&request->state, FREE);
			continue;
		}
		open++;
		if (round != member->signalled &&
		    (atomic_load(&request->put_off) != member->seen || round - member->signalled >= AGAIN))
			send_member_signal(member, round);
	}
	return open;
}

/* Withdraw the requests that their threads have not taken yet, and return the number of withdrawn
 * requests. */
static unsigned withdraw_wishes_locked(struct mpxi_process *process)
{
	struct mpxi_member *member;
	unsigned withdrawn = 0;

	for (member = process->members; member; member = member->next) {
		uint32_t state = ASKED;

		if (!member->asked ||
		    !atomic_compare_exchange_strong(&member->thread->request.state, &state, FREE))
			continue;
		member->asked = false;
		withdrawn++;
	}
	return withdrawn;
}

int mpxi_process_wait_locked(struct mpxi_process *process)
{
	const struct timespec round_time = {.tv_nsec = ROUND_NS};
	uint64_t begin = upci_now_ns();
	unsigned silent = 0;

	for (;;) {
		uint32_t seen = atomic_load(&answers);
		unsigned round = (unsigned)((upci_now_ns() - begin) / ROUND_NS);

		if (!collect_locked(process, round))
			break;
		/* A request that is TAKEN cannot be withdrawn; the wait for its answer has no limit. */
		if (round >= ROUNDS)
			silent += withdraw_wishes_locked(process);
		(void)syscall(SYS_futex, &answers, FUTEX_WAIT_PRIVATE, seen, &round_time, NULL, 0);
	}
	if (!silent)
		return 0;
	process->partial = true;
	atomic_fetch_add(&mpxi_processes.changes, 1);
	return mpxi_error(
		MPXI_ESYS,
		"%u threads have not answered within a second: they block signal %d, or are always inside PAPI",
		silent, mpxi_library_signal());
}
