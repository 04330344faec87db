/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The segment engine against the reference: random configurations, signals,
 * preloads, thresholds, flips and accesses, all counters at a time, every event in
 * order. Where no stepping gets, runs are compared with the same run in parts.
 *
 * UPC_TEST_ROUNDS multiplies the number of random cases.
 */
#include "engine.h"
#include "unit_test.h"

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
			fail_msg("event %u: %d of counter %u in cycle %llu, and %d of %u in %llu", n, x->event,
				 x->counter, (unsigned long long)x->cycle, y->event, y->counter,
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

static void test_against_reference(void **state)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned n, cases = cases_for(200), run, k;
	uint64_t events[2] = {0, 0};

	(void)state;
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
static void test_beside_visits(void **state)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned n, cases = cases_for(150), i, run;

	(void)state;
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
static void test_long_runs(void **state)
{
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned n, cases = cases_for(2), run, i;

	(void)state;
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
		to[i].phase = (uint64_t)(((unsigned __int128)from[i].phase + k) % from[i].period);
	}
}

/* A huge run is the same run in parts, some of them as small as it gets. */
static void test_huge(void **state)
{
	static const uint64_t lengths[] = {UINT64_C(1) << 40, UINT64_C(1) << 63, UINT64_MAX - 4096,
					   UINT64_MAX};
	static struct side a, b;
	static struct upci_wave wave[UPC_INPUTS], rest[UPC_INPUTS];
	unsigned n, cases = cases_for(2000), i;
	uint64_t interrupts = 0;

	(void)state;
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

/* ---- by hand ----------------------------------------------------------- */

/* In a cycle: parity before interrupts, interrupts by counter. */
static void test_order(void **state)
{
	static struct side s;
	static struct upci_wave wave[UPC_INPUTS];
	static const struct event expected[] = {
		{UPCI_ENGINE_INTERRUPT, 7, 15}, {UPCI_ENGINE_PARITY, 1, 16},	{UPCI_ENGINE_INTERRUPT, 0, 16},
		{UPCI_ENGINE_INTERRUPT, 9, 16}, {UPCI_ENGINE_INTERRUPT, 3, 17}, {UPCI_ENGINE_PARITY, 200, 3200},
	};
	unsigned i;

	(void)state;
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
static void test_threshold_far(void **state)
{
	static struct side s;
	static struct upci_wave wave[UPC_INPUTS];
	unsigned i;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_reference),
		cmocka_unit_test(test_beside_visits),
		cmocka_unit_test(test_long_runs),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_threshold_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
