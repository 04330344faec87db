/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_fake.c - the backend, the calls to it that fail, and what tests make of it.
 */
#include "mpx_fake.h"

struct fake fake;

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

void fake_fail(unsigned calls, unsigned k, unsigned n)
{
	fake.fail = calls;
	fake.fail_in = k;
	fake.fail_for = n;
	fake.failed = 0;
}

/* ---- what events have happened ----------------------------------------------------- */

uint64_t fake_total(uint32_t code, uint64_t now)
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

bool fake_has(const struct fake_group *group, uint32_t code)
{
	unsigned i;

	for (i = 0; group && i < group->n; i++)
		if (group->code[i] == code)
			return true;
	return false;
}

bool fake_counts(uint32_t code)
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

int fake_fits(void *backend, const uint32_t *code, unsigned n)
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

static bool fake_slows(void *backend, uint32_t code)
{
	assert_ptr_equal(backend, &fake);
	return code < fake.slow;
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

void fake_free(struct fake_group *group)
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

bool fake_is_beside(const struct fake_group *group)
{
	return group->n && group->code[0] & FAKE_UNLIMITED;
}

static bool fake_is_outside(const struct fake_group *group)
{
	return group->n && fake_role(&fake, group->code[0]) == MPXI_OUTSIDE;
}

/* Checks that no handler touches a group that handlers may not touch. */
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

const struct mpxi_backend_ops fake_ops = {
	fake_fits, fake_role, fake_open,   fake_close, fake_start,
	fake_read, fake_stop, fake_choose, fake_slows,
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

bool fake_apart, fake_by_cpu;

void fake_make(unsigned capacity, uint64_t slice, bool covariate)
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

void fake_create_sliced(unsigned capacity, uint64_t slice)
{
	fake_make(capacity, slice, true);
}

void fake_create(unsigned capacity)
{
	fake_create_sliced(capacity, 0);
}

void fake_destroy(void)
{
	mpxi_core_destroy(fake.core);
	assert_null(fake.timed);
	assert_int_equal(fake.besides, 0);
	assert_int_equal(fake.open, 0);
}

bool fake_tick(void)
{
	bool switched;

	fake.in_handler = true;
	switched = mpxi_core_tick_sig(fake.core);
	fake.in_handler = false;
	return switched;
}

void fake_slices(unsigned n, uint64_t length)
{
	while (n--) {
		fake.now += length;
		fake_tick();
	}
}

struct mpxi_set *fake_set(uint32_t from, uint32_t to)
{
	struct mpxi_set *set;

	assert_int_equal(mpxi_set_create(fake.core, &set), 0);
	for (; from <= to; from++)
		assert_true(mpxi_set_add(set, from) >= 0);
	return set;
}

struct mpxi_set *fake_running(uint32_t from, uint32_t to)
{
	struct mpxi_set *set = fake_set(from, to);

	assert_int_equal(mpxi_set_start(set), 0);
	return set;
}

unsigned fake_index(const struct mpxi_set *set, uint32_t code)
{
	unsigned i;

	for (i = 0; i < mpxi_set_events(set); i++)
		if (mpxi_set_event(set, i) == code)
			return i;
	fail_msg("the set has no event 0x%x", code);
	return 0;
}

const struct mpxi_window *fake_window(const struct mpxi_set *set, uint32_t code)
{
	return mpxi_set_window(set, fake_index(set, code));
}

void assert_window(const struct mpxi_set *set, uint32_t code, uint64_t time, uint64_t size)
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

void assert_exact(const struct mpxi_set *set, uint32_t code, uint64_t time)
{
	assert_window(set, code, time, time);
	assert_true(fake_window(set, code)->exact);
}

struct mpxi_master fake_master(uint32_t code)
{
	static struct mpxi_master list[FAKE_EVENTS + 8];
	unsigned i, n = mpxi_core_master(fake.core, list, FAKE_EVENTS + 8);

	for (i = 0; i < n; i++)
		if (list[i].event == code)
			return list[i];
	return (struct mpxi_master){.group = UINT_MAX};
}

struct mpxi_core_info fake_info(void)
{
	struct mpxi_core_info info;

	mpxi_core_info(fake.core, &info);
	return info;
}
