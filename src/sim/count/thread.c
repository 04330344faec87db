/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - threads and their records: the counts that threads add to, the requests of contexts to attend a
 * thread, and regions.
 *
 * Terms: count/thread.h.
 */
#include "count/thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count/account.h"
#include "count/region_private.h"
#include "count/score.h"

UPCS_TLS uint64_t *upcs_counting;
UPCS_TLS uint64_t *upcs_bare;
UPCS_TLS uint8_t upcs_last_end;
UPCS_TLS struct upcs_site *upcs_passed;
UPCS_TLS struct upcs_region_stack *upcs_stepping;
UPCS_TLS struct upcs_counted *upcs_self;

/* A thread's number, taken by the thread itself or by its maker, whichever came first, and kept for the
 * other. */
struct upcs_meeting {
	struct upcs_meeting *next;
	pid_t tid;
	uint32_t number;
};

/* ---- a thread ------------------------------------------------------------------------ */

static struct upcs_counting *take_counting_locked(uint32_t index, uint16_t active)
{
	struct upcs_counting *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->seen = mmap(NULL, UPCS_KINDS_MAX * sizeof(*c->seen), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	c->array = c->seen == MAP_FAILED ? -1 : upcs_counts_take(upcs_run.counts, index, active);
	if (c->array < 0) {
		if (c->seen != MAP_FAILED)
			munmap(c->seen, UPCS_KINDS_MAX * sizeof(*c->seen));
		free(c);
		return NULL;
	}
	if (upcs_run.counts->keeps)
		memcpy(c->seen, upcs_counts_of(c), upcs_run.counts->kinds * sizeof(*c->seen));
	c->active = active;
	upcs_process_note_memory_locked();
	return c;
}

void upcs_thread_free(struct upcs_counted *t, bool give)
{
	struct upcs_counting *c;

	while ((c = t->counting)) {
		t->counting = c->next;
		if (give)
			upcs_counts_give(upcs_run.counts, c->array);
		munmap(c->seen, UPCS_KINDS_MAX * sizeof(*c->seen));
		free(c->before);
		free(c);
	}
	if (t->stack)
		upcs_region_destroy(t->stack);
	free(t);
}

/* Remember the counts of a kept array, since the emulator's counts start at zero. Return false if memory is
 * short. */
static bool keep_before(struct upcs_counting *c)
{
	size_t bytes = upcs_run.counts->kinds * sizeof(*c->before);

	if (!upcs_run.counts->keeps)
		return true;
	c->before = malloc(bytes + 1);
	if (!c->before)
		return false;
	memcpy(c->before, c->seen, bytes);
	c->kinds_before = upcs_run.counts->kinds;
	return true;
}

/* Take the thread's array, and a second array if its blocks add to the emulator's memory. */
static bool take_arrays_locked(struct upcs_counted *t)
{
	t->counting = take_counting_locked(t->index, 0);
	if (!t->counting || !upcs_threads.scores || upcs_options_follow(&upcs_run.results->options))
		return t->counting;
	t->scored = take_counting_locked(t->index, 0);
	if (!t->scored)
		return false;
	t->counting->next = t->scored;
	return keep_before(t->scored);
}

static void write_record(struct upcs_thread *record, uint32_t number)
{
	record->number = number;
	record->core = number % UPCS_CORES;
	record->tid = (int32_t)syscall(SYS_gettid);
	__atomic_store_n(&record->state, UPCS_RUNS, __ATOMIC_RELEASE);
}

static struct upcs_counted *make_thread_locked(uint32_t number, unsigned vcpu)
{
	const bool follows = upcs_options_follow(&upcs_run.results->options);
	struct upcs_counted *t = calloc(1, sizeof(*t));
	bool whole;

	if (!t) {
		upcs_run.process->unfolded++;
		return NULL;
	}
	t->vcpu = vcpu;
	t->record = upcs_records_thread(upcs_run.results, upcs_run.index, &t->index);
	whole = t->record && take_arrays_locked(t);
	if (follows)
		t->stack = upcs_region_create();
	if (!whole || (follows && !t->stack)) {
		/* A thread without a record is counted in threads.without instead. */
		upcs_run.process->unfolded += t->record != NULL;
		if (t->record)
			__atomic_store_n(&t->record->state, UPCS_FREE, __ATOMIC_RELEASE);
		upcs_thread_free(t, true);
		return NULL;
	}
	if (t->stack)
		t->doubts_now = upcs_region_changes(t->stack);
	write_record(t->record, number);
	t->record->scored = t->scored != NULL;
	t->next = upcs_threads.first;
	t->before = &upcs_threads.first;
	if (upcs_threads.first)
		upcs_threads.first->before = &t->next;
	upcs_threads.first = t;
	return t;
}

void upcs_thread_begin_locked(uint32_t number, unsigned vcpu)
{
	if (upcs_run.process)
		upcs_counts_changes(upcs_run.counts);
	upcs_self = upcs_run.process ? make_thread_locked(number, vcpu) : NULL;
	if (upcs_run.process)
		upcs_counts_changes(upcs_run.counts);
	upcs_counting = upcs_threads.nowhere;
	if (upcs_self) {
		upcs_self->hot = &upcs_counting;
		upcs_self->bare = &upcs_bare;
		upcs_counting = upcs_self->counts = upcs_counts_of(upcs_self->counting);
	}
	upcs_last_end = 0;
	upcs_passed = NULL;
	upcs_bare = NULL;
	upcs_stepping = NULL;
}

static uint32_t give_number_locked(void)
{
	uint32_t number = upcs_threads.made++;

	if (upcs_run.process)
		upcs_run.process->threads = upcs_threads.made;
	return number;
}

static uint32_t meet_locked(pid_t tid)
{
	struct upcs_meeting **at = &upcs_threads.meetings, *found;
	uint32_t number;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	found = *at;
	if (found) {
		*at = found->next;
		number = found->number;
		free(found);
		return number;
	}
	number = give_number_locked();
	found = malloc(sizeof(*found));
	if (found) {
		*found = (struct upcs_meeting){upcs_threads.meetings, tid, number};
		upcs_threads.meetings = found;
	}
	return number;
}

static void arrived_locked(void)
{
	if (upcs_threads.coming)
		upcs_threads.coming--;
	pthread_cond_broadcast(&upcs_threads.came);
}

void upcs_thread_forget_meetings_locked(void)
{
	struct upcs_meeting *m;

	while ((m = upcs_threads.meetings)) {
		upcs_threads.meetings = m->next;
		free(m);
	}
	upcs_threads.coming = 0;
}

/* The first thread has no maker. */
void upcs_thread_begin_next_locked(unsigned vcpu)
{
	bool first = upcs_threads.made == 0;

	upcs_thread_begin_locked(first ? give_number_locked() : meet_locked((pid_t)syscall(SYS_gettid)),
				 vcpu);
	if (first)
		return;
	if (upcs_self && upcs_self->stack)
		upcs_thread_inherit_locked(upcs_self);
	arrived_locked();
}

/* Return the regions that the thread's work counts for. */
static uint16_t regions_of_thread(const struct upcs_counted *t)
{
	uint16_t switched;

	return (uint16_t)((upcs_region_active(t->stack) & ~upcs_region_suspects(t->stack, &switched)) |
			  __atomic_load_n(&t->inherited, __ATOMIC_ACQUIRE));
}

uint64_t *upcs_thread_begin(unsigned vcpu)
{
	if (upcs_self && upcs_self->stack &&
	    upcs_self->counting->active & (uint16_t)~regions_of_thread(upcs_self)) {
		/* A region that the thread worked for has ended. */
		pthread_mutex_lock(&upcs_threads.lock);
		upcs_thread_change_regions_locked(upcs_self);
		pthread_mutex_unlock(&upcs_threads.lock);
	}
	if (upcs_self)
		return upcs_self->counts;
	if (upcs_counting)
		return upcs_counting;
	pthread_mutex_lock(&upcs_threads.lock);
	upcs_thread_begin_next_locked(vcpu);
	pthread_mutex_unlock(&upcs_threads.lock);
	return upcs_counting;
}

void upcs_thread_coming(void)
{
	pthread_mutex_lock(&upcs_threads.lock);
	while (upcs_threads.waiting)
		pthread_cond_wait(&upcs_threads.came, &upcs_threads.lock);
	if (upcs_self && upcs_self->stack)
		upcs_thread_bequeath_locked(upcs_self);
	upcs_threads.coming++;
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_thread_came(int64_t tid)
{
	pthread_mutex_lock(&upcs_threads.lock);
	if (tid > 0)
		meet_locked((pid_t)tid);
	else
		arrived_locked();
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_thread_exit(void)
{
	if (upcs_self)
		__atomic_store_n(&upcs_self->exits, true, __ATOMIC_RELEASE);
	if (!upcs_self || !upcs_self->scored)
		return;
	if (upcs_process_hold_all())
		upcs_score_finish_locked(upcs_self);
	upcs_process_release();
}

void upcs_thread_end(void)
{
	struct upcs_counted *t = upcs_self;

	pthread_mutex_lock(&upcs_threads.lock);
	upcs_self = NULL;
	upcs_bare = NULL;
	upcs_stepping = NULL;
	upcs_counting = upcs_threads.nowhere;
	if (t) {
		upcs_counts_changes(upcs_run.counts);
		/* True if upcs_thread_exit could not finish the scores. */
		if (t->scored && !upcs_threads.coming)
			upcs_score_finish_locked(t);
		upcs_counts_late(t->record);
		upcs_fold_thread_locked(t);
		upcs_account_end_locked(t);
		upcs_thread_end_handed_locked(t, 0);
		upcs_counts_end(t->record);
		__atomic_store_n(&t->record->state, UPCS_ENDED, __ATOMIC_RELEASE);
		*t->before = t->next;
		if (t->next)
			t->next->before = t->before;
		upcs_thread_free(t, true);
		upcs_counts_changes(upcs_run.counts);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

void upcs_thread_calls(bool sends)
{
	struct upcs_counted *t = upcs_self;

	if (!t)
		return;
	__atomic_store_n(&t->record->calls, t->record->calls + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&t->record->in_call, 1, __ATOMIC_RELEASE);
	if (sends) {
		/* The signal may end the process, and then the emulator no longer reports threads that
		 * begin. */
		(void)upcs_process_hold_all();
		upcs_fold_thread_locked(t);
		t->record->raised = t->record->tally[0][UPCS_INSTRUCTIONS];
		upcs_process_release();
	}
}

void upcs_thread_called(void)
{
	if (upcs_self)
		__atomic_store_n(&upcs_self->record->in_call, 0, __ATOMIC_RELAXED);
}

/* ---- for contexts -------------------------------------------------------------------- */

uint32_t upcs_thread_self(void)
{
	return upcs_self ? upcs_self->index : UPCS_NO_THREAD;
}

uint64_t upcs_thread_changes(void)
{
	return upcs_self ? __atomic_load_n(&upcs_self->changes, __ATOMIC_ACQUIRE) : 0;
}

/* Return the thread, or NULL if it has ended. */
static struct upcs_counted *find_counted_locked(uint32_t index)
{
	struct upcs_counted *t;

	if (upcs_self && upcs_self->index == index)
		return upcs_self;
	for (t = upcs_threads.first; t && t->index != index; t = t->next)
		;
	return t;
}

const uint64_t *upcs_thread_fold_locked(uint32_t index)
{
	struct upcs_counted *t = find_counted_locked(index);

	if (index == UPCS_NO_THREAD)
		return NULL;
	if (t)
		upcs_fold_thread_locked(t);
	return upcs_run.results->thread[index].tally[0];
}

unsigned upcs_thread_core_locked(uint32_t index)
{
	return index == UPCS_NO_THREAD ? 0 : upcs_run.results->thread[index].core % UPCS_CORES;
}

pid_t upcs_thread_id_locked(uint32_t index)
{
	return find_counted_locked(index) ? upcs_run.results->thread[index].tid : 0;
}

void upcs_thread_attend_locked(uint32_t index, bool has_to)
{
	struct upcs_counted *t = find_counted_locked(index);

	if (!t || !(has_to || !*t->hot))
		return;
	if (upcs_threads.adding && !upcs_threads.calls)
		__atomic_store_n(&upcs_threads.old_code, true, __ATOMIC_RELEASE);
	upcs_threads.calls = true;
	/* Release order: a thread that sees hot or bare change also sees the new value of t->changes. */
	__atomic_store_n(&t->changes, t->changes + 1, __ATOMIC_RELEASE);
	__atomic_store_n(t->hot, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(t->bare, NULL, __ATOMIC_RELEASE);
}

void upcs_thread_unattend_locked(void)
{
	if (upcs_self)
		upcs_counting = upcs_self->counts;
}

/* ---- regions ------------------------------------------------------------------------- */

/* Return the thread's counts for these regions, or NULL if memory is short. */
static struct upcs_counting *counting_for_locked(struct upcs_counted *t, uint16_t active, uint16_t suspect)
{
	struct upcs_counting *c;

	for (c = t->counting; c; c = c->next)
		if (c->active == active && c->suspect == suspect)
			return c;
	c = take_counting_locked(t->index, active);
	if (!c)
		return NULL;
	c->suspect = suspect;
	c->next = t->counting->next;
	t->counting->next = c;
	return c;
}

static void use_counting_locked(struct upcs_counted *t, struct upcs_counting *c)
{
	struct upcs_counting **at;

	for (at = &t->counting; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	c->next = t->counting;
	t->counting = c;
	t->counts = upcs_counts_of(c);
}

void upcs_thread_change_regions_locked(struct upcs_counted *t)
{
	uint16_t switched, active = regions_of_thread(t);
	uint16_t suspect = upcs_region_suspects(t->stack, &switched) & (uint16_t)~active;
	struct upcs_counting *c;

	c = counting_for_locked(t, active, suspect);
	t->record->active = active;
	if (c) {
		use_counting_locked(t, c);
	} else {
		upcs_run.process->unfolded++;
		t->counts = upcs_threads.nowhere;
	}
	upcs_bare = NULL;
	/* If upcs_counting is NULL, another thread has requested that this thread be attended. */
	if (upcs_counting)
		upcs_counting = t->counts;
}

/* Move the counts of the time in which regions were suspect: to those regions (kept), or to no region
 * (left). */
static void decide_locked(struct upcs_counted *t, struct upcs_counting *from, uint16_t kept, uint16_t left)
{
	uint16_t active = from->active | (from->suspect & kept);
	struct upcs_counting *to = counting_for_locked(t, active, from->suspect & (uint16_t) ~(kept | left));

	if (to)
		upcs_fold_move_locked(t->record, from, to);
	else
		upcs_counts_doubt(t->record, from->suspect & kept, UPCS_DOUBT_MISSING);
}

static void thread_settle_suspects(struct upcs_counted *t)
{
	uint16_t kept, left;
	struct upcs_counting *c, *next;

	upcs_region_decided(t->stack, &kept, &left);
	if (!(kept | left))
		return;
	pthread_mutex_lock(&upcs_threads.lock);
	for (c = t->counting; c; c = next) {
		next = c->next;
		if (c->suspect & (kept | left))
			decide_locked(t, c, kept, left);
	}
	pthread_mutex_unlock(&upcs_threads.lock);
}

static void write_doubts(struct upcs_counted *t)
{
	static const uint32_t bit[UPCS_REGION_DOUBTS] = {
		[UPCS_REGION_UNWOUND] = UPCS_DOUBT_UNWOUND,
		[UPCS_REGION_SWITCHED] = UPCS_DOUBT_SWITCHED,
		[UPCS_REGION_FORGOT] = UPCS_DOUBT_FORGOT,
		[UPCS_REGION_JUMPED] = UPCS_DOUBT_JUMPED,
	};
	uint16_t switched, suspect = upcs_region_suspects(t->stack, &switched);
	const uint16_t *doubts = upcs_region_doubts(t->stack);
	unsigned i;

	t->doubts = *t->doubts_now;
	for (i = 0; i < UPCS_REGION_DOUBTS; i++)
		upcs_counts_doubt(t->record, doubts[i], bit[i]);
	__atomic_store_n(&t->record->suspect, suspect, __ATOMIC_RELAXED);
	__atomic_store_n(&t->record->switched, switched, __ATOMIC_RELAXED);
}

/* True if the thread's blocks change nothing but its stack. */
static bool is_plain_thread(const struct upcs_counted *t)
{
	return !(t->inherited | t->handed) && !upcs_thread_runtime() && !upcs_run.results->options.accounts;
}

static void note_entries(struct upcs_counted *t, uint16_t entered)
{
	unsigned r;

	/* A region that the thread works for already is not entered. */
	entered &= (uint16_t)~__atomic_load_n(&t->inherited, __ATOMIC_RELAXED);
	for (r = 0; entered >> r; r++)
		if (entered >> r & 1)
			__atomic_store_n(&t->record->entered[r], t->record->entered[r] + 1, __ATOMIC_RELAXED);
	__atomic_fetch_or(&upcs_regions_entered, entered, __ATOMIC_RELAXED);
}

/* Select the counts of the active regions, including those inherited from other threads. */
static void follow_regions(struct upcs_counted *t, uint16_t active)
{
	if (t->handed & (uint16_t)~active)
		upcs_thread_end_handed(t, active);
	if (t->inherited)
		active |= __atomic_load_n(&t->inherited, __ATOMIC_ACQUIRE);
	if (active == (t->counting->active | t->counting->suspect) &&
	    (t->record->suspect & (uint16_t)~t->inherited) == t->counting->suspect)
		return;
	pthread_mutex_lock(&upcs_threads.lock);
	upcs_thread_change_regions_locked(t);
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* Begin a block. Most calls and returns change only the stack. */
void upcs_thread_site(struct upcs_site *site)
{
	const struct upcs_region_block *block = &site->block;
	struct upcs_region_block changed;
	struct upcs_counted *t = upcs_self;
	uint16_t active, entered, late = __atomic_load_n(&site->late, __ATOMIC_RELAXED);
	bool plain;

	if (__builtin_expect(!t, 0))
		return;
	plain = is_plain_thread(t);
	if (upcs_passed)
		upcs_region_passed(t->stack, &upcs_passed->block, upcs_last_end & UPCS_LAST_FRESH);
	upcs_passed = site;
	/* Atomic, because upcs_thread_attend_locked may do the same now. */
	__atomic_store_n(&upcs_bare, NULL, __ATOMIC_RELAXED);
	if (__builtin_expect(block->enters | late, 0)) {
		changed = *block;
		changed.enters |= late;
		/* The function may have become a handler since its block was translated. */
		changed.handler |= upcs_process_is_handler(block->begin);
		block = &changed;
	}
	if (__builtin_expect(!plain, 0))
		upcs_thread_follow(t, block);
	active = upcs_region_block(t->stack, block, &entered);
	upcs_last_end = (uint8_t)(block->end | (t->stack->stray ? UPCS_LAST_STRAY : 0) |
				  (block->end && upcs_region_is_fresh(t->stack) ? UPCS_LAST_FRESH : 0));
	if (__builtin_expect(*t->doubts_now != t->doubts, 0)) {
		write_doubts(t);
		thread_settle_suspects(t);
	}
	if (__builtin_expect(entered, 0))
		note_entries(t, entered);
	if (__builtin_expect(!plain, 0))
		upcs_account_follow(block);
	if (__builtin_expect(
		    !plain || active != t->counting->active || t->counting->suspect || t->record->suspect, 0))
		follow_regions(t, active);
	upcs_stepping = is_plain_thread(t) && upcs_region_may_step(t->stack) ? t->stack : NULL;
}
