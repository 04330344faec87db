/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The segment engine against the reference: random configurations, signals,
 * preloads, thresholds, flips and accesses, all counters at a time, every event in
 * order. Where no stepping gets, runs are compared with the same run in parts. Runs
 * up to the first event, with software that acts on it, too.
 *
 * UPC_TEST_ROUNDS multiplies the number of random cases.
 */
#include "engine/engine.h"
#include "../unit_test.h"

#define LOG_MAX 2048

struct event {
	enum upci_engine_event event;
	unsigned counter;
	uint64_t cycle;
};

struct side {
	const struct upci_engine_ops *ops;
	struct upci_engine *engine;
	unsigned events;
	struct event event[LOG_MAX];
};

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct side *s = arg;

	assert_in_range(s->events, 0, LOG_MAX - 1);
	s->event[s->events++] = (struct event){event, counter, cycle};
}

static void side_open(struct side *s, const struct upci_engine_ops *ops)
{
	const struct upci_engine_sink sink = {on_event, s};

	s->ops = ops;
	s->engine = ops->create(&sink);
	s->events = 0;
	assert_non_null(s->engine);
}

static void side_close(struct side *s)
{
	s->ops->destroy(s->engine);
}

static uint64_t side_read(struct side *s, unsigned offset)
{
	uint64_t value = 0;

	assert_int_equal(s->ops->read(s->engine, offset, &value), 0);
	return value;
}

static void side_write(struct side *s, unsigned offset, uint64_t value)
{
	assert_int_equal(s->ops->write(s->engine, offset, value), 0);
}

static void assert_same_events(struct side *a, struct side *b)
{
	unsigned n;

	for (n = 0; n < a->events && n < b->events; n++) {
		const struct event *x = &a->event[n], *y = &b->event[n];

		if (x->event != y->event || x->counter != y->counter || x->cycle != y->cycle)
			fail_msg("event %u: %d of counter %u in cycle %llu, and %d of %u in %llu", n,
				 x->event, x->counter, (unsigned long long)x->cycle, y->event, y->counter,
				 (unsigned long long)y->cycle);
	}
	assert_int_equal(a->events, b->events);
	a->events = b->events = 0;
}

static void assert_same_registers(struct side *a, struct side *b, unsigned from)
{
	unsigned offset;

	for (offset = from; offset <= UPC_REG_THRESHOLD; offset += 8) {
		uint64_t x = side_read(a, offset), y = side_read(b, offset);

		if (x != y)
			fail_msg("register 0x%03x: 0x%016llx and 0x%016llx", offset, (unsigned long long)x,
				 (unsigned long long)y);
	}
	assert_true(a->ops->cycles(a->engine) == b->ops->cycles(b->engine));
}

/* ---- random cases --------------------------------------------------------- */

static uint64_t seed;

static uint64_t pick(uint64_t below)
{
	return random_next(&seed) % below;
}

/* 0 or more, small ones as likely as large. */
static uint64_t any_size(unsigned bits)
{
	uint64_t shift = 63 - pick(bits);

	return random_next(&seed) >> shift;
}

static struct upci_wave random_wave(void)
{
	struct upci_wave w = {1, 0, 0};

	switch (pick(8)) {
	case 0: /* constant, in periods of any length */
		w.period = 1 + pick(3);
		w.high = pick(2) ? w.period : 0;
		break;
	case 1: /* nearly always high: carries as fast as they come */
		w.period = 1000 + pick(100000);
		w.high = w.period - pick(2);
		break;
	case 2:
		w.period = any_size(64);
		w.period += !w.period;
		w.high = pick(2) ? w.period - pick(w.period < 5 ? w.period : 5) : pick(w.period);
		break;
	case 3: /* in step with the array update */
		w.period = 4096 + pick(3) - 1;
		w.high = pick(w.period + 1);
		break;
	default:
		w.period = 1 + pick(8);
		w.high = pick(w.period + 1);
	}
	w.phase = pick(2) ? pick(w.period) : w.period - 1 - pick(w.period < 4 ? w.period : 4);
	return w;
}

static void random_waves(struct upci_wave *wave)
{
	unsigned i;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = random_wave();
}

static uint64_t random_length(void)
{
	uint64_t beside = pick(3) - 1; /* -1, 0 or 1 */

	switch (pick(16)) {
	case 0:
		return 4096 * (1 + pick(3)) + beside;
	case 1:
		return 1 + pick(20000);
	case 2:
	case 3:
	case 4:
		return 16 * (1 + pick(16)) + beside;
	default:
		return 1 + pick(300);
	}
}

/* A value that carries soon, of a word that meets the threshold soon. */
static uint64_t random_value(uint64_t threshold)
{
	uint64_t low = pick(2) ? 4095 - any_size(12) : pick(4096);
	uint64_t word = (threshold >> 12) - pick(4);

	if (pick(16) == 0)
		return random_next(&seed);
	return word << 12 | low;
}

static void random_access(struct side *a, struct side *b)
{
	static const uint64_t thresholds[] = {0, 0x1000, 0x5fff, UINT64_MAX, UINT64_C(1) << 63};
	uint64_t threshold = side_read(a, UPC_REG_THRESHOLD), value;
	unsigned i = (unsigned)pick(UPC_COUNTERS), bit;

	switch (pick(12)) {
	case 0:
		value = pick(4) != 0;
		side_write(a, UPC_REG_START_STOP, value);
		side_write(b, UPC_REG_START_STOP, value);
		break;
	case 1:
		value = pick(4) ? thresholds[pick(5)] : random_next(&seed);
		side_write(a, UPC_REG_THRESHOLD, value);
		side_write(b, UPC_REG_THRESHOLD, value);
		break;
	case 2:
	case 3: /* one group's fields, most with interrupts */
		value = random_next(&seed);
		if (pick(2))
			value |= 0x1010101010101010u;
		side_write(a, UPC_REG_CONFIG(i / 8), value);
		side_write(b, UPC_REG_CONFIG(i / 8), value);
		break;
	case 4: /* only modes change */
		value = side_read(a, UPC_REG_CONFIG(i / 8)) ^ (random_next(&seed) & 0x0c0c0c0c0c0c0c0cu);
		side_write(a, UPC_REG_CONFIG(i / 8), value);
		side_write(b, UPC_REG_CONFIG(i / 8), value);
		break;
	case 5:
	case 6:
	case 7:
		value = random_value(threshold);
		side_write(a, UPC_REG_COUNTER(i), value);
		side_write(b, UPC_REG_COUNTER(i), value);
		break;
	case 8:
		bit = (unsigned)(pick(2) ? pick(52) : pick(3));
		a->ops->flip(a->engine, i, bit);
		b->ops->flip(b->engine, i, bit);
		break;
	case 9:
		assert_true(side_read(a, UPC_REG_COUNTER(i)) == side_read(b, UPC_REG_COUNTER(i)));
		break;
	case 10: /* outside the map */
		bit = (unsigned)(pick(2) ? pick(0x918) | 1 : 0x918 + pick(0x10000));
		assert_int_equal(b->ops->read(b->engine, bit, &value), UPC_EFAULT);
		assert_int_equal(b->ops->write(b->engine, bit, value), UPC_EFAULT);
		break;
	default:
		side_write(b, UPC_REG_STATUS, UINT64_MAX);
	}
}

/* From any state of the unit, and near all that can happen. */
static void random_state(struct side *a, struct side *b)
{
	uint64_t threshold = pick(2) ? 0x3000 : random_next(&seed), value;
	unsigned i;

	side_write(a, UPC_REG_THRESHOLD, threshold);
	side_write(b, UPC_REG_THRESHOLD, threshold);
	for (i = 0; i < UPC_COUNTERS; i++) {
		value = random_value(threshold);
		side_write(a, UPC_REG_COUNTER(i), value);
		side_write(b, UPC_REG_COUNTER(i), value);
	}
	for (i = 0; i < UPC_COUNTERS / 8; i++) {
		value = random_next(&seed) | 0x1010101010101010u;
		side_write(a, UPC_REG_CONFIG(i), value);
		side_write(b, UPC_REG_CONFIG(i), value);
	}
	side_write(a, UPC_REG_START_STOP, 1);
	side_write(b, UPC_REG_START_STOP, 1);
}

/* n cases, times UPC_TEST_ROUNDS; valgrind, fifty times as slow, gets fewer. */
static unsigned cases_for(unsigned n)
{
	const char *text = getenv("UPC_TEST_ROUNDS");

	if (getenv("UPC_TEST_INEXACT"))
		return n / 5 + 1;
	return text && atoi(text) > 0 ? n * (unsigned)atoi(text) : n;
}

TEST(test_against_reference)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned n, cases = cases_for(200), run, k;
	uint64_t events[2] = {0, 0};

	for (n = 0; n < cases; n++) {
		seed = n;
		side_open(&a, &upci_engine_reference);
		side_open(&b, &upci_engine_segment);
		for (run = 0; run < 15; run++) {
			uint64_t length = random_length(), from = a.ops->cycles(a.engine);

			if (run % 5 == 0)
				random_state(&a, &b);
			for (k = (unsigned)any_size(6); k; k--)
				random_access(&a, &b);
			if (run % 4 == 0)
				random_waves(wave);
			a.ops->run_waves(a.engine, wave, length);
			b.ops->run_waves(b.engine, wave, length);
			for (k = 0; k < a.events; k++)
				events[a.event[k].event]++;
			assert_same_events(&a, &b);
			/* Counters only now and then: reading one checks its parity. */
			assert_same_registers(&a, &b, pick(8) ? UPC_REG_CONFIG(0) : 0);
			assert_same_events(&a, &b);
			assert_int_equal(b.ops->cycles(b.engine), from + length);
		}
		assert_same_registers(&a, &b, 0);
		assert_same_events(&a, &b);
		assert_true(b.ops->cycles_closed(b.engine) == b.ops->cycles(b.engine));
		side_close(&a);
		side_close(&b);
	}
	/* The cases do reach what they are made for. */
	print_message("# %llu parity errors, %llu interrupts in runs\n", (unsigned long long)events[0],
		      (unsigned long long)events[1]);
	assert_true(events[UPCI_ENGINE_PARITY] > 3 * cases);
	assert_true(events[UPCI_ENGINE_INTERRUPT] > 20 * cases);
}

/*
 * Carries beside visits, at one count a cycle: each counter carries within two
 * cycles of its visit, its threshold is one that it meets there, and the run ends
 * within some cycles of one counter's.
 */
TEST(test_beside_visits)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned n, cases = cases_for(150), i, run;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 1, 0};
	for (n = 0; n < cases; n++) {
		uint64_t threshold, t, length, visit;

		seed = 3000000 + n;
		side_open(&a, &upci_engine_reference);
		side_open(&b, &upci_engine_segment);
		random_state(&a, &b);
		threshold = side_read(&a, UPC_REG_THRESHOLD);
		length = 1 + pick(5000);
		a.ops->run_waves(a.engine, wave, length);
		b.ops->run_waves(b.engine, wave, length);
		t = length;
		for (i = 0; i < UPC_COUNTERS; i++) {
			uint64_t beside = pick(5) - 2, word = (threshold >> 12) - pick(3);

			/* After visit + 1 counts the low-order counter is 0, or nearly. */
			visit = (16 * i - t) % 4096;
			side_write(&a, UPC_REG_COUNTER(i), word << 12 | ((beside - visit - 1) & 4095));
			side_write(&b, UPC_REG_COUNTER(i), word << 12 | ((beside - visit - 1) & 4095));
		}
		for (i = 0; i < UPC_COUNTERS / 8; i++) {
			side_write(&a, UPC_REG_CONFIG(i), 0x1010101010101010u);
			side_write(&b, UPC_REG_CONFIG(i), 0x1010101010101010u);
		}
		for (run = 0; run < 3; run++) {
			length = (16 * pick(UPC_COUNTERS) - t) % 4096 + 1 + pick(4);
			a.ops->run_waves(a.engine, wave, length);
			b.ops->run_waves(b.engine, wave, length);
			t += length;
			assert_same_events(&a, &b);
			assert_same_registers(&a, &b, UPC_REG_CONFIG(0));
		}
		assert_same_registers(&a, &b, 0);
		side_close(&a);
		side_close(&b);
	}
}

/* Tens of carries a counter and run. */
TEST(test_long_runs)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned n, cases = cases_for(2), run, i;

	for (n = 0; n < cases; n++) {
		seed = 1000000 + n;
		side_open(&a, &upci_engine_reference);
		side_open(&b, &upci_engine_segment);
		random_state(&a, &b);
		for (run = 0; run < 3; run++) {
			uint64_t length = 1 + pick(100000);

			random_waves(wave);
			for (i = 0; i < UPC_COUNTERS; i++) {
				uint64_t value = pick(30 << 12);

				side_write(&a, UPC_REG_COUNTER(i), value);
				side_write(&b, UPC_REG_COUNTER(i), value);
			}
			side_write(&a, UPC_REG_THRESHOLD, 0x18000);
			side_write(&b, UPC_REG_THRESHOLD, 0x18000);
			a.ops->run_waves(a.engine, wave, length);
			b.ops->run_waves(b.engine, wave, length);
			assert_same_events(&a, &b);
			assert_same_registers(&a, &b, 0);
		}
		side_close(&a);
		side_close(&b);
	}
}

/* The same waves from cycle k on. */
static void later(struct upci_wave *to, const struct upci_wave *from, uint64_t k)
{
	unsigned i;

	for (i = 0; i < UPC_INPUTS; i++) {
		to[i] = from[i];
		if (from[i].period > 1)
			to[i].phase = (uint64_t)(((unsigned __int128)from[i].phase + k) % from[i].period);
	}
}

/* A huge run is the same run in parts, some of them as small as it gets. */
TEST(test_huge)
{
	static const uint64_t lengths[] = {UINT64_C(1) << 40, UINT64_C(1) << 63, UINT64_MAX - 4096,
					   UINT64_MAX};
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS], rest[UPC_INPUTS];
	unsigned n, cases = cases_for(2000), i;
	uint64_t interrupts = 0;

	for (n = 0; n < cases; n++) {
		uint64_t length = lengths[n % 4], done = 0;

		seed = 2000000 + n;
		side_open(&a, &upci_engine_segment);
		side_open(&b, &upci_engine_segment);
		random_state(&a, &b);
		random_waves(wave);
		for (i = 0; i < UPC_COUNTERS; i++) {
			/* A threshold somewhere in the run. */
			if (pick(2)) {
				uint64_t value = side_read(&a, UPC_REG_THRESHOLD) - pick(length);

				side_write(&a, UPC_REG_COUNTER(i), value);
				side_write(&b, UPC_REG_COUNTER(i), value);
			}
			if (pick(8) == 0) {
				a.ops->flip(a.engine, i, n % 52);
				b.ops->flip(b.engine, i, n % 52);
			}
		}
		a.ops->run_waves(a.engine, wave, length);
		for (i = 0; i < 8 && length - done > 100000; i++) {
			uint64_t part = pick(2) ? random_length() : 1 + pick(length - done - 1);

			later(rest, wave, done);
			b.ops->run_waves(b.engine, rest, part);
			done += part;
		}
		later(rest, wave, done);
		b.ops->run_waves(b.engine, rest, length - done);
		for (i = 0; i < a.events; i++)
			interrupts += a.event[i].event == UPCI_ENGINE_INTERRUPT;
		assert_same_events(&a, &b);
		assert_same_registers(&a, &b, 0);
		side_close(&a);
		side_close(&b);
	}
	assert_true(interrupts > 20 * cases);
}

/* ---- up to the first event ------------------------------------------------ */

#define BUSY 6 /* counters that do something */

/* A unit whose events software acts on at once, in the same way on each side. */
struct acting {
	struct side side;       /* its log has the first that software was told and found */
	uint64_t notes, digest; /* of all of it */
	unsigned busy[BUSY];
	uint64_t period[UPC_COUNTERS]; /* of a repeating threshold, or 0 */
	uint64_t salt;                 /* 0: software does no more than repeat thresholds */
	bool collecting;               /* events are kept till the end of the cycle */
	unsigned kept;
	struct event keep[1 + UPC_COUNTERS];
};

static void note(struct acting *a, enum upci_engine_event event, unsigned counter, uint64_t value)
{
	uint64_t mixed = a->digest ^ value ^ counter * 2 ^ event;

	if (a->side.events < LOG_MAX)
		on_event(&a->side, event, counter, value);
	a->digest = random_next(&mixed);
	a->notes++;
}

static void assert_same_notes(struct acting *a, struct acting *b)
{
	assert_same_events(&a->side, &b->side);
	assert_true(a->notes == b->notes && a->digest == b->digest);
}

static void act(struct acting *a, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct side *s = &a->side;
	uint64_t random = a->salt ^ cycle * 256 ^ counter, boundary;
	unsigned other;

	note(a, event, counter, cycle);
	/* Also what is no event: the clock, the registers. */
	note(a, 0, 1000, s->ops->cycles(s->engine));
	note(a, 0, 1001, side_read(s, UPC_REG_STATUS));
	boundary = ((side_read(s, UPC_REG_THRESHOLD) >> 12) + 1) << 12;
	if (event == UPCI_ENGINE_INTERRUPT && a->period[counter])
		side_write(s, UPC_REG_COUNTER(counter), boundary - a->period[counter]);
	if (!a->salt)
		return;
	random_next(&random);
	other = a->busy[random_next(&random) % BUSY];
	switch (random_next(&random) % 32) {
	case 0: /* may find a parity error, which is told from in here */
		note(a, 0, 1002, side_read(s, UPC_REG_COUNTER(other)));
		break;
	case 1:
		side_write(s, UPC_REG_COUNTER(other), boundary - 1 - random_next(&random) % 100);
		break;
	case 2:
		side_write(s, UPC_REG_CONFIG(other / 8),
			   side_read(s, UPC_REG_CONFIG(other / 8)) ^
				   (random_next(&random) & 0x0f0f0f0f0f0f0f0fu));
		break;
	case 3:
		s->ops->flip(s->engine, other, (unsigned)(random_next(&random) % 52));
		break;
	case 4:
		if (random_next(&random) % 8 == 0)
			side_write(s, UPC_REG_START_STOP, 0);
		break;
	}
}

static void on_acting(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct acting *a = arg;

	if (!a->collecting) {
		act(a, event, counter, cycle);
		return;
	}
	assert_in_range(a->kept, 0, UPC_COUNTERS);
	a->keep[a->kept++] = (struct event){event, counter, cycle};
}

/* The meaning: cycle by cycle, and software in between. */
static void run_stepping(struct acting *a, struct upci_wave *wave, uint64_t n)
{
	unsigned i;

	while (n--) {
		a->kept = 0;
		a->collecting = true;
		a->side.ops->run_waves(a->side.engine, wave, 1);
		a->collecting = false;
		for (i = 0; i < a->kept; i++)
			act(a, a->keep[i].event, a->keep[i].counter, a->keep[i].cycle);
		for (i = 0; i < UPC_INPUTS; i++)
			if (wave[i].period > 1 && ++wave[i].phase == wave[i].period)
				wave[i].phase = 0;
	}
}

static void run_by_events(struct acting *a, struct upci_wave *wave, uint64_t n)
{
	while (n) {
		uint64_t notes = a->notes;
		uint64_t done = a->side.ops->run_until(a->side.engine, wave, n);

		assert_in_range(done, 1, n);
		/* It ends early for an event only. */
		assert_true(done == n || a->notes > notes);
		n -= done;
		later(wave, wave, done);
	}
}

/* Repeating thresholds, most of them met soon. */
static uint64_t random_period(void)
{
	switch (pick(8)) {
	case 0:
		return 1;
	case 1:
		return 2;
	case 2:
		return 4095 + pick(3);
	case 3:
		return 1 + pick(20000);
	case 4:
		return 0;
	default:
		return 1 + pick(300);
	}
}

static void acting_open(struct acting *a, const struct upci_engine_ops *ops)
{
	const struct upci_engine_sink sink = {on_acting, a};
	unsigned i;

	*a = (struct acting){.side = {.ops = ops}, .salt = seed};
	a->side.engine = ops->create(&sink);
	assert_non_null(a->side.engine);
	for (i = 0; i < BUSY; i++)
		a->busy[i] = (unsigned)pick(UPC_COUNTERS);
}

/* The same of each side: what is random comes from the seed. */
static void acting_configure(struct acting *a, uint64_t case_seed)
{
	struct side *s = &a->side;
	uint64_t threshold, boundary;
	unsigned i, k;

	seed = case_seed;
	threshold = pick(2) ? 0x5000 : pick(2) ? 0 : random_next(&seed);
	boundary = ((threshold >> 12) + 1) << 12;
	side_write(s, UPC_REG_THRESHOLD, threshold);
	for (i = 0; i < BUSY; i++) {
		uint64_t period = random_period(), fields = 0;

		a->period[a->busy[i]] = period;
		side_write(s, UPC_REG_COUNTER(a->busy[i]),
			   pick(2) && period ? boundary - period : boundary - 1 - pick(500));
		for (k = 0; k < 8; k++)
			fields |= (UPC_FIELD_INTERRUPT_ENABLE | pick(16)) << 8 * k;
		side_write(s, UPC_REG_CONFIG(a->busy[i] / 8), fields);
		if (pick(8) == 0)
			s->ops->flip(s->engine, a->busy[i], (unsigned)pick(52));
	}
	side_write(s, UPC_REG_START_STOP, pick(16) != 0);
}

TEST(test_until)
{
	static struct acting stepped, reference, segment;
	static struct upci_wave wave[UPC_INPUTS], first[UPC_INPUTS];
	unsigned n, cases = cases_for(1000), i, k, run;
	uint64_t interrupts = 0, parity = 0;

	for (n = 0; n < cases; n++) {
		uint64_t opening = 4000000 + (uint64_t)n * 1000, length;

		seed = opening;
		acting_open(&stepped, &upci_engine_reference);
		seed = opening;
		acting_open(&reference, &upci_engine_reference);
		seed = opening;
		acting_open(&segment, &upci_engine_segment);
		for (run = 0; run < 3; run++) {
			acting_configure(&stepped, opening + run);
			acting_configure(&reference, opening + run);
			acting_configure(&segment, opening + run);
			for (i = 0; i < UPC_INPUTS; i++)
				first[i] = (struct upci_wave){1, 0, 0};
			for (i = 0; i < BUSY; i++)
				for (k = 0; k < 4; k++)
					first[256 * k + stepped.busy[i]] = random_wave();
			length = 1 + (pick(32) ? pick(300) : pick(9000));
			memcpy(wave, first, sizeof(wave));
			run_stepping(&stepped, wave, length);
			memcpy(wave, first, sizeof(wave));
			run_by_events(&segment, wave, length);
			memcpy(wave, first, sizeof(wave));
			run_by_events(&reference, wave, length);
			for (i = 0; i < stepped.side.events; i++) {
				const struct event *e = &stepped.side.event[i];

				interrupts += e->event == UPCI_ENGINE_INTERRUPT;
				parity += e->event == UPCI_ENGINE_PARITY && e->counter < UPC_COUNTERS;
			}
			k = stepped.side.events;
			assert_same_notes(&stepped, &segment);
			stepped.side.events = k;
			assert_same_notes(&stepped, &reference);
			assert_same_registers(&stepped.side, &segment.side, UPC_REG_CONFIG(0));
			assert_same_registers(&stepped.side, &reference.side, UPC_REG_CONFIG(0));
		}
		side_close(&stepped.side);
		side_close(&reference.side);
		side_close(&segment.side);
	}
	print_message("# %llu interrupts and %llu parity errors acted on\n", (unsigned long long)interrupts,
		      (unsigned long long)parity);
	assert_true(interrupts > 20 * cases);
	assert_true(parity > cases / 10);
}

/* Where no stepping gets: a run to the first event is a run without any and one cycle
 * with it. */
TEST(test_until_huge)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS], last[UPC_INPUTS];
	unsigned n, cases = cases_for(400), i, stops, found = 0;

	for (n = 0; n < cases; n++) {
		uint64_t left;

		seed = 5000000 + n;
		left = pick(4) ? any_size(64) : UINT64_MAX - pick(3);
		side_open(&a, &upci_engine_segment);
		side_open(&b, &upci_engine_segment);
		random_state(&a, &b);
		random_waves(wave);
		for (i = 0; i < UPC_COUNTERS; i++) {
			uint64_t value = side_read(&a, UPC_REG_THRESHOLD) - pick(left / 2 + 1);

			side_write(&a, UPC_REG_COUNTER(i), value);
			side_write(&b, UPC_REG_COUNTER(i), value);
			if (pick(64) == 0) {
				a.ops->flip(a.engine, i, n % 52);
				b.ops->flip(b.engine, i, n % 52);
			}
		}
		for (stops = 0; left && stops < 20; stops++) {
			uint64_t done = a.ops->run_until(a.engine, wave, left);

			assert_in_range(done, 1, left);
			assert_true(a.events || done == left);
			if (done > 1)
				b.ops->run_waves(b.engine, wave, done - 1);
			assert_int_equal(b.events, 0);
			later(last, wave, done - 1);
			b.ops->run_waves(b.engine, last, 1);
			found += a.events;
			assert_same_events(&a, &b);
			later(wave, wave, done);
			left -= done;
		}
		assert_same_registers(&a, &b, UPC_REG_CONFIG(0));
		assert_same_registers(&a, &b, 0);
		assert_same_events(&a, &b);
		assert_true(a.ops->cycles_closed(a.engine) == a.ops->cycles(a.engine));
		side_close(&a);
		side_close(&b);
	}
	assert_true(found > 5 * cases);
}

/* A threshold of one count, every cycle, and of many: none is lost, none drifts. */
TEST(test_until_repeats)
{
	static const uint64_t periods[] = {1, 2, 1000, 4095, 4096, 4097, 65536};
	static struct acting a;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned i, k;

	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		uint64_t period = periods[i], at = 0;

		for (k = 0; k < UPC_INPUTS; k++)
			wave[k] = (struct upci_wave){1, 1, 0};
		seed = 1;
		acting_open(&a, &upci_engine_segment);
		a.salt = 0;
		a.period[7] = period;
		side_write(&a.side, UPC_REG_THRESHOLD, 0x100000);
		side_write(&a.side, UPC_REG_COUNTER(7), 0x101000 - period);
		side_write(&a.side, UPC_REG_CONFIG(0), (uint64_t)UPC_FIELD_INTERRUPT_ENABLE << 56);
		side_write(&a.side, UPC_REG_START_STOP, 1);
		for (k = 0; k < 100; k++) {
			a.side.events = 0;
			assert_int_equal(a.side.ops->run_until(a.side.engine, wave, 1 << 20), period);
			at += period;
			assert_int_equal(a.side.event[0].event, UPCI_ENGINE_INTERRUPT);
			assert_int_equal(a.side.event[0].counter, 7);
			assert_int_equal(a.side.event[0].cycle, at - 1);
			/* At rest: the clock is past the cycle. */
			assert_int_equal(a.side.event[1].cycle, at);
		}
		side_close(&a.side);
	}
}

/* An error that is known already is told no more, and ends no run. */
TEST(test_until_parity)
{
	static struct side s;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned i;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 1, 0};
	side_open(&s, &upci_engine_segment);
	s.ops->flip(s.engine, 3, 7);
	assert_int_equal(s.ops->run_until(s.engine, wave, 48), 48);
	assert_int_equal(s.events, 0);
	assert_int_equal(s.ops->run_until(s.engine, wave, 5000), 1);
	assert_int_equal(s.events, 1);
	assert_int_equal(s.event[0].event, UPCI_ENGINE_PARITY);
	assert_int_equal(s.event[0].counter, 3);
	assert_int_equal(s.event[0].cycle, 48);
	s.ops->flip(s.engine, 3, 8);
	assert_int_equal(s.ops->run_until(s.engine, wave, 5000), 5000);
	assert_int_equal(s.events, 1);
	side_close(&s);
}

/* ---- by hand ----------------------------------------------------------- */

/* In a cycle: parity before interrupts, interrupts by counter. */
TEST(test_order)
{
	static struct side s;
	static struct upci_wave wave[UPC_INPUTS];
	static const struct event expected[] = {
		{UPCI_ENGINE_INTERRUPT, 7, 15}, {UPCI_ENGINE_PARITY, 1, 16},
		{UPCI_ENGINE_INTERRUPT, 0, 16}, {UPCI_ENGINE_INTERRUPT, 9, 16},
		{UPCI_ENGINE_INTERRUPT, 3, 17}, {UPCI_ENGINE_PARITY, 200, 3200},
	};
	unsigned i;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 1, 0};
	side_open(&s, &upci_engine_segment);
	side_write(&s, UPC_REG_START_STOP, 1);
	side_write(&s, UPC_REG_COUNTER(0), 4096 - 17);
	side_write(&s, UPC_REG_COUNTER(3), 4096 - 18);
	side_write(&s, UPC_REG_COUNTER(7), 4096 - 16);
	side_write(&s, UPC_REG_COUNTER(9), 4096 - 17);
	side_write(&s, UPC_REG_CONFIG(0), 0x1000000010000010);
	side_write(&s, UPC_REG_CONFIG(1), 0x1000);
	s.ops->flip(s.engine, 200, 51);
	s.ops->flip(s.engine, 1, 0);
	s.ops->run_waves(s.engine, wave, UINT64_C(1) << 20);
	assert_int_equal(s.events, 6);
	for (i = 0; i < 6; i++) {
		assert_int_equal(s.event[i].event, expected[i].event);
		assert_int_equal(s.event[i].counter, expected[i].counter);
		assert_int_equal(s.event[i].cycle, expected[i].cycle);
	}
	side_close(&s);
}

/* Preloaded to 4096 - m in word 0, a threshold of 4096 * n fires after 4096 * n + m
 * counts (UPC, section 5), at any distance. */
TEST(test_threshold_far)
{
	static struct side s;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned i;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 0, 0};
	for (i = 0; i < 400; i++) {
		uint64_t n, m, cycle;

		seed = i;
		n = i % 4 ? any_size(50) : 0;
		m = 1 + pick(4096);
		cycle = 3 * (4096 * n + m) - 2; /* high in the second of three cycles */
		wave[5] = (struct upci_wave){3, 1, 2};
		side_open(&s, &upci_engine_segment);
		side_write(&s, UPC_REG_START_STOP, 1);
		side_write(&s, UPC_REG_THRESHOLD, 4096 * n);
		side_write(&s, UPC_REG_COUNTER(5), 4096 - m);
		side_write(&s, UPC_REG_CONFIG(0), 0x100000000000);
		s.ops->run_waves(s.engine, wave, cycle);
		assert_int_equal(s.events, 0);
		later(wave, wave, cycle);
		s.ops->run_waves(s.engine, wave, 1);
		assert_int_equal(s.events, 1);
		assert_int_equal(s.event[0].cycle, cycle);
		side_close(&s);
	}
}

UNIT_TESTS(engine_segment, NULL, NULL)
