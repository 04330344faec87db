/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The totals engine: thresholds of events at exactly their multiples, interrupts that
 * handlers repeat by hand, damage that is found, and a register map that is the unit's.
 */
#include "engine/totals.h"
#include "../unit_test.h"

static struct upci_totals totals;

/* The events that the sink got, and the call that it makes for each, or NULL. */
#define LOG_MAX 64
static struct {
	unsigned n;
	struct {
		enum upci_engine_event event;
		unsigned counter;
		uint64_t count;
	} entry[LOG_MAX];
	void (*then)(unsigned counter);
} told;

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	assert_ptr_equal(arg, &told);
	assert_true(cycle == 0);
	if (told.n < LOG_MAX) {
		told.entry[told.n].event = event;
		told.entry[told.n].counter = counter;
		told.entry[told.n].count = upci_totals_count(&totals, counter);
	}
	told.n++;
	if (told.then)
		told.then(counter);
}

static const struct upci_engine_sink sink = {on_event, &told};

static void put(unsigned offset, uint64_t value)
{
	assert_int_equal(upci_totals_write(&totals, offset, value), 0);
}

static uint64_t get(unsigned offset)
{
	uint64_t value = 0;

	assert_int_equal(upci_totals_read(&totals, offset, &value), 0);
	return value;
}

static uint8_t field(unsigned i)
{
	return (uint8_t)(get(UPC_REG_CONFIG(i / 8)) >> 8 * (i % 8));
}

static void put_field(unsigned i, uint8_t value)
{
	uint64_t all = get(UPC_REG_CONFIG(i / 8)) & ~(UINT64_C(255) << 8 * (i % 8));

	put(UPC_REG_CONFIG(i / 8), all | (uint64_t)value << 8 * (i % 8));
}

static int set_up(void **state)
{
	(void)state;
	memset(&told, 0, sizeof(told));
	upci_totals_init(&totals, &sink);
	put(UPC_REG_START_STOP, 1);
	return 0;
}

static void assert_told(unsigned n, enum upci_engine_event event, unsigned counter, uint64_t count)
{
	if (n >= told.n || told.entry[n].event != event || told.entry[n].counter != counter ||
	    told.entry[n].count != count)
		fail_msg("event %u of %u: %s of counter %u at %llu", n, told.n,
			 told.entry[n].event ? "interrupt" : "parity", told.entry[n].counter,
			 (unsigned long long)told.entry[n].count);
}

/* ---- thresholds of events ------------------------------------------------- */

#define MEASURED 6
static const uint64_t periods[] = {
	1,
	2,
	3,
	1000,
	4095,
	4096,
	4097,
	(UINT64_C(1) << 32) + 1,
	UINT64_C(1) << 52,
	(UINT64_C(1) << 63) - 1,
	UINT64_C(1) << 63,
	UINT64_MAX,
};
#define PERIODS (sizeof(periods) / sizeof(periods[0]))

/* Counters with thresholds, what they have counted, and how often they were told. */
static struct {
	unsigned counter;
	uint64_t period, told;
	unsigned __int128 counted;
} measured[MEASURED];

static void expect_multiple(unsigned counter)
{
	uint64_t count = upci_totals_count(&totals, counter);
	unsigned m;

	for (m = 0; m < MEASURED && measured[m].counter != counter; m++)
		;
	assert_in_range(m, 0, MEASURED - 1);
	measured[m].told++;
	if (count != measured[m].told * measured[m].period)
		fail_msg("counter %u, period %llu, callback %llu at %llu", counter,
			 (unsigned long long)measured[m].period, (unsigned long long)measured[m].told,
			 (unsigned long long)count);
	assert_int_equal(field(counter) & UPC_FIELD_INTERRUPT_PENDING, 0);
}

static void add_measured(unsigned m, uint64_t k)
{
	upci_totals_add(&totals, measured[m].counter, k);
	measured[m].counted += k;
	if (measured[m].told != measured[m].counted / measured[m].period)
		fail_msg("period %llu: %llu callbacks", (unsigned long long)measured[m].period,
			 (unsigned long long)measured[m].told);
	assert_true(upci_totals_count(&totals, measured[m].counter) == (uint64_t)measured[m].counted);
}

/* From 0 on. */
static void measure(unsigned m, unsigned counter, uint64_t period)
{
	memset(&measured[m], 0, sizeof(measured[m]));
	measured[m].counter = counter;
	measured[m].period = period;
	upci_totals_preset(&totals, counter, 0);
	upci_totals_set_threshold(&totals, counter, period);
	assert_true(upci_totals_count(&totals, counter) == 0);
}

/* Up to three periods at once, and just so many that it is one less or one more. */
static uint64_t some_counts(unsigned m, uint64_t *s)
{
	uint64_t x = random_next(s), period = measured[m].period;
	uint64_t to_go = period - (uint64_t)(measured[m].counted % period);

	switch (x % 6) {
	case 0:
		return to_go - 1;
	case 1:
		return to_go;
	case 2:
		return to_go + 1 ? to_go + 1 : to_go;
	case 3:
		return period <= UINT64_MAX / 3 ? random_next(s) % (3 * period) : random_next(s);
	case 4:
		return 1;
	default:
		return (x >> 8) % (period < 250 ? 40 * period : 10000);
	}
}

TEST_WITH(test_kth_at_k_times, set_up, NULL)
{
	uint64_t s = 1;
	unsigned p, n;

	told.then = expect_multiple;
	for (p = 0; p < PERIODS; p++) {
		put(UPC_REG_THRESHOLD, random_next(&s) >> p * 4);
		measure(0, 10 + p, periods[p]);
		for (n = 0; n < 2000; n++)
			add_measured(0, some_counts(0, &s));
	}
}

TEST_WITH(test_many_at_once, set_up, NULL)
{
	uint64_t s = 2;
	unsigned p, n, m;

	told.then = expect_multiple;
	for (p = 0; p < 50; p++) {
		/* Periods that do not take the counts past 2^64: after that, a change of
		 * the threshold register finds other multiples. */
		for (m = 0; m < MEASURED; m++)
			measure(m, 40 * m, periods[random_next(&s) % (PERIODS - 3)]);
		for (n = 0; n < 300; n++) {
			m = (unsigned)(random_next(&s) % MEASURED);
			add_measured(m, some_counts(m, &s));
			if (random_next(&s) % 8 == 0)
				put(UPC_REG_THRESHOLD, random_next(&s) >> random_next(&s) % 64);
		}
		for (m = 0; m < MEASURED; m++)
			add_measured(m, 0);
	}
}

/* One add of 2^64 - 1 meets every threshold on its way. */
TEST_WITH(test_huge_add, set_up, NULL)
{
	upci_totals_set_threshold(&totals, 3, (UINT64_C(1) << 63) - 1);
	upci_totals_add(&totals, 3, UINT64_MAX);
	assert_int_equal(told.n, 2);
	assert_told(0, UPCI_ENGINE_INTERRUPT, 3, (UINT64_C(1) << 63) - 1);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 3, UINT64_MAX - 1);
	upci_totals_add(&totals, 3, (UINT64_C(1) << 63) - 3);
	assert_int_equal(told.n, 2);
	upci_totals_add(&totals, 3, 1);
	/* The count wraps, and the multiples go on. */
	assert_told(2, UPCI_ENGINE_INTERRUPT, 3, 3 * ((UINT64_C(1) << 63) - 1));
}

TEST_WITH(test_preset, set_up, NULL)
{
	upci_totals_set_threshold(&totals, 9, 100);
	upci_totals_preset(&totals, 9, 1050);
	assert_true(upci_totals_count(&totals, 9) == 1050);
	upci_totals_add(&totals, 9, 49);
	assert_int_equal(told.n, 0);
	upci_totals_add(&totals, 9, 1);
	assert_told(0, UPCI_ENGINE_INTERRUPT, 9, 1100);
	/* From a multiple there is a whole period to go. */
	upci_totals_preset(&totals, 9, 0);
	upci_totals_add(&totals, 9, 99);
	assert_int_equal(told.n, 1);
	upci_totals_add(&totals, 9, 1);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 9, 100);
	/* Without a threshold it is a write of the register. */
	upci_totals_preset(&totals, 8, 77);
	assert_true(get(UPC_REG_COUNTER(8)) == 77);
}

TEST_WITH(test_set_and_clear, set_up, NULL)
{
	struct upci_totals before;

	upci_totals_add(&totals, 5, 1234);
	before = totals;
	upci_totals_set_threshold(&totals, 5, 0);
	assert_memory_equal(&totals, &before, sizeof(totals));
	upci_totals_set_threshold(&totals, 5, 1000);
	assert_int_equal(field(5), UPC_FIELD_INTERRUPT_ENABLE | UPC_FIELD_ARMED);
	assert_true(get(UPC_REG_COUNTER(5)) == 4096 - 766);
	upci_totals_add(&totals, 5, 766);
	assert_told(0, UPCI_ENGINE_INTERRUPT, 5, 2000);
	/* Another period counts from its own multiples. */
	upci_totals_set_threshold(&totals, 5, 1500);
	upci_totals_add(&totals, 5, 999);
	assert_int_equal(told.n, 1);
	upci_totals_add(&totals, 5, 1);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 5, 3000);
	upci_totals_set_threshold(&totals, 5, 0);
	assert_true(get(UPC_REG_COUNTER(5)) == 3000);
	assert_int_equal(field(5), 0);
	upci_totals_add(&totals, 5, UINT64_MAX);
	assert_int_equal(told.n, 2);
	/* An interrupt that was raised by hand does not keep a threshold from firing. */
	put_field(6, UPC_FIELD_INTERRUPT_ENABLE);
	upci_totals_add(&totals, 6, 4097);
	assert_int_equal(field(6) & UPC_FIELD_INTERRUPT_PENDING, UPC_FIELD_INTERRUPT_PENDING);
	upci_totals_set_threshold(&totals, 6, 5000);
	upci_totals_add(&totals, 6, 903);
	assert_told(3, UPCI_ENGINE_INTERRUPT, 6, 5000);
}

TEST_WITH(test_disabled_for_a_while, set_up, NULL)
{
	upci_totals_set_threshold(&totals, 5, 10);
	put_field(5, 0);
	upci_totals_add(&totals, 5, 57);
	assert_int_equal(told.n, 0);
	put_field(5, UPC_FIELD_INTERRUPT_ENABLE);
	assert_true(upci_totals_count(&totals, 5) == 57);
	upci_totals_add(&totals, 5, 2);
	assert_int_equal(told.n, 0);
	upci_totals_add(&totals, 5, 11);
	assert_int_equal(told.n, 2);
	assert_told(0, UPCI_ENGINE_INTERRUPT, 5, 60);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 5, 70);
}

/* ---- what a handler does between two counts -------------------------------- */

static void again_in_300(unsigned counter)
{
	assert_true(get(UPC_REG_COUNTER(counter)) == 0x6000);
	assert_int_equal(field(counter) & UPC_FIELD_INTERRUPT_PENDING, UPC_FIELD_INTERRUPT_PENDING);
	put(UPC_REG_COUNTER(counter), 0x6000 - 300);
}

TEST_WITH(test_repeated_by_hand, set_up, NULL)
{
	told.then = again_in_300;
	put(UPC_REG_THRESHOLD, 0x5000);
	put(UPC_REG_COUNTER(200), 0x6000 - 300);
	put_field(200, UPC_FIELD_INTERRUPT_ENABLE);
	upci_totals_add(&totals, 200, 300 * 50 + 299);
	assert_int_equal(told.n, 50);
	upci_totals_add(&totals, 200, 1);
	assert_int_equal(told.n, 51);
	assert_true(get(UPC_REG_COUNTER(200)) == 0x6000 - 300);
}

TEST_WITH(test_fires_once, set_up, NULL)
{
	put_field(200, UPC_FIELD_INTERRUPT_ENABLE);
	upci_totals_add(&totals, 200, UINT64_MAX);
	upci_totals_add(&totals, 200, UINT64_MAX);
	assert_int_equal(told.n, 1);
	assert_told(0, UPCI_ENGINE_INTERRUPT, 200, 4096);
	assert_true(get(UPC_REG_STATUS) == 1);
	/* Acknowledged, it has all the way to go. */
	put(UPC_REG_COUNTER(200), 4096);
	upci_totals_add(&totals, 200, UINT64_MAX);
	assert_int_equal(told.n, 1);
	upci_totals_add(&totals, 200, 1);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 200, 4096);
}

static void stop(unsigned counter)
{
	(void)counter;
	put(UPC_REG_START_STOP, 0);
}

static void choose_another(unsigned counter)
{
	put_field(counter, UPC_FIELD_INTERRUPT_ENABLE | 1);
}

static void disable(unsigned counter)
{
	put_field(counter, 0);
}

static void take_away(unsigned counter)
{
	upci_totals_set_threshold(&totals, counter, 0);
}

TEST_WITH(test_counts_that_are_left, set_up, NULL)
{
	static const struct {
		void (*then)(unsigned counter);
		uint64_t counted;
	} cases[] = {{stop, 10}, {choose_another, 10}, {disable, 25}, {take_away, 25}};
	size_t c;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		set_up(state);
		told.then = cases[c].then;
		upci_totals_set_threshold(&totals, 7, 10);
		upci_totals_add(&totals, 7, 25);
		assert_int_equal(told.n, 1);
		assert_told(0, UPCI_ENGINE_INTERRUPT, 7, 10);
		assert_true(upci_totals_count(&totals, 7) == cases[c].counted);
	}
}

/* ---- parity ---------------------------------------------------------------- */

TEST_WITH(test_found_by_a_carry, set_up, NULL)
{
	put(UPC_REG_COUNTER(30), 4000);
	upci_totals_flip(&totals, 30, 1);
	upci_totals_add(&totals, 31, 5000); /* somebody else's */
	upci_totals_add(&totals, 30, 95);
	assert_int_equal(told.n, 0);
	upci_totals_add(&totals, 30, 1);
	assert_int_equal(told.n, 1);
	assert_told(0, UPCI_ENGINE_PARITY, 30, 0x2000 + 4095);
	assert_true(totals.regs.counter[30] == 0x2000 + 4096);
	assert_int_equal(field(30), UPC_FIELD_PARITY_ERROR);
	assert_true(get(UPC_REG_STATUS) == 2);
	/* Once: neither the same again, nor another while the flag is set. */
	upci_totals_add(&totals, 30, 10000);
	upci_totals_flip(&totals, 30, 51);
	upci_totals_add(&totals, 30, 10000);
	assert_true(get(UPC_REG_COUNTER(30)) == (UINT64_C(1) << 63) + 0x2000 + 4096 + 20000);
	assert_int_equal(told.n, 1);
	put(UPC_REG_COUNTER(30), 0);
	assert_int_equal(field(30), 0);
	upci_totals_flip(&totals, 30, 0);
	upci_totals_add(&totals, 30, 4096);
	assert_int_equal(told.n, 2);
}

TEST_WITH(test_found_by_a_read, set_up, NULL)
{
	static uint64_t counts[UPC_COUNTERS];

	upci_totals_add(&totals, 255, 5);
	upci_totals_flip(&totals, 255, 51);
	upci_totals_read_all(&totals, counts);
	assert_true(counts[255] == (UINT64_C(1) << 63) + 5);
	assert_int_equal(field(255), 0);
	assert_int_equal(told.n, 0);
	assert_true(get(UPC_REG_COUNTER(255)) == counts[255]);
	assert_int_equal(told.n, 1);
	assert_true(get(UPC_REG_COUNTER(255)) == counts[255]);
	assert_int_equal(told.n, 1);
	assert_int_equal(field(255), UPC_FIELD_PARITY_ERROR);
	/* Parity does not see two. */
	upci_totals_flip(&totals, 254, 3);
	upci_totals_flip(&totals, 254, 4);
	assert_true(get(UPC_REG_COUNTER(254)) == 0x18000);
	upci_totals_add(&totals, 254, 4096);
	assert_int_equal(told.n, 1);
	/* A write mends what nobody has noticed. */
	upci_totals_flip(&totals, 253, 3);
	put(UPC_REG_COUNTER(253), 0);
	upci_totals_add(&totals, 253, 4096);
	assert_true(get(UPC_REG_COUNTER(253)) == 4096);
	assert_int_equal(told.n, 1);
}

TEST_WITH(test_damage_of_a_threshold, set_up, NULL)
{
	upci_totals_set_threshold(&totals, 1, 100);
	upci_totals_add(&totals, 1, 50);
	upci_totals_flip(&totals, 1, 20);
	/* Preloads move it; they hide nothing. */
	put(UPC_REG_THRESHOLD, 0x123456789000);
	upci_totals_set_threshold(&totals, 1, 100000);
	assert_int_equal(told.n, 0);
	get(UPC_REG_COUNTER(1));
	assert_told(0, UPCI_ENGINE_PARITY, 1, 50 + (UINT64_C(1) << 32));
	upci_totals_set_threshold(&totals, 1, 7);
	assert_int_equal(field(1) & UPC_FIELD_PARITY_ERROR, UPC_FIELD_PARITY_ERROR);
	upci_totals_add(&totals, 1, 70);
	assert_int_equal(told.n, 11);
	assert_int_equal(field(1) & UPC_FIELD_PARITY_ERROR, UPC_FIELD_PARITY_ERROR);
	upci_totals_preset(&totals, 1, 0);
	assert_int_equal(field(1) & UPC_FIELD_PARITY_ERROR, 0);
	/* In the count that meets the threshold, parity comes first. */
	told.n = 0;
	put(UPC_REG_THRESHOLD, 0);
	upci_totals_flip(&totals, 1, 2);
	put(UPC_REG_THRESHOLD, 0x9000);
	upci_totals_add(&totals, 1, 3);
	assert_int_equal(told.n, 2);
	assert_told(0, UPCI_ENGINE_PARITY, 1, 0x4000 + 2);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 1, 0x4000 + 3); /* 7 * 2341 */
}

/* A flip that moves the word off the threshold, and one that moves it there. */
TEST_WITH(test_flip_and_arming, set_up, NULL)
{
	put_field(2, UPC_FIELD_INTERRUPT_ENABLE);
	put(UPC_REG_THRESHOLD, 0x4000);
	assert_int_equal(field(2), UPC_FIELD_INTERRUPT_ENABLE);
	upci_totals_flip(&totals, 2, 2);
	assert_int_equal(field(2), UPC_FIELD_INTERRUPT_ENABLE | UPC_FIELD_ARMED);
	upci_totals_add(&totals, 2, 4096);
	assert_int_equal(told.n, 2);
	assert_told(0, UPCI_ENGINE_PARITY, 2, 0x4fff);
	assert_told(1, UPCI_ENGINE_INTERRUPT, 2, 0x5000);
}

/* ---- the rest ---------------------------------------------------------------- */

TEST_WITH(test_who_counts, set_up, NULL)
{
	static uint64_t counts[UPC_COUNTERS];
	unsigned k, i;

	for (k = 0; k < 4; k++)
		put_field(k, (uint8_t)k);
	for (k = 0; k < UPC_INPUTS; k++)
		upci_totals_add(&totals, k, k + 1);
	upci_totals_read_all(&totals, counts);
	for (i = 0; i < UPC_COUNTERS; i++)
		assert_true(counts[i] == (i < 4 ? 257 * i : i) + 1);
	put(UPC_REG_START_STOP, 0);
	for (k = 0; k < UPC_INPUTS; k++)
		upci_totals_add(&totals, k, 1);
	upci_totals_read_all(&totals, counts);
	for (i = 0; i < UPC_COUNTERS; i++)
		assert_true(counts[i] == (i < 4 ? 257 * i : i) + 1);
	put(UPC_REG_START_STOP, 1);
	put(UPC_REG_COUNTER(9), UINT64_MAX - 1);
	upci_totals_add(&totals, 9, 3);
	assert_true(get(UPC_REG_COUNTER(9)) == 1);
}

TEST_WITH(test_signals, set_up, NULL)
{
	static const uint64_t expected[] = {1000, 30, 30, 0};
	unsigned mode, i;

	for (mode = 0; mode < 4; mode++) {
		i = 60 + mode;
		put_field(i, (uint8_t)(mode << 2 | 2));
		upci_totals_add_signal(&totals, 512 + i, 30, 1000);
		upci_totals_add_signal(&totals, 256 + i, 1, 1);
		assert_true(get(UPC_REG_COUNTER(i)) == expected[mode]);
	}
	put_field(60, UPC_MODE_RISE << 2);
	upci_totals_set_threshold(&totals, 60, 1001);
	upci_totals_add_signal(&totals, 60, 1, 5000);
	assert_told(0, UPCI_ENGINE_INTERRUPT, 60, 1001);
	assert_int_equal(told.n, 1);
}

TEST_WITH(test_shown, set_up, NULL)
{
	static uint64_t shown[UPC_COUNTERS], counts[UPC_COUNTERS];

	totals.shown = shown;
	upci_totals_add(&totals, 0, 5);
	upci_totals_set_threshold(&totals, 1, 3);
	upci_totals_add(&totals, 1, 8);
	put(UPC_REG_COUNTER(2), 9);
	upci_totals_preset(&totals, 3, 10);
	upci_totals_flip(&totals, 4, 0);
	put(UPC_REG_COUNTER(1), get(UPC_REG_COUNTER(1)) + 1);
	upci_totals_set_threshold(&totals, 1, 0);
	put_field(5, UPC_FIELD_INTERRUPT_ENABLE);
	upci_totals_add(&totals, 5, 11);
	upci_totals_read_all(&totals, counts);
	assert_memory_equal(shown, counts, sizeof(shown));
	assert_true(shown[0] == 5 && shown[1] == 9 && shown[2] == 9 && shown[3] == 10 && shown[4] == 4096 &&
		    shown[5] == 11);
}

TEST_WITH(test_map, set_up, NULL)
{
	static const unsigned wrong[] = {1, 4, 0x7ff, 0x804, 0x911, 0x918, 0x1000, UINT32_MAX & ~7u};
	struct upci_totals before;
	unsigned offset;
	uint64_t value;
	size_t w;

	upci_totals_set_threshold(&totals, 1, 100);
	upci_totals_add(&totals, 1, 250);
	upci_totals_flip(&totals, 2, 3);
	put_field(3, 0x1f);
	before = totals;
	for (w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++) {
		value = 7;
		assert_int_equal(upci_totals_read(&totals, wrong[w], &value), UPC_EFAULT);
		assert_int_equal(upci_totals_write(&totals, wrong[w], 3), UPC_EFAULT);
		assert_true(value == 7);
		assert_memory_equal(&totals, &before, sizeof(totals));
	}
	/* Writing back what was read changes nothing, also with a threshold under way. */
	put(UPC_REG_COUNTER(1), 4000);
	before = totals;
	for (offset = UPC_REG_COUNTER(3); offset <= UPC_REG_THRESHOLD; offset += 8)
		put(offset, get(offset));
	assert_memory_equal(&totals, &before, sizeof(totals));
	/* A counter that is written with a threshold: its count and its next interrupt move,
	 * and it goes on with its period. */
	assert_true(upci_totals_count(&totals, 1) == 250 + 4000 - (4096 - 50));
	upci_totals_add(&totals, 1, 95);
	assert_int_equal(told.n, 2);
	upci_totals_add(&totals, 1, 101);
	assert_told(2, UPCI_ENGINE_INTERRUPT, 1, 300);
	assert_told(3, UPCI_ENGINE_INTERRUPT, 1, 400);
	assert_int_equal(told.n, 4);
}

UNIT_TESTS(totals, NULL, NULL)
