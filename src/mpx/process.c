/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - event sets over all threads: members, and the requests to them.
 *
 * A core is in the hands of its thread alone, so a member is started, read and stopped
 * by its thread. Who wants it done puts a request into the thread's letter box and
 * signals it:
 *
 *   asking:   FREE -> ASKED, signal, wait; ANSWERED -> FREE
 *             after a second ASKED -> FREE: withdrawn
 *   asked:    ASKED -> TAKEN, act, ANSWERED, wake
 *
 * Both steps away from ASKED are compare-and-swap, so one of them is done. A handler that
 * finds the core held, or the thread in PAPI, says so and leaves; it is signalled again a
 * millisecond later. The thread also answers at the begin of its calls of MPX.
 *
 * The lock is held from the asking to the answer. So there is one who asks at a time, and
 * a member is looked at only by who holds the lock, or by its thread between TAKEN and
 * ANSWERED. A thread that waits for the lock still answers, in the handler. A thread that
 * ends takes the lock to take its members away: it is never signalled after that.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tgkill */
#endif
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "process.h"
#include "sum.h"
#include "thread.h"

enum { FREE, ASKED, TAKEN, ANSWERED };

#define ROUND_NS 1000000u  /* 1 ms: between two looks at who has answered   */
#define AGAIN 100          /* rounds after which a signal counts as lost    */
#define ROUNDS 1000        /* after which a request is withdrawn            */

/* One thread's part of a set. Under the lock, or its thread's between TAKEN and ANSWERED. */
struct mpxi_member {
	struct mpxi_process *process; /* NULL: the set is gone, the member follows */
	struct mpxi_thread *thread;
	struct mpxi_set *set;         /* in the thread's core        */
	unsigned version;             /* of the events that it has   */
	bool known;                   /* its windows are of this run */
	bool stale;                   /* a reset has not reached it  */
	bool asked;
	unsigned signalled, seen;     /* round of the last signal, and put_off then */
	struct mpxi_member *next, *previous; /* of the set    */
	struct mpxi_member *sibling;         /* of the thread */
};

struct mpxi_process {
	struct mpxi_thread *owner;
	struct mpxi_set *own;
	struct mpxi_member *members;
	struct mpxi_process *next, *previous;
	unsigned events, room, version;
	uint32_t *event;            /* [events] */
	struct mpxi_sum *gone;      /* [events]: of threads that have ended */
	struct mpxi_result *result; /* [events]: the owner's alone          */
	unsigned gone_threads;
	bool runs;
	bool partial; /* a thread was not counted from the start on */
};

/*
 * Protects all sets and members, and is held by who asks. No handler takes it; the
 * library's lock nests in it. A thread that has it, or waits for it, holds no core.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cancel_state; /* of who holds it, before */
static struct mpxi_process *first;
static unsigned present; /* threads that are registered, and have not left */
/* Counts what threads may have to come by for. Partner: visit, on each thread. */
static atomic_uint changes;
/* Counts answers; who asks waits on it. */
static _Atomic uint32_t answers;

/* ---- the asked ------------------------------------------------------------------------ */

static int act(struct mpxi_member *member, enum mpxi_wish wish)
{
	struct mpxi_set *set = member->set;

	switch (wish) {
	case MPXI_WISH_START:
		if (mpxi_set_runs(set)) /* a stop that has not reached it */
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
 * Also in ordinary context: there a handler finds the request taken. Calls the core, as
 * core.h allows it (mpxi_set_admit), and futex by syscall, which is the bare call.
 */
void mpxi_process_answer_sig(struct mpxi_thread *thread)
{
	struct mpxi_request *request = &thread->request;
	uint32_t state = ASKED;

	if (!atomic_compare_exchange_strong(&request->state, &state, TAKEN))
		return;
	request->error = act(request->member, request->wish);
	atomic_store(&request->state, ANSWERED);
	atomic_fetch_add(&answers, 1);
	syscall(SYS_futex, &answers, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- asking --------------------------------------------------------------------------- */

static bool takes_part(const struct mpxi_member *member)
{
	return member->version == member->process->version;
}

/* What the member is to do for it; false: nothing. */
static bool wish_of(const struct mpxi_member *member, enum mpxi_wish *wish)
{
	bool runs = mpxi_set_runs(member->set);

	if (!takes_part(member))
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

static void send_signal(struct mpxi_member *member, unsigned round)
{
	member->signalled = round;
	member->seen = atomic_load(&member->thread->request.put_off);
	/* It has not ended: its members would be gone. errno is EAGAIN where the limit of
	 * signals is reached; it is sent again. */
	(void)tgkill(getpid(), member->thread->tid, mpxi_library_signal());
}

static void ask_locked(struct mpxi_process *process, enum mpxi_wish wish)
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
		send_signal(member, 0);
	}
}

/* After the answer: what the member's windows are now. */
static void note_answer(struct mpxi_member *member)
{
	if (member->thread->request.error)
		return;
	if (member->thread->request.wish == MPXI_WISH_START ||
	    member->thread->request.wish == MPXI_WISH_RESET)
		member->stale = false;
	member->known = true;
}

/* One look at all who were asked; how many have not answered. */
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
		    (atomic_load(&request->put_off) != member->seen ||
		     round - member->signalled >= AGAIN))
			send_signal(member, round);
	}
	return open;
}

/* Takes back what nobody has begun with; how many those are. */
static unsigned withdraw_locked(struct mpxi_process *process)
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

static uint64_t now_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int wait_locked(struct mpxi_process *process)
{
	const struct timespec round_time = {.tv_nsec = ROUND_NS};
	uint64_t begin = now_ns();
	unsigned silent = 0;

	for (;;) {
		uint32_t seen = atomic_load(&answers);
		unsigned round = (unsigned)((now_ns() - begin) / ROUND_NS);

		if (!collect_locked(process, round))
			break;
		/* What has been taken is waited for. */
		if (round >= ROUNDS)
			silent += withdraw_locked(process);
		(void)syscall(SYS_futex, &answers, FUTEX_WAIT_PRIVATE, seen, &round_time, NULL, 0);
	}
	if (!silent)
		return 0;
	process->partial = true;
	atomic_fetch_add(&changes, 1);
	return mpxi_error(MPXI_ESYS,
			  "%u threads have not answered within a second: they block signal %d, or are always inside PAPI",
			  silent, mpxi_library_signal());
}

/* ---- results -------------------------------------------------------------------------- */

static void add_set(struct mpxi_sum *sum, const struct mpxi_set *set, unsigned i)
{
	struct mpxi_result part;

	mpxi_result_of_window(mpxi_set_window(set, i), mpxi_library_estimator(),
			      mpxi_set_lost(set), &part);
	mpxi_sum_add(sum, &part);
}

static bool counts(const struct mpxi_member *member)
{
	return takes_part(member) && member->known && !member->stale;
}

static void sum_up_locked(struct mpxi_process *process)
{
	unsigned threads = 1, i;
	struct mpxi_member *member;
	struct mpxi_sum sum;

	for (member = process->members; member; member = member->next)
		threads += counts(member);
	for (i = 0; i < process->events; i++) {
		struct mpxi_result *result = &process->result[i];

		sum = process->gone[i];
		add_set(&sum, process->own, i);
		for (member = process->members; member; member = member->next)
			if (counts(member))
				add_set(&sum, member->set, i);
		mpxi_sum_result(&sum, result);
		result->threads = threads + process->gone_threads;
		result->missed = present > threads ? present - threads : 0;
		result->partial = process->partial || result->missed;
	}
}

static const struct mpxi_result nothing = {.estimate = {.never = true, .rough = true}};

static void forget_results(struct mpxi_process *process)
{
	unsigned i;

	for (i = 0; i < process->events; i++)
		process->result[i] = nothing;
}

/* The set counts from zero from now on. */
static void forget_gone_locked(struct mpxi_process *process)
{
	memset(process->gone, 0, process->events * sizeof(process->gone[0]));
	process->gone_threads = 0;
}

const struct mpxi_result *mpxi_process_result(const struct mpxi_process *process, unsigned index)
{
	return &process->result[index];
}

/* ---- calls of the owner ---------------------------------------------------------------- */

/* Asks all others, acts on the owner's own meanwhile, waits. */
static int ask_all(struct mpxi_process *process, enum mpxi_wish wish,
		   int (*own_call)(struct mpxi_set *))
{
	int error, silent;

	ask_locked(process, wish);
	error = own_call(process->own);
	silent = wait_locked(process);
	return error ? error : silent;
}

/* Also from being cancelled: PAPI's calls read descriptors, where a cancelled thread would
 * end with the lock, for which its own destructor waits. */
static void lock_members(void)
{
	int state;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	cancel_state = state;
}

static void unlock_members(void)
{
	int state = cancel_state;

	pthread_mutex_unlock(&lock);
	(void)pthread_setcancelstate(state, NULL);
}

int mpxi_process_start(struct mpxi_process *process)
{
	struct mpxi_member *member;
	int error;

	lock_members();
	error = mpxi_set_start(process->own);
	if (!error) {
		process->runs = true;
		process->partial = false;
		forget_gone_locked(process);
		/* One that a stop has not reached counts for the last run still. */
		for (member = process->members; member; member = member->next) {
			member->known = false;
			member->stale = mpxi_set_runs(member->set);
		}
		forget_results(process);
		atomic_fetch_add(&changes, 1);
		ask_locked(process, MPXI_WISH_START);
		(void)wait_locked(process);
	}
	unlock_members();
	return error;
}

static int stop_locked(struct mpxi_process *process, int (*stop_own)(struct mpxi_set *))
{
	int error = ask_all(process, MPXI_WISH_STOP, stop_own);

	process->runs = false;
	sum_up_locked(process);
	return error;
}

int mpxi_process_stop(struct mpxi_process *process)
{
	int error;

	if (!process->runs)
		return mpxi_error(MPXI_ENOTRUN, "the event set does not run");
	lock_members();
	error = stop_locked(process, mpxi_set_stop);
	unlock_members();
	return error;
}

int mpxi_process_read(struct mpxi_process *process)
{
	int error;

	/* What the stop found stays as it is. */
	if (!process->runs)
		return 0;
	lock_members();
	error = ask_all(process, MPXI_WISH_READ, mpxi_set_read);
	sum_up_locked(process);
	unlock_members();
	return error;
}

int mpxi_process_take(struct mpxi_process *process)
{
	struct mpxi_member *member;
	int error;

	lock_members();
	/* Who does not answer this has no part in it, and the more in the next one. */
	for (member = process->members; member; member = member->next)
		member->known = false;
	error = ask_all(process, MPXI_WISH_TAKE, mpxi_set_take);
	sum_up_locked(process);
	forget_gone_locked(process);
	for (member = process->members; member; member = member->next)
		member->known = false;
	unlock_members();
	return error;
}

int mpxi_process_reset(struct mpxi_process *process)
{
	struct mpxi_member *member;
	unsigned i;
	int error;

	lock_members();
	if (!process->runs) {
		error = mpxi_set_reset(process->own);
	} else {
		for (member = process->members; member; member = member->next)
			member->stale = true;
		process->partial = false;
		error = ask_all(process, MPXI_WISH_RESET, mpxi_set_reset);
	}
	if (!process->runs)
		for (member = process->members; member; member = member->next)
			member->known = false;
	forget_gone_locked(process);
	forget_results(process);
	/* Of a stopped set that is all there is to say: nothing, and surely so. */
	for (i = 0; !process->runs && i < process->events; i++)
		process->result[i].estimate =
			(struct mpxi_estimate){.coverage = 1, .exact = true};
	unlock_members();
	return error;
}

/* ---- sets and their events -------------------------------------------------------------- */

int mpxi_process_create(struct mpxi_thread *owner, struct mpxi_set *own,
			struct mpxi_process **made)
{
	struct mpxi_process *process = calloc(1, sizeof(*process));

	if (!process)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	process->owner = owner;
	process->own = own;
	lock_members();
	process->next = first;
	if (first)
		first->previous = process;
	first = process;
	unlock_members();
	*made = process;
	return 0;
}

static void unlink_locked(struct mpxi_process *process)
{
	if (process->previous)
		process->previous->next = process->next;
	else
		first = process->next;
	if (process->next)
		process->next->previous = process->previous;
}

static void free_process(struct mpxi_process *process)
{
	free(process->event);
	free(process->gone);
	free(process->result);
	free(process);
}

static int leave_alone(struct mpxi_set *set)
{
	(void)set;
	return 0;
}

void mpxi_process_destroy(struct mpxi_process *process, bool gone)
{
	struct mpxi_member *member;

	lock_members();
	if (process->runs)
		(void)stop_locked(process, gone ? leave_alone : mpxi_set_stop);
	unlink_locked(process);
	for (member = process->members; member; member = member->next)
		member->process = NULL;
	atomic_fetch_add(&changes, 1);
	unlock_members();
	free_process(process);
}

static int reserve(struct mpxi_process *process)
{
	unsigned room = process->room ? 2 * process->room : 8;
	void *event, *gone, *result;

	if (process->events < process->room)
		return 0;
	event = realloc(process->event, room * sizeof(process->event[0]));
	process->event = event ? event : process->event;
	gone = realloc(process->gone, room * sizeof(process->gone[0]));
	process->gone = gone ? gone : process->gone;
	result = realloc(process->result, room * sizeof(process->result[0]));
	process->result = result ? result : process->result;
	if (!event || !gone || !result)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	process->room = room;
	return 0;
}

/* Members of other events have no part from now on; results are the last run's still. */
static void changed_locked(struct mpxi_process *process)
{
	process->version++;
	atomic_fetch_add(&changes, 1);
}

int mpxi_process_add(struct mpxi_process *process, uint32_t event)
{
	int index;

	lock_members();
	index = reserve(process);
	if (!index)
		index = mpxi_set_add(process->own, event);
	if (index >= 0) {
		process->event[index] = event;
		process->gone[index] = (struct mpxi_sum){0};
		process->result[index] = nothing;
		process->events++;
		changed_locked(process);
	}
	unlock_members();
	return index;
}

int mpxi_process_remove(struct mpxi_process *process, uint32_t event)
{
	unsigned i, behind;
	int error;

	lock_members();
	error = mpxi_set_remove(process->own, event);
	if (!error) {
		for (i = 0; process->event[i] != event; i++)
			;
		behind = --process->events - i;
		memmove(process->event + i, process->event + i + 1,
			behind * sizeof(process->event[0]));
		memmove(process->gone + i, process->gone + i + 1,
			behind * sizeof(process->gone[0]));
		memmove(process->result + i, process->result + i + 1,
			behind * sizeof(process->result[0]));
		changed_locked(process);
	}
	unlock_members();
	return error;
}

/* ---- members --------------------------------------------------------------------------- */

static void unlink_member_locked(struct mpxi_member *member)
{
	if (!member->process)
		return;
	if (member->previous)
		member->previous->next = member->next;
	else
		member->process->members = member->next;
	if (member->next)
		member->next->previous = member->previous;
}

static void link_member_locked(struct mpxi_process *process, struct mpxi_thread *thread,
			       struct mpxi_member *member)
{
	member->process = process;
	member->thread = thread;
	member->version = process->version;
	member->next = process->members;
	if (member->next)
		member->next->previous = member;
	process->members = member;
	member->sibling = thread->members;
	thread->members = member;
}

static struct mpxi_member *member_of(const struct mpxi_process *process,
				     const struct mpxi_thread *thread)
{
	struct mpxi_member *member = thread->members;

	while (member && member->process != process)
		member = member->sibling;
	return member;
}

/* The calling thread's set of a process-wide one's events, with their places. */
static int make_set(const struct mpxi_process *process, struct mpxi_core *core,
		    struct mpxi_set **set)
{
	int error = mpxi_set_create(core, set);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < process->events && error >= 0; i++)
		error = mpxi_set_add(*set, process->event[i]);
	if (error >= 0)
		error = mpxi_set_admit(*set);
	if (error < 0)
		mpxi_set_destroy(*set);
	return error < 0 ? error : 0;
}

/* A thread that cannot count the events is missed by the set, and tries again when it
 * comes by after the set's next change. */
static void join_locked(struct mpxi_process *process, struct mpxi_thread *thread, bool fresh)
{
	struct mpxi_member *member = member_of(process, thread);

	if (!member) {
		member = calloc(1, sizeof(*member));
		if (!member)
			return;
		if (make_set(process, thread->core, &member->set)) {
			free(member);
			return;
		}
		link_member_locked(process, thread, member);
	}
	if (process->runs && !mpxi_set_runs(member->set) && !mpxi_set_start(member->set)) {
		member->known = true;
		process->partial |= !fresh;
	}
}

/* Members of sets that are gone, or had other events, and that run though they should not. */
static void tidy_locked(struct mpxi_thread *thread)
{
	struct mpxi_member **link = &thread->members, *member;

	while ((member = *link)) {
		if (member->process && takes_part(member)) {
			if (!member->process->runs && mpxi_set_runs(member->set))
				(void)mpxi_set_stop(member->set);
			link = &member->sibling;
			continue;
		}
		*link = member->sibling;
		unlink_member_locked(member);
		mpxi_set_destroy(member->set);
		free(member);
	}
}

void mpxi_process_visit(struct mpxi_thread *thread, bool fresh)
{
	struct mpxi_process *process;

	if (mpxi_process_is_asked_sig(thread))
		mpxi_process_answer_sig(thread);
	if (!fresh && atomic_load(&changes) == thread->changes_seen)
		return;
	lock_members();
	thread->changes_seen = atomic_load(&changes);
	present += fresh;
	tidy_locked(thread);
	/* The timer first: a handler cannot arm every kind (mpxi_thread_keep_armed). */
	for (process = first; process; process = process->next)
		if (process->owner != thread && process->events &&
		    !mpxi_thread_keep_armed(thread, true))
			join_locked(process, thread, fresh);
	if (!thread->members)
		(void)mpxi_thread_keep_armed(thread, false);
	unlock_members();
}

/* What the member has counted stays with its set. */
static void bequeath_locked(struct mpxi_member *member, bool gone)
{
	struct mpxi_process *process = member->process;
	unsigned i;

	if (process->runs && mpxi_set_runs(member->set) && !gone) {
		member->known = true;
		(void)mpxi_set_stop(member->set);
	}
	if (!counts(member))
		return;
	for (i = 0; i < process->events; i++)
		add_set(&process->gone[i], member->set, i);
	process->gone_threads++;
}

void mpxi_process_leave(struct mpxi_thread *thread, bool gone)
{
	struct mpxi_member *member;

	lock_members();
	present--;
	while ((member = thread->members)) {
		thread->members = member->sibling;
		if (member->process && takes_part(member))
			bequeath_locked(member, gone);
		unlink_member_locked(member);
		if (!gone)
			mpxi_set_destroy(member->set);
		free(member);
	}
	unlock_members();
}

/* ---- fork -------------------------------------------------------------------------------- */

void mpxi_process_before_fork(void)
{
	lock_members();
}

void mpxi_process_after_fork(void)
{
	unlock_members();
}

void mpxi_process_in_child(struct mpxi_thread *self)
{
	struct mpxi_process *process;
	struct mpxi_member *member;

	/* The sets of the core go with the core. */
	while (self && (member = self->members)) {
		self->members = member->sibling;
		unlink_member_locked(member);
		free(member);
	}
	while ((process = first)) {
		first = process->next;
		while ((member = process->members)) {
			process->members = member->next;
			free(member);
		}
		free_process(process);
	}
	present = 0;
	pthread_mutex_init(&lock, NULL);
}
