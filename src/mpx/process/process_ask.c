/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_ask.c - requests to the members of process-wide sets.
 *
 * Only its own thread may use a core, so each thread starts, reads and stops its members itself. The
 * requesting thread puts a request into the thread's mailbox and signals the thread:
 *
 *   requester:  FREE -> ASKED, signal, wait; ANSWERED -> FREE
 *               after a second ASKED -> FREE: withdrawn
 *   member:     ASKED -> TAKEN, act, ANSWERED, wake
 *
 * Both transitions from ASKED are compare-and-swap, so exactly one of them succeeds. A handler that finds
 * the core held, or the thread in PAPI, counts that in put_off and returns; it is signalled again a
 * millisecond later. The thread also answers at the begin of its calls of MPX.
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

#define ROUND_NS 1000000u /* 1 ms: interval of checks for answers */
#define AGAIN 100         /* rounds after which a signal counts as lost */
#define ROUNDS 1000       /* rounds after which a request is withdrawn */

/* Number of answers; requesters wait on it. */
static _Atomic uint32_t answers;

/* ---- the requested thread ---------------------------------------------------------------- */

static int act_on_wish(struct mpxi_member *member, enum mpxi_wish wish)
{
	struct mpxi_set *set = member->set;

	switch (wish) {
	case MPXI_WISH_START:
		if (mpxi_set_runs(set)) /* an earlier stop has not reached it */
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
 * Answer the request, in the handler or in ordinary context; in the latter a handler finds the request
 * TAKEN. Calls the core, as core.h permits (mpxi_set_admit), and futex by syscall, which is a plain system
 * call.
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

/* Convert the request to the member's own request. False: nothing to do. */
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
	/* The thread has not ended: otherwise it would have no member. At the limit of pending signals
	 * tgkill fails with EAGAIN, and the signal is sent again later. */
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

/* Record the state of the member's windows after its answer. */
static void note_answer(struct mpxi_member *member)
{
	if (member->thread->request.error)
		return;
	if (member->thread->request.wish == MPXI_WISH_START ||
	    member->thread->request.wish == MPXI_WISH_RESET)
		member->stale = false;
	member->known = true;
}

/* Check once for answers, and return the number of members that have not answered. */
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

/* Withdraw the requests that no thread has taken, and return their number. */
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
		/* Requests that are TAKEN are waited for without a limit. */
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
