/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_team.c - threads that work for regions of other threads. For threads of an OpenMP team the regions
 * are known (team.h). For threads that a region makes or wakes, it is not known whether they work for the
 * region, so the region's counts are a lower bound.
 *
 * Terms: count/thread.h.
 */
#include <time.h>

#include "count/account.h"
#include "count/guest_memory.h"
#include "count/thread_private.h"

bool upcs_has_runtime;
uint16_t upcs_regions_entered;

void upcs_thread_has_runtime(void)
{
	__atomic_store_n(&upcs_has_runtime, true, __ATOMIC_RELAXED);
}

/* ---- teams --------------------------------------------------------------------------------- */

/* Doubt all regions that have been entered, since the thread works for unknown regions. */
static void doubt_entered_regions(void)
{
	upcs_counts_doubt(upcs_self->record, __atomic_load_n(&upcs_regions_entered, __ATOMIC_RELAXED),
			  UPCS_DOUBT_UNPLACED);
	upcs_account_doubt_all(UPCS_ACCOUNT_LOW);
}

/* Begin a function of the program that the runtime calls. If its regions are uncertain, the work counts for
 * no region, so that all counts are lower bounds. */
static void begin_work(struct upcs_counted *t, uint64_t function)
{
	struct upcs_team_work work;
	bool found = upcs_team_call(&t->hand, function, &work);

	/* Work passed in the program's own call is for the regions of that call. */
	if (!found && (!t->in_team || upcs_region_is_away(t->stack)))
		return;
	if (!work.function || !work.sure)
		doubt_entered_regions();
	if (!work.function)
		return;
	if (!work.sure)
		work.regions = 0;
	if (work.regions == upcs_region_active(t->stack) && work.account == upcs_account_of(t))
		return;
	if (upcs_region_adopt(t->stack, work.regions, work.account))
		return;
	upcs_counts_doubt(t->record, UINT16_MAX, UPCS_DOUBT_UNPLACED | UPCS_DOUBT_CUT);
	upcs_account_doubt_all(UPCS_ACCOUNT_LOW | UPCS_ACCOUNT_HIGH);
}

void upcs_thread_follow(struct upcs_counted *t, const struct upcs_region_block *block)
{
	if (!upcs_thread_runtime())
		return;
	if (upcs_region_is_called_in(t->stack, block)) {
		/* The runtime's own threads begin in the runtime. */
		if (!t->was_in_runtime)
			t->in_team = t->record->number && upcs_region_depth(t->stack) <= 1;
		__atomic_store_n(&t->was_in_runtime, true, __ATOMIC_RELAXED);
		upcs_team_enter(&t->hand);
	} else if (upcs_region_is_called_out(t->stack, block)) {
		begin_work(t, block->begin);
	}
}

/* Read a word of the guest's memory, which is mapped because the guest has just accessed it. */
static uint64_t word_at(uint64_t address, size_t size, bool big)
{
	const unsigned char *at = (const unsigned char *)(uintptr_t)(upcs_guest_base() + address);
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * (big ? size - 1 - i : i);
	return value;
}

void upcs_thread_touched(uint64_t address, size_t bytes, bool store)
{
	const size_t size = upcs_guest_pointer_size(upcs_run.guest);
	const bool big = upcs_guests[upcs_run.guest].big;
	struct upcs_counted *t = upcs_self;
	uint64_t value;
	size_t i;

	for (i = 0; t && i + size <= bytes; i += size) {
		value = word_at(address + i, size, big);
		if (!upcs_team_is_code(value))
			continue;
		if (store)
			upcs_team_store(&t->hand, upcs_region_active(t->stack), upcs_account_of(t),
					address + i, value);
		else
			upcs_team_load(&t->hand, address + i, value);
	}
}

/* ---- others -------------------------------------------------------------------------------- */

/* Operations of <linux/futex.h>, without the flags. */
enum {
	FUTEX_WAIT,
	FUTEX_WAKE,
	FUTEX_REQUEUE = 3,
	FUTEX_CMP_REQUEUE,
	FUTEX_WAKE_OP,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAKE_BITSET,
};
#define FUTEX_COMMAND 127u
#define LOCKED 2u /* value that a thread waiting for a lock of the C library finds in the lock */

/* Return the regions that this thread is in by its own calls, and not by a runtime's. */
static uint16_t own_regions(const struct upcs_counted *t)
{
	if (!t || !t->stack || upcs_region_is_in_runtime(t->stack))
		return 0;
	return upcs_region_active(t->stack) | __atomic_load_n(&t->inherited, __ATOMIC_RELAXED);
}

/* ---- threads that are made in regions ---------------------------------------------------------- */

#define COMING_S 1 /* seconds that a made thread may take to begin */

/* Wait until the thread made before has begun. Return false after COMING_S. */
static bool wait_for_coming_locked(void)
{
	struct timespec end;
	int error = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += COMING_S;
	while (upcs_threads.coming && !error)
		error = pthread_cond_timedwait(&upcs_threads.came, &upcs_threads.lock, &end);
	return !upcs_threads.coming;
}

void upcs_thread_bequeath_locked(struct upcs_counted *t)
{
	uint16_t regions = own_regions(t);
	unsigned rest, r;

	upcs_stepping = NULL;
	/* If two threads are yet to begin, it is not known which of them inherits these regions. */
	if (!wait_for_coming_locked()) {
		upcs_counts_doubt(t->record, UINT16_MAX, UPCS_DOUBT_HELPED | UPCS_DOUBT_CUT);
		upcs_account_doubt_locked(upcs_account_of(t), UPCS_ACCOUNT_LOW | UPCS_ACCOUNT_HIGH);
		upcs_account_doubt_locked(upcs_threads.share.account, UPCS_ACCOUNT_LOW | UPCS_ACCOUNT_HIGH);
	}
	upcs_account_bequeath_locked(t);
	upcs_threads.bequeathed = regions;
	for (rest = regions; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (!t->instance[r]) {
			t->instance[r] = ++upcs_threads.instances;
			t->handed |= (uint16_t)(1u << r);
		}
		upcs_threads.instance[r] = t->instance[r];
	}
}

/* True while the maker is still in the region that it handed on. */
static bool is_handed_locked(unsigned r, uint64_t instance)
{
	const struct upcs_counted *t;

	for (t = upcs_threads.first; t; t = t->next)
		if (t->handed >> r & 1 && t->instance[r] == instance)
			return true;
	return false;
}

void upcs_thread_inherit_locked(struct upcs_counted *t)
{
	unsigned rest, r;

	for (rest = upcs_threads.bequeathed; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		if (is_handed_locked(r, upcs_threads.instance[r])) {
			t->inherited |= (uint16_t)(1u << r);
			t->instance[r] = upcs_threads.instance[r];
		} else {
			upcs_counts_doubt(t->record, (uint16_t)(1u << r), UPCS_DOUBT_HELPED);
		}
	}
	upcs_threads.bequeathed = 0;
	upcs_account_inherit_locked(t);
	if (t->inherited)
		upcs_thread_change_regions_locked(t);
}

/* End a region for a thread that worked for it. A thread that continues has outlived the region, and its
 * further work does not count for the region. */
static void disinherit_locked(struct upcs_counted *t, unsigned r)
{
	t->instance[r] = 0;
	__atomic_fetch_and(&t->inherited, (uint16_t) ~(1u << r), __ATOMIC_RELEASE);
	if (__atomic_load_n(&t->exits, __ATOMIC_ACQUIRE))
		return;
	upcs_counts_doubt(t->record, (uint16_t)(1u << r), UPCS_DOUBT_HELPED);
	upcs_thread_attend_locked(t->index, true);
}

void upcs_thread_end_handed_locked(struct upcs_counted *t, uint16_t active)
{
	unsigned rest, r;
	struct upcs_counted *other;

	for (rest = t->handed & (uint16_t)~active; rest; rest &= rest - 1) {
		r = (unsigned)__builtin_ctz(rest);
		for (other = upcs_threads.first; other; other = other->next)
			if (other != t && other->inherited >> r & 1 && other->instance[r] == t->instance[r])
				disinherit_locked(other, r);
		t->instance[r] = 0;
		t->handed &= (uint16_t) ~(1u << r);
	}
}

void upcs_thread_end_handed(struct upcs_counted *t, uint16_t active)
{
	pthread_mutex_lock(&upcs_threads.lock);
	upcs_thread_end_handed_locked(t, active);
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* ---- threads that wait for others -------------------------------------------------------------- */

static unsigned futexes_find(const struct upcs_futexes *futexes, uint64_t address)
{
	unsigned i;

	for (i = 0; i < UPCS_FUTEXES && futexes->at[i].address != address; i++)
		;
	return i;
}

static void futexes_note(struct upcs_futexes *futexes, uint64_t address, const struct upcs_stay *stay)
{
	unsigned i = futexes_find(futexes, address);

	if (i == UPCS_FUTEXES)
		i = futexes->next++ % UPCS_FUTEXES;
	futexes->at[i].address = address;
	futexes->at[i].stay = *stay;
}

static struct upcs_stay stay_locked(const struct upcs_counted *t)
{
	struct upcs_stay stay = {.regions = own_regions(t)};

	if (upcs_region_is_in_runtime(t->stack))
		return stay;
	stay.account = upcs_account_of(t);
	stay.names = upcs_account_names_locked(stay.account) | upcs_account_names_locked(t->share.account);
	return stay;
}

/* True if the first thread was in a region that the second was not in. All names beyond the last bit share
 * the last bit. */
static bool is_in_more(const struct upcs_stay *one, const struct upcs_stay *other)
{
	return one->names & ~(other->names & (UINT64_MAX >> 1));
}

/* Doubt regions that only one of the two threads was in: the other thread may work for the region, or may
 * have worked for it. */
static void compare_locked(struct upcs_counted *waits, struct upcs_counted *wakes, uint64_t address)
{
	unsigned i = futexes_find(&waits->waited, address), k = futexes_find(&wakes->woke, address);
	const struct upcs_stay *waiting, *waking;

	if (i == UPCS_FUTEXES || k == UPCS_FUTEXES)
		return;
	waiting = &waits->waited.at[i].stay;
	waking = &wakes->woke.at[k].stay;
	upcs_counts_doubt(waits->record, waking->regions & (uint16_t)~waiting->regions, UPCS_DOUBT_HELPED);
	upcs_counts_doubt(wakes->record, waiting->regions & (uint16_t)~waking->regions, UPCS_DOUBT_HELPED);
	if (is_in_more(waking, waiting))
		upcs_account_doubt_locked(waking->account, UPCS_ACCOUNT_LOW);
	if (is_in_more(waiting, waking))
		upcs_account_doubt_locked(waiting->account, UPCS_ACCOUNT_LOW);
}

/* Note a wait. The waking call may come before or after the waiting call, so both compare. */
static void thread_waits_at(struct upcs_counted *t, uint64_t address)
{
	struct upcs_counted *other;
	struct upcs_stay stay;

	pthread_mutex_lock(&upcs_threads.lock);
	stay = stay_locked(t);
	futexes_note(&t->waited, address, &stay);
	for (other = upcs_threads.first; other; other = other->next)
		if (other != t)
			compare_locked(t, other, address);
	pthread_mutex_unlock(&upcs_threads.lock);
}

static void thread_wakes_at(struct upcs_counted *t, uint64_t address)
{
	struct upcs_counted *other;
	struct upcs_stay stay;

	pthread_mutex_lock(&upcs_threads.lock);
	stay = stay_locked(t);
	futexes_note(&t->woke, address, &stay);
	for (other = upcs_threads.first; other; other = other->next)
		if (other != t)
			compare_locked(other, t, address);
	pthread_mutex_unlock(&upcs_threads.lock);
}

/* Note a futex call. Waiting for a lock is ignored, because a thread that waits for a lock has its own
 * work. */
void upcs_thread_futex(uint64_t address, uint64_t operation, uint64_t value)
{
	struct upcs_counted *t = upcs_self;

	if (!t || !t->stack || t->marking)
		return;
	switch (operation & FUTEX_COMMAND) {
	case FUTEX_WAIT:
		if (value != LOCKED)
			thread_waits_at(t, address);
		break;
	case FUTEX_WAIT_BITSET:
		thread_waits_at(t, address);
		break;
	case FUTEX_WAKE:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
	case FUTEX_WAKE_BITSET:
		thread_wakes_at(t, address);
		break;
	default:
		break;
	}
}
