/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_fake.h - a backend of MPX's core on a clock that only the test moves: what it
 * counts is known to the last event. It can hold few events at once, fail at any call,
 * and be interrupted by a tick at any call. What the core must never do fails the test.
 */
#ifndef MPX_FAKE_H
#define MPX_FAKE_H

#include <limits.h>

#include "core/core.h"
#include "core/error.h"
#include "../unit_test.h"

#define FAKE_UNLIMITED 0x10000u /* FAKE_UNLIMITED + i */
#define FAKE_CLOCK 0x20000u
#define FAKE_BESIDE 0x30000u
#define FAKE_NOWHERE 0x40000u /* no counter holds it */
#define FAKE_OUTSIDE 0x50000u /* FAKE_OUTSIDE + i: unlimited, and not for handlers */
#define FAKE_EVENTS 2048
#define FAKE_RUNS 2048 /* groups of unlimited events that run at once */

struct fake_group {
	unsigned n;
	uint64_t begin;
	uint32_t covariate; /* the one that it was opened with */
	bool runs;
	struct fake_group *next, **link; /* all that are open */
	uint32_t code[];
};

enum fake_call {
	FAKE_FITS = 1,
	FAKE_OPEN = 2,
	FAKE_START = 4,
	FAKE_READ = 8,
	FAKE_STOP = 16,
	FAKE_SHARING = 32,
	FAKE_MEMORY = 64,
	FAKE_ALL = 127,
};

static struct fake {
	_Atomic uint64_t now; /* handlers that interrupt the backend may move it */
	uint64_t cost;        /* time that each call of a _sig function takes */
	uint64_t pace;        /* CPU time in a unit of the clock */
	uint64_t counted_to;  /* nothing is counted from then on; 0: always */
	bool blocked;         /* what is said of ticks that do not come */
	unsigned sought;
	/* Rates of events by the low 11 bits of their code; burst comes on top of it in
	 * every other half of a period. */
	uint64_t rate[FAKE_EVENTS], burst[FAKE_EVENTS], half;
	unsigned capacity, modulus; /* events in a group; codes that are equal modulo it conflict */

	unsigned start_max; /* larger groups open, but do not start; 0: all do */

	unsigned fail;     /* calls that can fail (enum fake_call)      */
	unsigned fail_in;  /* the how manieth of them does; 0: none     */
	unsigned fail_for; /* and so many in all                        */
	unsigned failed;   /* that have                                 */
	unsigned starts_failed;

	struct fake_group *groups;
	unsigned open, opened, fits, starts, stops, reads, allocations;
	struct fake_group *timed; /* the one of ordinary events that runs, or the idle one */
	struct fake_group *beside[FAKE_RUNS];
	unsigned besides;
	bool sharing;
	uint32_t covariate; /* of groups that are opened now */
	void (*on_stop)(const struct fake_group *group);
	void (*on_call)(void);
	struct mpxi_core *core;
	bool in_handler;
} fake;

static bool fake_fails(enum fake_call call)
{
	if (!(fake.fail & call) || !fake.fail_in || --fake.fail_in)
		return false;
	fake.failed++;
	fake.starts_failed += call == FAKE_START;
	if (--fake.fail_for)
		fake.fail_in = 1;
	return true;
}

/* Fails the k-th of these calls, and the n - 1 after it. */
static inline void fake_fail(unsigned calls, unsigned k, unsigned n)
{
	fake.fail = calls;
	fake.fail_in = k;
	fake.fail_for = n;
	fake.failed = 0;
}

/* ---- what events have happened ----------------------------------------------------- */

static uint64_t fake_total(uint32_t code, uint64_t now)
{
	unsigned i = code % FAKE_EVENTS;
	uint64_t odd = 0;

	if (code == FAKE_CLOCK)
		return now;
	if (fake.half)
		odd = now / (2 * fake.half) * fake.half +
		      (now % (2 * fake.half) > fake.half ? now % (2 * fake.half) - fake.half : 0);
	return fake.rate[i] * now + fake.burst[i] * odd;
}

static bool fake_has(const struct fake_group *group, uint32_t code)
{
	unsigned i;

	for (i = 0; group && i < group->n; i++)
		if (group->code[i] == code)
			return true;
	return false;
}

/* Does a group that runs count the event? */
static inline bool fake_counts(uint32_t code)
{
	unsigned i, found = 0;

	if (code == FAKE_CLOCK || code == FAKE_BESIDE)
		return fake.timed;
	if (!(code & FAKE_UNLIMITED))
		return fake_has(fake.timed, code);
	for (i = 0; i < fake.besides; i++)
		found += fake_has(fake.beside[i], code);
	return found;
}

/* ---- the backend ------------------------------------------------------------------- */

static void fake_called(void)
{
	if (fake.on_call && !fake.in_handler)
		fake.on_call();
}

static int fake_fits(void *backend, const uint32_t *code, unsigned n)
{
	unsigned i, k;

	assert_ptr_equal(backend, &fake);
	fake.fits++;
	fake_called();
	if (fake_fails(FAKE_FITS))
		return mpxi_error(MPXI_ESYS, "fits fails");
	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++)
			assert_true(code[k] != code[i]);
		if (code[i] == FAKE_NOWHERE)
			return 0;
		for (k = 0; fake.modulus && k < i; k++)
			if (code[k] % fake.modulus == code[i] % fake.modulus)
				return 0;
	}
	return n <= fake.capacity;
}

static enum mpxi_role fake_role(void *backend, uint32_t code)
{
	assert_ptr_equal(backend, &fake);
	return code == FAKE_CLOCK                    ? MPXI_CLOCK
	       : code == FAKE_BESIDE                 ? MPXI_BESIDE
	       : (code & ~0xffffu) == FAKE_UNLIMITED ? MPXI_UNLIMITED
	       : (code & ~0xffffu) == FAKE_OUTSIDE   ? MPXI_OUTSIDE
						     : MPXI_ORDINARY;
}

static int fake_open(void *backend, const uint32_t *code, unsigned n, void **made)
{
	struct fake_group *group;
	unsigned i, k;

	assert_ptr_equal(backend, &fake);
	fake.opened++;
	fake_called();
	if (fake_fails(FAKE_OPEN))
		return mpxi_error(MPXI_ESYS, "open fails");
	group = malloc(sizeof(*group) + n * sizeof(*code));
	assert_non_null(group);
	group->n = n;
	group->runs = false;
	group->covariate = fake.covariate;
	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++)
			assert_true(code[k] != code[i]);
		assert_int_equal(fake_role(backend, code[i]), fake_role(backend, code[0]));
		assert_true(fake_role(backend, code[i]) <= MPXI_OUTSIDE);
		group->code[i] = code[i];
	}
	group->next = fake.groups;
	group->link = &fake.groups;
	if (group->next)
		group->next->link = &group->next;
	fake.groups = group;
	fake.open++;
	*made = group;
	return 0;
}

static void fake_free(struct fake_group *group)
{
	*group->link = group->next;
	if (group->next)
		group->next->link = group->link;
	fake.open--;
	free(group);
}

static void fake_close(void *backend, void *group)
{
	assert_ptr_equal(backend, &fake);
	assert_false(((struct fake_group *)group)->runs);
	fake_free(group);
}

static bool fake_is_beside(const struct fake_group *group)
{
	return group->n && group->code[0] & FAKE_UNLIMITED;
}

static bool fake_is_outside(const struct fake_group *group)
{
	return group->n && fake_role(&fake, group->code[0]) == MPXI_OUTSIDE;
}

/* What no handler may touch is touched in none. */
static void fake_touched(const struct fake_group *group)
{
	if (fake_is_outside(group))
		assert_false(fake.in_handler || mpxi_in_handler);
}

static int fake_start(void *handle)
{
	struct fake_group *group = handle;

	unsigned i;

	fake_touched(group);
	for (i = 0; i < fake.besides; i++)
		assert_false(fake_is_outside(group) && fake_is_outside(fake.beside[i]));
	fake.now += fake.cost;
	fake.starts++;
	fake_called();
	if (fake_fails(FAKE_START) || (fake.start_max && group->n > fake.start_max))
		return MPXI_ESYS;
	assert_false(group->runs);
	if (fake_is_beside(group)) {
		assert_in_range(fake.besides, 0, FAKE_RUNS - 1);
		fake.beside[fake.besides++] = group;
	} else {
		assert_null(fake.timed);
		fake.timed = group;
	}
	group->runs = true;
	group->begin = fake.now;
	return 0;
}

static void fake_sample(const struct fake_group *group, struct mpxi_sample *sample)
{
	uint64_t now = fake.counted_to ? fake.counted_to : fake.now;
	unsigned i;

	sample->size = now - group->begin;
	sample->covariate = fake_total(group->covariate, now) - fake_total(group->covariate, group->begin);
	if (group->covariate == FAKE_NOWHERE)
		sample->covariate = 0;
	/* Beside another one they are not to be relied on. */
	if (fake_is_beside(group))
		sample->size = sample->covariate = UINT64_MAX / 3;
	for (i = 0; i < group->n; i++)
		sample->count[i] = fake_total(group->code[i], now) - fake_total(group->code[i], group->begin);
}

static int fake_read(void *handle, struct mpxi_sample *sample)
{
	struct fake_group *group = handle;

	fake_touched(group);
	fake.reads++;
	fake_called();
	assert_true(group->runs);
	if (fake_fails(FAKE_READ))
		return MPXI_ESYS;
	fake_sample(group, sample);
	fake.now += fake.cost;
	return 0;
}

static int fake_stop(void *handle, struct mpxi_sample *sample)
{
	struct fake_group *group = handle;
	unsigned i;

	fake_touched(group);
	fake.stops++;
	fake_called();
	assert_true(group->runs);
	group->runs = false;
	if (group == fake.timed)
		fake.timed = NULL;
	for (i = 0; i < fake.besides; i++)
		if (fake.beside[i] == group)
			fake.beside[i--] = fake.beside[--fake.besides];
	if (fake.on_stop)
		fake.on_stop(group);
	if (fake_fails(FAKE_STOP))
		return MPXI_ESYS;
	fake_sample(group, sample);
	fake.now += fake.cost;
	return 0;
}

/* None is one that no counter holds. */
static void fake_choose(void *backend, const uint32_t *covariate)
{
	assert_ptr_equal(backend, &fake);
	fake.covariate = covariate ? *covariate : FAKE_NOWHERE;
}

static const struct mpxi_backend_ops fake_ops = {
	fake_fits, fake_role, fake_open, fake_close, fake_start, fake_read, fake_stop, fake_choose,
};

static int fake_sharing(void *arg, bool on)
{
	assert_ptr_equal(arg, &fake);
	assert_int_not_equal(on, fake.sharing);
	if (on && fake_fails(FAKE_SHARING))
		return mpxi_error(MPXI_ESYS, "sharing fails");
	fake.sharing = on;
	return 0;
}

static uint64_t fake_cpu(void *cpu)
{
	(void)cpu;
	return fake.pace * fake.now;
}

static bool fake_overdue(void *arg)
{
	assert_ptr_equal(arg, &fake);
	fake.sought++;
	return fake.blocked;
}

/* ---- memory: linked with --wrap=calloc and --wrap=realloc ---------------------------- */

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	fake.allocations++;
	return fake_fails(FAKE_MEMORY) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	fake.allocations++;
	return fake_fails(FAKE_MEMORY) ? NULL : __real_realloc(p, size);
}

/* ---- for tests ----------------------------------------------------------------------- */

/* Of cores that are made from now on: of another thread; whether its CPU time is the clock. */
static bool fake_apart, fake_by_cpu;

/* A new core over counters that hold so many events; event i comes at rate i + 1. A slice is
 * of so much CPU time, and of 1000 of the clock; 0: as ticks have it. */
static inline void fake_make(unsigned capacity, uint64_t slice, bool covariate)
{
	struct mpxi_core_options options = {
		.ops = &fake_ops,
		.backend = &fake,
		.seed = 1,
		.sharing = fake_sharing,
		.arg = &fake,
		.cpu_sig = fake_cpu,
		.slice_ns = slice,
		.apart = fake_apart,
		.by_cpu = fake_by_cpu,
		.overdue = fake_overdue,
		.covariate = covariate,
	};
	unsigned i;

	memset(&fake, 0, sizeof(fake));
	fake.covariate = FAKE_BESIDE; /* in samples, whether the core looks at it or not */
	fake.capacity = capacity;
	fake.now = 1000;
	fake.pace = slice ? slice / 1000 : 1;
	for (i = 0; i < FAKE_EVENTS; i++)
		fake.rate[i] = i + 1;
	assert_int_equal(mpxi_core_create(&options, &fake.core), 0);
}

static inline void fake_create_sliced(unsigned capacity, uint64_t slice)
{
	fake_make(capacity, slice, true);
}

static inline void fake_create(unsigned capacity)
{
	fake_create_sliced(capacity, 0);
}

/* Nothing runs any more, and all is closed. */
static inline void fake_destroy(void)
{
	mpxi_core_destroy(fake.core);
	assert_null(fake.timed);
	assert_int_equal(fake.besides, 0);
	assert_int_equal(fake.open, 0);
}

static inline bool fake_tick(void)
{
	bool switched;

	fake.in_handler = true;
	switched = mpxi_core_tick_sig(fake.core);
	fake.in_handler = false;
	return switched;
}

/* n slices of this length. */
static inline void fake_slices(unsigned n, uint64_t length)
{
	while (n--) {
		fake.now += length;
		fake_tick();
	}
}

/* A set of the events from..to. */
static inline struct mpxi_set *fake_set(uint32_t from, uint32_t to)
{
	struct mpxi_set *set;

	assert_int_equal(mpxi_set_create(fake.core, &set), 0);
	for (; from <= to; from++)
		assert_true(mpxi_set_add(set, from) >= 0);
	return set;
}

static inline unsigned fake_index(const struct mpxi_set *set, uint32_t code)
{
	unsigned i;

	for (i = 0; i < mpxi_set_events(set); i++)
		if (mpxi_set_event(set, i) == code)
			return i;
	fail_msg("the set has no event 0x%x", code);
	return 0;
}

static inline const struct mpxi_window *fake_window(const struct mpxi_set *set, uint32_t code)
{
	return mpxi_set_window(set, fake_index(set, code));
}

/* T, S_e, C_e, and the same by the covariate, of an event that the counters held for size of
 * the time. */
static inline void assert_window(const struct mpxi_set *set, uint32_t code, uint64_t time, uint64_t size)
{
	const struct mpxi_window *window = fake_window(set, code);
	uint64_t rate = code == FAKE_CLOCK ? 1 : code % FAKE_EVENTS + 1;

	assert_int_equal(window->time, time);
	assert_int_equal(window->sums.size, size);
	assert_int_equal(window->sums.count, rate * size);
	if (mpxi_set_window_by_covariate(set, 0)) {
		window = mpxi_set_window_by_covariate(set, fake_index(set, code));
		assert_true(window->by_covariate && window->clock_time == time && window->clock_size == size);
		assert_int_equal(window->sums.size, fake.rate[FAKE_BESIDE % FAKE_EVENTS] * size);
		assert_int_equal(window->time, fake.rate[FAKE_BESIDE % FAKE_EVENTS] * time);
		assert_int_equal(window->sums.count, rate * size);
	}
}

static inline void assert_exact(const struct mpxi_set *set, uint32_t code, uint64_t time)
{
	assert_window(set, code, time, time);
	assert_true(fake_window(set, code)->exact);
}

/* The event's entry in the master list; references 0: it has none. */
static inline struct mpxi_master fake_master(uint32_t code)
{
	static struct mpxi_master list[FAKE_EVENTS + 8];
	unsigned i, n = mpxi_core_master(fake.core, list, FAKE_EVENTS + 8);

	for (i = 0; i < n; i++)
		if (list[i].event == code)
			return list[i];
	return (struct mpxi_master){.group = UINT_MAX};
}

static inline struct mpxi_core_info fake_info(void)
{
	struct mpxi_core_info info;

	mpxi_core_info(fake.core, &info);
	return info;
}

#endif
