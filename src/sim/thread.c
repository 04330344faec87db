/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - threads and their records, and the thread that folds.
 */
#include "thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Counts of a thread in one set of regions. */
struct counting {
	struct counting *next;
	int array;
	uint16_t active;
	uint32_t kinds; /* of which there is something in seen */
	uint64_t *seen; /* what is in the record */
};

struct thread {
	struct thread *next, **before; /* in the list of all */
	struct upcs_thread *record;
	uint32_t index;
	struct counting *counting; /* all; the one in use is the first */
	uint64_t *counts;	   /* its */
	uint64_t **hot;		   /* the thread's upcs_counting: counts, or NULL while it is attended */
	uint64_t changes;	   /* so often was it to be attended; only the thread looks without the lock */
	struct upcs_region_stack *stack;
};

struct upcs_run upcs_run;
UPCS_TLS uint64_t *upcs_counting;
UPCS_TLS uint8_t upcs_last_end;
UPCS_TLS const struct upcs_site *upcs_passed;
static UPCS_TLS struct thread *self; /* NULL: counts to nobody */
static uint32_t before_fork = UPCS_NO_THREAD;

/*
 * Protects kinds, arrays, the list of threads and folding. It nests in QEMU's locks and takes
 * none itself but malloc's; no guest's signal is handled while it is held, since QEMU delivers
 * those between blocks.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads;
static uint32_t numbers; /* of threads that were made */
/* Number of the thread that a vCPU is for. vCPUs get the numbers of ended ones. */
#define VCPUS_MAX 65536u
static uint32_t number_of[VCPUS_MAX];
/* Where those count that have no record. Written by many, read by none. */
static uint64_t *nowhere;
static unsigned leaving;  /* threads that have another program take our place */
static bool folding;	  /* the ticker is there */
static bool parallel;	  /* blocks have to call */
static uint64_t *inlined; /* where blocks add to that do not; NULL: there are none */
static bool old_code;	  /* there are blocks that add to what is not theirs, or must call */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t *counts_of(const struct counting *c)
{
	return upcs_run.counts->count[c->array];
}

/* ---- folding ------------------------------------------------------------------------- */

static void fold_counting(struct upcs_thread *record, struct counting *c)
{
	uint32_t kinds = upcs_run.counts->kinds, k;
	const uint64_t *count = counts_of(c);
	uint64_t sum[UPCS_TALLIES] = {0};
	bool any = false;

	for (k = 0; k < kinds; k++) {
		uint64_t now = __atomic_load_n(&count[k], __ATOMIC_RELAXED);

		if (now == c->seen[k])
			continue;
		upcs_counts_sum(sum, &upcs_run.counts->kind[k], now - c->seen[k]);
		c->seen[k] = now;
		any = true;
	}
	if (any)
		upcs_counts_tally(record, c->active, sum);
}

static void fold_thread_locked(struct thread *t)
{
	struct counting *c;

	for (c = t->counting; c; c = c->next)
		fold_counting(t->record, c);
}

static void fold_locked(void)
{
	struct thread *t;

	for (t = threads; t; t = t->next)
		fold_thread_locked(t);
}

void upcs_fold(void)
{
	pthread_mutex_lock(&lock);
	fold_locked();
	pthread_mutex_unlock(&lock);
}

static void *fold_for_ever(void *argument)
{
	long ms = upcs_run.results->options.unit[0] ? UPCS_UNIT_FOLD_MS : UPCS_RESULTS_AGE_MS;
	const struct timespec period = {.tv_nsec = ms * 1000000l};

	(void)argument;
	for (;;) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &period, NULL);
		upcs_fold();
	}
	return NULL;
}

/* Signals are for the guest's threads. */
static void start_folding(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (folding || pthread_attr_init(&attributes))
		return;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* Without it counts are older, and whole at the end all the same. */
	folding = pthread_create(&thread, &attributes, fold_for_ever, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}

/* ---- a thread ------------------------------------------------------------------------ */

static struct counting *take_counting_locked(uint32_t index, uint16_t active)
{
	struct counting *c = calloc(1, sizeof(*c));

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
	c->active = active;
	return c;
}

static void free_thread(struct thread *t, bool give)
{
	struct counting *c;

	while ((c = t->counting)) {
		t->counting = c->next;
		if (give)
			upcs_counts_give(upcs_run.counts, c->array);
		munmap(c->seen, UPCS_KINDS_MAX * sizeof(*c->seen));
		free(c);
	}
	if (t->stack)
		upcs_region_destroy(t->stack);
	free(t);
}

static void write_record(struct upcs_thread *record, uint32_t number)
{
	record->process = upcs_run.index;
	record->number = number;
	record->core = number % UPCS_CORES;
	record->tid = (int32_t)syscall(SYS_gettid);
	__atomic_store_n(&record->state, UPCS_RUNS, __ATOMIC_RELEASE);
}

static struct thread *make_thread_locked(uint32_t number)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->record = upcs_results_thread(upcs_run.results, &t->index);
	t->counting = t->record ? take_counting_locked(t->index, 0) : NULL;
	if (upcs_run.results->options.regions)
		t->stack = upcs_region_create();
	if (!t->counting || (upcs_run.results->options.regions && !t->stack)) {
		if (t->record)
			__atomic_store_n(&t->record->state, UPCS_FREE, __ATOMIC_RELEASE);
		free_thread(t, true);
		return NULL;
	}
	write_record(t->record, number);
	t->next = threads;
	t->before = &threads;
	if (threads)
		threads->before = &t->next;
	threads = t;
	return t;
}

static void begin_locked(uint32_t number)
{
	self = upcs_run.process ? make_thread_locked(number) : NULL;
	if (upcs_run.process && !self)
		upcs_run.process->unfolded++;
	upcs_counting = nowhere;
	if (self) {
		self->hot = &upcs_counting;
		upcs_counting = self->counts = counts_of(self->counting);
	}
	upcs_last_end = 0;
	upcs_passed = NULL;
}

uint64_t *upcs_thread_begin(unsigned vcpu)
{
	if (self)
		return self->counts;
	pthread_mutex_lock(&lock);
	begin_locked(vcpu < VCPUS_MAX ? number_of[vcpu] : vcpu);
	pthread_mutex_unlock(&lock);
	return upcs_counting;
}

void upcs_thread_made(unsigned vcpu)
{
	pthread_mutex_lock(&lock);
	if (vcpu < VCPUS_MAX)
		number_of[vcpu] = numbers;
	numbers++;
	parallel |= numbers > 1;
	if (upcs_run.process)
		upcs_run.process->threads = numbers;
	pthread_mutex_unlock(&lock);
}

void upcs_thread_end(void)
{
	struct thread *t = self;

	pthread_mutex_lock(&lock);
	self = NULL;
	upcs_counting = nowhere;
	if (t) {
		fold_thread_locked(t);
		__atomic_store_n(&t->record->state, UPCS_ENDED, __ATOMIC_RELEASE);
		*t->before = t->next;
		if (t->next)
			t->next->before = t->before;
		free_thread(t, true);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- for contexts -------------------------------------------------------------------- */

uint32_t upcs_thread_self(void)
{
	return self ? self->index : UPCS_NO_THREAD;
}

uint32_t upcs_thread_before_fork(void)
{
	return before_fork;
}

uint64_t upcs_thread_changes(void)
{
	return self ? __atomic_load_n(&self->changes, __ATOMIC_ACQUIRE) : 0;
}

/* NULL: it has ended. */
static struct thread *find_locked(uint32_t index)
{
	struct thread *t;

	if (self && self->index == index)
		return self;
	for (t = threads; t && t->index != index; t = t->next)
		;
	return t;
}

const uint64_t *upcs_thread_fold_locked(uint32_t index)
{
	struct thread *t = find_locked(index);

	if (index == UPCS_NO_THREAD)
		return NULL;
	if (t)
		fold_thread_locked(t);
	return upcs_run.results->thread[index].tally[0];
}

unsigned upcs_thread_core_locked(uint32_t index)
{
	return index == UPCS_NO_THREAD ? 0 : upcs_run.results->thread[index].core % UPCS_CORES;
}

pid_t upcs_thread_id_locked(uint32_t index)
{
	return find_locked(index) ? upcs_run.results->thread[index].tid : 0;
}

void upcs_thread_attend_locked(uint32_t index, bool has_to)
{
	struct thread *t = find_locked(index);

	if (!t || !(has_to || !*t->hot))
		return;
	/* A thread that others attend is not the only one: then all blocks call. */
	if (inlined && !parallel)
		old_code = true;
	parallel = true;
	/* Release: a thread that sees the one finds the other. */
	__atomic_store_n(&t->changes, t->changes + 1, __ATOMIC_RELEASE);
	__atomic_store_n(t->hot, NULL, __ATOMIC_RELEASE);
}

void upcs_thread_unattend_locked(void)
{
	if (self)
		upcs_counting = self->counts;
}

/* ---- regions ------------------------------------------------------------------------- */

/* Counts go to the array of the regions that are active now. */
static void change_regions(struct thread *t, uint16_t active)
{
	struct counting **at, *c;

	pthread_mutex_lock(&lock);
	for (at = &t->counting; *at && (*at)->active != active; at = &(*at)->next)
		;
	c = *at;
	if (c)
		*at = c->next;
	else
		c = take_counting_locked(t->index, active);
	if (c) {
		c->next = t->counting;
		t->counting = c;
		t->counts = counts_of(c);
	} else {
		upcs_run.process->unfolded++;
		t->counts = nowhere;
	}
	/* Or others have it attended. */
	if (upcs_counting)
		upcs_counting = t->counts;
	pthread_mutex_unlock(&lock);
}

/*
 * Handlers stay known, since what others make of them is not. Those beyond these end as functions do
 * that nobody called.
 */
#define HANDLERS_MAX 64u
static uint64_t handler[HANDLERS_MAX];
static uint32_t handlers;

void upcs_process_handles(uint64_t address)
{
	pthread_mutex_lock(&lock);
	if (handlers < HANDLERS_MAX && !upcs_process_is_handler(address)) {
		handler[handlers] = address;
		__atomic_store_n(&handlers, handlers + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

bool upcs_process_is_handler(uint64_t address)
{
	uint32_t n = __atomic_load_n(&handlers, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < n && handler[i] != address; i++)
		;
	return i < n;
}

void upcs_thread_site(const struct upcs_site *site)
{
	struct upcs_region_block block = site->block;
	struct thread *t = self;
	uint16_t active, entered;
	unsigned r;

	if (!t)
		return;
	if (upcs_passed)
		upcs_region_passed(t->stack, &upcs_passed->block);
	upcs_passed = NULL;
	/* It may have become one since it was translated. */
	if (block.enters && !block.handler)
		block.handler = upcs_process_is_handler(block.begin);
	active = upcs_region_block(t->stack, &block, &entered);
	upcs_last_end = site->block.end;
	if (upcs_region_is_stray(t->stack))
		upcs_last_end |= UPCS_LAST_STRAY;
	for (r = 0; entered >> r; r++)
		if (entered >> r & 1)
			__atomic_store_n(&t->record->entered[r], t->record->entered[r] + 1, __ATOMIC_RELAXED);
	if (active != t->counting->active)
		change_regions(t, active);
}

/* ---- the process --------------------------------------------------------------------- */

static void *take_nowhere(void *at)
{
	void *p = mmap(at, UPCS_KINDS_MAX * sizeof(*nowhere), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The end of a long path says more. */
static void write_name_locked(void)
{
	size_t length = strlen(upcs_run.program), at = length < UPCS_WORD_MAX ? 0 : length - UPCS_WORD_MAX + 1;

	if (upcs_run.process)
		strcpy(upcs_run.process->program, upcs_run.program + at);
}

void upcs_process_name(void)
{
	pthread_mutex_lock(&lock);
	write_name_locked();
	pthread_mutex_unlock(&lock);
}

static void begin_process_locked(void *at)
{
	struct upcs_run *run = &upcs_run;
	char path[UPCS_COUNTS_PATH_MAX];
	const struct upcs_kind *all;
	uint32_t n = upcs_kinds_all(run->kinds, &all);

	run->process = upcs_results_process(run->results, &run->index);
	if (!run->process)
		return;
	upcs_counts_path(path, run->path, run->index);
	run->counts = upcs_counts_create(path, all, n, at);
	if (!run->counts) {
		__atomic_store_n(&run->process->state, UPCS_LOST, __ATOMIC_RELEASE);
		run->process = NULL;
		return;
	}
	/* Nobody will come for it. */
	if (upcs_results_are_closed(run->results))
		unlink(path);
	run->process->guest = run->guest;
	run->process->pid = getpid();
	run->process->parent = getppid();
	write_name_locked();
	__atomic_store_n(&run->process->state, UPCS_RUNS, __ATOMIC_RELEASE);
	start_folding();
}

bool upcs_process_begin(bool counted)
{
	nowhere = take_nowhere(NULL);
	if (!nowhere)
		return false;
	pthread_mutex_lock(&lock);
	if (counted)
		begin_process_locked(NULL);
	pthread_mutex_unlock(&lock);
	return true;
}

static void set_state_locked(enum upcs_state state)
{
	struct thread *t;

	for (t = threads; t; t = t->next)
		__atomic_store_n(&t->record->state, state, __ATOMIC_RELEASE);
	upcs_run.process->end_ns = state == UPCS_ENDED ? now_ns() : 0;
	__atomic_store_n(&upcs_run.process->state, state, __ATOMIC_RELEASE);
}

void upcs_process_end(void)
{
	char path[UPCS_COUNTS_PATH_MAX];

	pthread_mutex_lock(&lock);
	if (upcs_run.process) {
		fold_locked();
		set_state_locked(UPCS_ENDED);
		upcs_counts_path(path, upcs_run.path, upcs_run.index);
		unlink(path);
	}
	pthread_mutex_unlock(&lock);
}

/* The threads' records stay as they are: their last blocks are for who settles. */
void upcs_process_leave(void)
{
	pthread_mutex_lock(&lock);
	leaving++;
	if (upcs_run.process) {
		fold_locked();
		upcs_run.process->end_ns = now_ns();
		upcs_run.process->left = 1;
		__atomic_store_n(&upcs_run.process->state, UPCS_ENDED, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

void upcs_process_stay(void)
{
	pthread_mutex_lock(&lock);
	if (--leaving == 0 && upcs_run.process) {
		upcs_run.process->left = 0;
		upcs_run.process->end_ns = 0;
		__atomic_store_n(&upcs_run.process->state, UPCS_RUNS, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

void upcs_process_is_parallel(void)
{
	pthread_mutex_lock(&lock);
	parallel = true;
	pthread_mutex_unlock(&lock);
}

uint64_t *upcs_thread_inlined(void)
{
	uint64_t *to = NULL;

	pthread_mutex_lock(&lock);
	if (!parallel) {
		if (!upcs_counting)
			begin_locked(0);
		inlined = to = upcs_counting;
	}
	pthread_mutex_unlock(&lock);
	return to;
}

void upcs_process_split(struct upcs_block *block)
{
	pthread_mutex_lock(&lock);
	upcs_block_split(block, upcs_run.kinds, upcs_run.counts);
	if (!block->parts && upcs_run.process)
		upcs_run.process->unfolded++;
	pthread_mutex_unlock(&lock);
}

/* ---- fork ---------------------------------------------------------------------------- */

void upcs_process_hold(void)
{
	pthread_mutex_lock(&lock);
}

void upcs_process_release(void)
{
	pthread_mutex_unlock(&lock);
}

/* The parent's counts are not mapped here, and its other threads are not here. */
static void forget_parent_locked(void)
{
	struct thread *t;

	while ((t = threads)) {
		threads = t->next;
		free_thread(t, false);
	}
	upcs_run.process = NULL;
	upcs_run.counts = NULL;
	folding = false;
}

/* The child is in the regions that its parent was in. */
static void inherit_regions(struct upcs_region_stack *stack)
{
	upcs_region_destroy(self->stack);
	self->stack = stack;
	if (upcs_region_active(stack))
		change_regions(self, upcs_region_active(stack));
}

/* The parent's blocks add to its counts, which are not mapped here: nobody's can be there. */
static void put_nowhere(uint64_t *at)
{
	uint64_t *p = take_nowhere(at);

	if (p)
		nowhere = p;
}

bool upcs_process_has_old_code(void)
{
	/* Only while the process has one thread, which is the caller. */
	bool was = old_code;

	if (was)
		old_code = false;
	return was;
}

void upcs_process_forked(bool counted)
{
	struct upcs_region_stack *stack = NULL;
	const struct upcs_site *passed = upcs_passed;
	uint8_t last_end = upcs_last_end;
	void *at = upcs_run.counts;

	before_fork = upcs_thread_self();
	pthread_mutex_init(&lock, NULL);
	if (self) {
		stack = self->stack;
		self->stack = NULL;
	}
	forget_parent_locked();
	if (counted)
		begin_process_locked(at);
	if (parallel)
		inlined = NULL;
	if (inlined && !upcs_run.process && nowhere != inlined)
		put_nowhere(inlined);
	numbers = 1;
	leaving = 0;
	if (upcs_run.process)
		upcs_run.process->threads = 1;
	begin_locked(0);
	if (inlined && upcs_counting != inlined) {
		old_code = true;
		inlined = NULL;
	}
	upcs_last_end = last_end;
	upcs_passed = passed;
	if (self && stack)
		inherit_regions(stack);
	else if (stack)
		upcs_region_destroy(stack);
}
