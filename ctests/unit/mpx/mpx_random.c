/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs of event sets against a model that knows nothing of groups, marks or
 * corrections: whenever time passes, it looks which events the backend counts and adds
 * that to each set that runs. All is in integers and has to agree to the last count.
 *
 * UPC_TEST_CASES sets the number of programs (1000), UPC_TEST_SEED where to begin (1):
 * a failure names the seed of its program.
 */
#include <math.h>
#include "mpx_fake.h"

enum { SETS = 8, SET_EVENTS = 8, STEPS = 300, CODES = 22 };

struct entry {
	uint32_t code;
	uint64_t size, count, happened;
	bool broken; /* it was not counted all the time */
	bool always; /* the set wants it in every group */
	bool moved;  /* its group was stopped, and no time has passed until another one counts it */
};

struct model_set {
	struct mpxi_set *set;
	bool running;
	bool unsure; /* groups were switched at the end of its start: exactness is open */
	uint64_t time;
	unsigned n;
	struct entry entry[SET_EVENTS];
};

static struct model_set sets[SETS];
static uint64_t now_T, seed, tick_random;
static unsigned tick_every, ticks_in_calls;
static bool starts_fail, with_always;
static bool ever_always[CODES]; /* some set has wanted it so */

static uint32_t code_of(unsigned i)
{
	if (i == CODES - 1)
		return FAKE_CLOCK;
	if (i == CODES - 2)
		return FAKE_BESIDE;
	if (i >= CODES - 4)
		return FAKE_OUTSIDE + i;
	return i >= CODES - 6 ? FAKE_UNLIMITED + i : i;
}

static unsigned number_of(uint32_t code)
{
	unsigned i = 0;

	while (code_of(i) != code)
		i++;
	return i;
}

static bool is_outside(uint32_t code)
{
	return (code & ~0xffffu) == FAKE_OUTSIDE;
}

static void bad(const char *what, uint32_t code)
{
	fail_msg("seed %llu, event 0x%x: %s", (unsigned long long)seed, code, what);
}

/* ---- the model ----------------------------------------------------------------------- */

static void each_entry(void (*visit)(struct model_set *set, struct entry *entry, const void *arg),
		       const void *arg)
{
	unsigned s, i;

	for (s = 0; s < SETS; s++)
		for (i = 0; sets[s].running && i < sets[s].n; i++)
			visit(&sets[s], &sets[s].entry[i], arg);
}

static void pass(struct model_set *set, struct entry *entry, const void *arg)
{
	const uint64_t *until = arg;
	uint64_t size = *until - fake.now;
	uint64_t count = fake_total(entry->code, *until) - fake_total(entry->code, fake.now);

	(void)set;
	entry->happened += count;
	if (!fake_counts(entry->code)) {
		entry->broken = true;
		return;
	}
	/* While no group runs T stands still; unlimited events go on. */
	entry->size += fake.timed ? size : 0;
	entry->count += count;
}

static void let_time_pass(uint64_t size)
{
	uint64_t until = fake.now + size;
	unsigned s;

	each_entry(pass, &until);
	if (fake.timed) {
		now_T += size;
		for (s = 0; s < SETS; s++)
			sets[s].time += sets[s].running ? size : 0;
	}
	fake.now = until;
}

static void stopped(struct model_set *set, struct entry *entry, const void *arg)
{
	(void)set;
	if (!fake_has(arg, entry->code))
		return;
	if (is_outside(entry->code))
		entry->moved = true;
	else
		entry->broken = true;
}

static void on_stop(const struct fake_group *group)
{
	each_entry(stopped, group);
}

/* The clock has missed something. */
static void lose(struct model_set *set, struct entry *entry, const void *arg)
{
	(void)set;
	(void)arg;
	if (entry->code == FAKE_CLOCK || entry->code == FAKE_BESIDE)
		entry->broken = true;
}

/* ---- what has to hold after each step ------------------------------------------------ */

static void check_scheduled(struct model_set *set, struct entry *entry, const void *arg)
{
	unsigned i, found = 0;

	(void)set;
	(void)arg;
	if ((entry->code & ~0xffffu) != FAKE_UNLIMITED && !is_outside(entry->code))
		return;
	for (i = 0; i < fake.besides; i++)
		found += fake_has(fake.beside[i], entry->code);
	if (found != 1)
		bad("an unlimited event does not run, or twice", entry->code);
}

static bool is_active(uint32_t code)
{
	unsigned s, i;

	for (s = 0; s < SETS; s++)
		for (i = 0; sets[s].running && i < sets[s].n; i++)
			if (sets[s].entry[i].code == code)
				return true;
	return false;
}

static void check_backend(void)
{
	unsigned s, i, running = 0;
	bool useful = false;

	for (s = 0; s < SETS; s++)
		running += sets[s].running;
	if (!running && (fake.timed || fake.besides))
		bad("something runs for nobody", 0);
	if (running && !fake.timed && !starts_fail)
		bad("nothing runs", 0);
	for (i = 0; fake.timed && i < fake.timed->n; i++)
		/* Events that were in every group stay in them for a while. */
		useful |= is_active(fake.timed->code[i]) || ever_always[number_of(fake.timed->code[i])];
	if (fake.timed && fake.timed->n && !useful)
		bad("a group runs that has no active event", 0);
	for (i = 0; i < fake.besides; i++) {
		const struct fake_group *group = fake.beside[i];
		unsigned k;

		for (k = 0, useful = false; k < group->n; k++)
			useful |= is_active(group->code[k]);
		if (!useful)
			bad("unlimited events run for nobody", 0);
	}
	if (!starts_fail)
		each_entry(check_scheduled, NULL);
}

static void check_master(void)
{
	struct mpxi_master list[CODES];
	unsigned ticks = ticks_in_calls;
	unsigned n = mpxi_core_master(fake.core, list, CODES), i, s, k, events = 0;

	for (i = 0; i < CODES; i++) {
		unsigned references = 0, activations = 0, found = 0;

		for (s = 0; s < SETS; s++)
			for (k = 0; sets[s].set && k < sets[s].n; k++)
				if (sets[s].entry[k].code == code_of(i)) {
					references++;
					activations += sets[s].running;
				}
		for (k = 0; k < n; k++)
			if (list[k].event == code_of(i)) {
				found++;
				assert_int_equal(list[k].references, references);
				assert_int_equal(list[k].activations, activations);
				if (ticks_in_calls == ticks)
					assert_int_equal(list[k].current,
							 activations && fake_counts(list[k].event));
			}
		assert_int_equal(found, references > 0);
		events += references > 0;
	}
	assert_int_equal(n, events);
	assert_int_equal(fake_info().time, now_T);
}

static void check_windows(const struct model_set *set)
{
	unsigned i;

	for (i = 0; i < set->n; i++) {
		const struct mpxi_window *window = mpxi_set_window(set->set, i);
		const struct entry *entry = &set->entry[i];

		if (window->time != set->time)
			bad("T is wrong", entry->code);
		if (window->sums.size != entry->size)
			bad("S is wrong", entry->code);
		/* Counts in a slice of no length wait for its end. */
		if (window->sums.count != entry->count && !(starts_fail && !fake.timed))
			bad("C is wrong", entry->code);
		/* The first try to start the other group may have failed, and the next one not. */
		if (window->exact != !entry->broken && !set->unsure && !ever_always[number_of(entry->code)] &&
		    !(entry->moved && starts_fail))
			bad("exact is wrong", entry->code);
		if (entry->always && !window->exact && !starts_fail && !set->unsure)
			bad("always counted and not exact", entry->code);
		if (window->exact && entry->count != entry->happened)
			bad("exact and not all", entry->code);
		if (window->sums.size + window->unknown > window->time)
			bad("unknown time is wrong", entry->code);
	}
}

/* ---- programs -------------------------------------------------------------------------- */

static void tick_in_a_call(void)
{
	if (!tick_every || random_next(&tick_random) % tick_every)
		return;
	ticks_in_calls++;
	if (mpxi_core_tick_sig(fake.core))
		bad("a tick switched in the middle of a call", 0);
}

static void create(struct model_set *set, uint64_t *random)
{
	unsigned i, n = 1 + (unsigned)(random_next(random) % SET_EVENTS);

	fake_fail(0, 0, 0);
	memset(set, 0, sizeof(*set));
	assert_int_equal(mpxi_set_create(fake.core, &set->set), 0);
	while (n--) {
		uint32_t code = code_of((unsigned)(random_next(random) % CODES));

		for (i = 0; i < set->n && set->entry[i].code != code; i++)
			;
		if (i < set->n) {
			assert_int_equal(mpxi_set_add(set->set, code), MPXI_ECNFLCT);
			continue;
		}
		assert_int_equal(mpxi_set_add(set->set, code), i);
		set->entry[set->n++] = (struct entry){.code = code};
	}
}

/* A set's counts are zero from now on. ticks: ticks_in_calls before the call. */
static void begin(struct model_set *set, unsigned ticks)
{
	unsigned i;

	set->time = 0;
	set->unsure = ticks != ticks_in_calls;
	for (i = 0; i < set->n; i++) {
		struct entry *entry = &set->entry[i];

		entry->size = entry->count = entry->happened = 0;
		entry->broken = !fake_counts(entry->code);
		entry->moved = false;
	}
}

/* Events may not fit beside those that are in every group. */
static bool is_wanted_always(const struct model_set *starts)
{
	unsigned s, i;

	for (s = 0; s < SETS; s++)
		for (i = 0; (sets[s].running || &sets[s] == starts) && i < sets[s].n; i++)
			if (sets[s].entry[i].always)
				return true;
	return false;
}

static void toggle_always(struct model_set *set, unsigned i)
{
	struct entry *entry = &set->entry[i];

	entry->always = !entry->always;
	ever_always[number_of(entry->code)] = true;
	assert_int_equal(mpxi_set_always(set->set, i, entry->always), 0);
	assert_int_equal(mpxi_set_is_always(set->set, i), entry->always);
}

static void start(struct model_set *set)
{
	unsigned ticks = ticks_in_calls, failed = fake.starts_failed;
	int error = mpxi_set_start(set->set);

	if (error && !starts_fail && !(error == MPXI_ECNFLCT && is_wanted_always(set)))
		bad(mpxi_last_message(), 0);
	/* The starts failed before this set began. */
	if (fake.starts_failed != failed)
		each_entry(lose, NULL);
	set->running = !error;
	assert_int_equal(mpxi_set_runs(set->set), set->running);
	begin(set, ticks);
}

static void remove_one(struct model_set *set, unsigned i)
{
	if (set->n < 2)
		return;
	assert_int_equal(mpxi_set_remove(set->set, set->entry[i].code), 0);
	set->n--;
	memmove(set->entry + i, set->entry + i + 1, (set->n - i) * sizeof(set->entry[0]));
}

static void destroy(struct model_set *set)
{
	set->running = false;
	mpxi_set_destroy(set->set);
	set->set = NULL;
}

static void step_stopped(struct model_set *set, uint64_t *random)
{
	if (with_always && random_next(random) % 4 == 0)
		toggle_always(set, (unsigned)(random_next(random) % set->n));
	switch (random_next(random) % 6) {
	case 0:
		destroy(set);
		break;
	case 1:
		remove_one(set, (unsigned)(random_next(random) % set->n));
		break;
	default:
		start(set);
	}
}

/* The values of a plain read equal the estimates of the windows just before and after it, where
 * these are the same. */
static void check_values(struct model_set *set, enum mpxi_estimator estimator)
{
	struct mpxi_window before[SET_EVENTS];
	long long value[SET_EVENTS];
	struct mpxi_estimate estimate;
	unsigned i, n = mpxi_set_events(set->set);

	assert_true(n <= SET_EVENTS);
	assert_int_equal(mpxi_set_read(set->set), 0);
	for (i = 0; i < n; i++)
		before[i] = *mpxi_set_window(set->set, i);
	assert_int_equal(mpxi_set_values(set->set, estimator, value), 0);
	assert_int_equal(mpxi_set_read(set->set), 0);
	for (i = 0; i < n; i++) {
		const struct mpxi_window *window = mpxi_set_window(set->set, i);

		if (window->time != before[i].time || window->sums.size != before[i].sums.size ||
		    window->sums.count != before[i].sums.count)
			continue;
		mpxi_estimate(window, estimator, &estimate);
		if (estimate.never)
			assert_int_equal(value[i], -1);
		else if (fabs((double)value[i] - estimate.value) > 1 + 1e-9 * estimate.value)
			fail_msg("%lld, and its window is worth %g", value[i], estimate.value);
	}
}

static void step_running(struct model_set *set, uint64_t *random)
{
	struct model_set was = *set;
	unsigned ticks = ticks_in_calls;

	switch (random_next(random) % 9) {
	case 8:
		check_values(set, random_next(random) % 2 ? MPXI_INTERPOLATED : MPXI_RATIO);
		break;
	case 0:
		destroy(set);
		break;
	case 1:
		assert_int_equal(mpxi_set_reset(set->set), 0);
		begin(set, ticks);
		break;
	case 2:
	case 3:
		set->running = false;
		assert_int_equal(mpxi_set_stop(set->set), 0);
		check_windows(&was);
		break;
	default:
		/* It may end slices after it: the windows are those before. */
		assert_int_equal(mpxi_set_read(set->set), 0);
		check_windows(&was);
	}
}

static void step(struct model_set *set, uint64_t *random)
{
	unsigned failed = fake.starts_failed;

	if (!set->set) {
		create(set, random);
	} else if (!set->running) {
		step_stopped(set, random);
	} else {
		step_running(set, random);
		if (fake.starts_failed != failed)
			each_entry(lose, NULL);
	}
}

static void program(void)
{
	uint64_t random = seed * 1000003;
	unsigned i, failed;

	fake_create(1 + (unsigned)(random_next(&random) % 5));
	if (random_next(&random) % 3 == 0)
		fake.modulus = 3 + (unsigned)(random_next(&random) % 9);
	fake.half = random_next(&random) % 200;
	for (i = 0; i < FAKE_EVENTS; i++)
		fake.burst[i] = random_next(&random) % 4 ? 0 : random_next(&random) % 100;
	starts_fail = random_next(&random) % 4 == 0;
	with_always = !starts_fail && seed % 2;
	memset(ever_always, 0, sizeof(ever_always));
	tick_random = random_next(&random);
	tick_every = random_next(&random) % 2 ? 0 : 1 + (unsigned)(random_next(&random) % 40);
	fake.on_stop = on_stop;
	fake.on_call = tick_in_a_call;
	memset(sets, 0, sizeof(sets));
	now_T = 0;
	for (i = 0; i < STEPS; i++) {
		let_time_pass(random_next(&random) % 100 ? 1 + random_next(&random) % 50 : 0);
		if (starts_fail && random_next(&random) % 8 == 0)
			fake_fail(FAKE_START | FAKE_OPEN | FAKE_MEMORY,
				  1 + (unsigned)(random_next(&random) % 4), 1);
		if (random_next(&random) % 3)
			step(&sets[random_next(&random) % SETS], &random);
		failed = fake.starts_failed;
		if (random_next(&random) % 2)
			fake_tick();
		if (fake.starts_failed != failed)
			each_entry(lose, NULL);
		fake_fail(0, 0, 0);
		check_backend();
		check_master();
	}
	fake.on_stop = NULL;
	fake_destroy();
}

TEST(programs)
{
	const char *cases = getenv("UPC_TEST_CASES"), *first = getenv("UPC_TEST_SEED");
	uint64_t n = cases ? strtoull(cases, NULL, 0) : 1000;

	seed = first ? strtoull(first, NULL, 0) : 1;
	for (; n--; seed++)
		program();
}

UNIT_TESTS(mpx_random, NULL, NULL)
