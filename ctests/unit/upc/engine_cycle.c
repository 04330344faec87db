/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_cycle.c - the cycle engine in every instruction set that this machine has,
 * beside the reference engine: random configurations, signals, preloads, thresholds,
 * accesses and flips, compared in every register and every event, in order.
 *
 * UPC_TEST_CASES says how many random cases there are and UPC_TEST_SEED which is the
 * first; a failure prints its own.
 */
#include "../unit_test.h"

#include "engine/engine_cycle.h"
#include "engine/engine_cycle_waves.h"

#define MOST_SIGNALS 5000
#define MOST_EVENTS 20000

static uint64_t random_state;

static uint64_t random64(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
	return (unsigned)(random64() % n);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* ---- units side by side, the reference first ----------------------------- */

struct event {
	enum upci_engine_event event;
	unsigned counter;
	uint64_t cycle;
};

struct side {
	const char *name;
	const struct upci_engine_ops *ops;
	struct upci_engine *engine;
	struct event event[MOST_EVENTS];
	unsigned events;
};

static struct side side[1 + UPCI_ISAS];
static unsigned sides;
static uint64_t case_number;

/* Counts over the random cases; the tests fail where one is too low. */
static struct {
	uint64_t interrupts, parity, runs, waves;
} seen;

static void record(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct side *s = arg;

	assert_true(s->events < MOST_EVENTS);
	s->event[s->events++] = (struct event){event, counter, cycle};
}

static void create_sides(void)
{
	struct upci_engine_sink sink = {record, &side[0]};
	unsigned isa;

	side[0].name = "reference";
	side[0].ops = &upci_engine_reference;
	side[0].engine = upci_engine_reference.create(&sink);
	assert_non_null(side[0].engine);
	sides = 1;
	for (isa = 0; isa < UPCI_ISAS; isa++) {
		struct side *s = &side[sides];

		if (!upci_isa_usable((enum upci_isa)isa))
			continue;
		sink.arg = s;
		s->name = upci_isa_name((enum upci_isa)isa);
		s->ops = &upci_engine_cycle;
		s->engine = upci_engine_cycle_create(&sink, (enum upci_isa)isa);
		s->events = 0;
		assert_non_null(s->engine);
		sides++;
	}
	side[0].events = 0;
}

static void destroy_sides(void)
{
	while (sides--)
		side[sides].ops->destroy(side[sides].engine);
}

#define differ(s, format, ...) \
	fail_msg("case %llu, %s: " format, (unsigned long long)case_number, (s)->name, __VA_ARGS__)

/* The same events since the last look, in the same order, and the same time. */
static void compare_events(void)
{
	struct side *r = &side[0], *s;
	unsigned i, k;

	for (s = &side[1]; s < &side[sides]; s++) {
		for (i = 0; i < r->events && i < s->events; i++) {
			struct event *a = &r->event[i], *b = &s->event[i];

			if (a->event != b->event || a->counter != b->counter || a->cycle != b->cycle)
				differ(s, "event %u: expected %d of %u at %llu, got %d of %u at %llu", i,
				       (int)a->event, a->counter, (unsigned long long)a->cycle, (int)b->event,
				       b->counter, (unsigned long long)b->cycle);
		}
		if (r->events != s->events)
			differ(s, "%u events, expected %u", s->events, r->events);
		if (r->ops->cycles(r->engine) != s->ops->cycles(s->engine))
			differ(s, "%llu cycles", (unsigned long long)s->ops->cycles(s->engine));
		assert_int_equal(s->ops->cycles_closed(s->engine), 0);
	}
	for (i = 0; i < r->events; i++)
		*(r->event[i].event == UPCI_ENGINE_PARITY ? &seen.parity : &seen.interrupts) += 1;
	for (k = 0; k < sides; k++)
		side[k].events = 0;
}

static void read_all(unsigned offset)
{
	uint64_t expected = 1, value;
	int status = side[0].ops->read(side[0].engine, offset, &expected);
	unsigned k;

	for (k = 1; k < sides; k++) {
		value = 1;
		if (side[k].ops->read(side[k].engine, offset, &value) != status)
			differ(&side[k], "read of 0x%x: status", offset);
		if (value != expected)
			differ(&side[k], "read of 0x%x: 0x%llx, expected 0x%llx", offset,
			       (unsigned long long)value, (unsigned long long)expected);
	}
	compare_events();
}

static void write_all(unsigned offset, uint64_t value)
{
	int status = side[0].ops->write(side[0].engine, offset, value);
	unsigned k;

	for (k = 1; k < sides; k++)
		if (side[k].ops->write(side[k].engine, offset, value) != status)
			differ(&side[k], "write of 0x%x: status", offset);
}

static void flip_all(unsigned counter, unsigned bit)
{
	unsigned k;

	for (k = 0; k < sides; k++)
		side[k].ops->flip(side[k].engine, counter, bit);
}

static void signals_all(const struct upci_signals *signals, uint64_t n)
{
	unsigned k;

	for (k = 0; k < sides; k++)
		side[k].ops->run_signals(side[k].engine, signals, n);
	seen.runs++;
	compare_events();
}

static void waves_all(const struct upci_wave *wave, uint64_t n)
{
	unsigned k;

	for (k = 0; k < sides; k++)
		side[k].ops->run_waves(side[k].engine, wave, n);
	seen.waves++;
	compare_events();
}

static void read_every_register(void)
{
	unsigned offset;

	/* Flags first: reading a counter sets parity errors. */
	for (offset = UPC_REG_CONFIG(0); offset <= UPC_REG_THRESHOLD; offset += 8)
		read_all(offset);
	for (offset = 0; offset < UPC_REG_CONFIG(0); offset += 8)
		read_all(offset);
}

/* ---- random cases ---------------------------------------------------------- */

static struct upci_signals signals[MOST_SIGNALS];

/* Lanes are busy, rare, alike, or change together with their own probability. */
static void random_signals(uint64_t n)
{
	unsigned kind = below(5), bank, w;
	uint64_t k;

	for (k = 0; k < n; k++)
		for (bank = 0; bank < 4; bank++)
			for (w = 0; w < UPC_COUNTERS / 64; w++) {
				uint64_t *to = &signals[k].bank[bank][w];

				switch (kind) {
				case 0:
					*to = random64();
					break;
				case 1:
					*to = ~UINT64_C(0);
					break;
				case 2:
					*to = random64() & random64() & random64() & random64();
					break;
				case 3:
					*to = random64() | random64() | random64();
					break;
				default:
					*to = k && below(4) ? signals[k - 1].bank[bank][w] : random64();
				}
			}
}

static uint64_t random_period(void)
{
	switch (below(5)) {
	case 0:
		return 1 + below(8);
	case 1:
		return 60 + below(10);
	case 2:
		return 1 + below(300);
	case 3:
		return UINT64_MAX - below(3);
	default:
		return random64() >> below(63) | 1;
	}
}

static struct upci_wave random_wave(void)
{
	struct upci_wave wave = {.period = random_period()};

	switch (below(4)) {
	case 0:
		wave.high = below(2) ? wave.period : 0;
		break;
	case 1:
		wave.high = 1;
		break;
	default:
		wave.high = random64() % wave.period + 1;
	}
	/* A phase shortly before the signal falls or the period ends as well. */
	switch (below(4)) {
	case 0:
		wave.phase = random64() % wave.period;
		break;
	case 1:
		wave.phase = (wave.high - 1 - below(70)) % wave.period;
		break;
	case 2:
		wave.phase = wave.period - 1 - below(70) % wave.period;
		break;
	}
	return wave;
}

static void random_waves(struct upci_wave wave[UPC_INPUTS])
{
	struct upci_wave same = random_wave();
	unsigned kind = below(3), i;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = kind == 0 ? random_wave() : kind == 1 && below(40) == 0 ? random_wave() : same;
}

static uint64_t random_n(void)
{
	switch (below(12)) {
	case 0:
		return 4000 + below(1000);
	case 1:
	case 2:
	case 3:
		return 1 + below(3);
	case 4:
		return 16 * (1 + below(10));
	default:
		return 1 + below(200);
	}
}

/* Words few, so that thresholds meet them; the last words of all among them. */
static uint64_t random_word(void)
{
	return below(8) ? (below(4) - 1u) & ((UINT64_C(1) << 52) - 1) : random64() >> 12;
}

static uint64_t random_value(void)
{
	unsigned low = below(3) == 0 ? below(4096) : 4095 - below(80);

	return (random_word() & ((UINT64_C(1) << 52) - 1)) << 12 | low;
}

/* Configurations: no interrupts, a few, many. */
static uint64_t random_fields(unsigned interrupts)
{
	uint64_t fields = random64(), enable = UINT64_C(0x1010101010101010);

	if (interrupts == 0)
		return fields & ~enable;
	if (interrupts == 1)
		return fields & (~enable | (random64() & random64() & random64()));
	return fields | (enable & random64());
}

static void random_access(unsigned interrupts)
{
	uint64_t value = 0;
	unsigned i = below(UPC_COUNTERS), k;

	switch (below(12)) {
	case 0:
	case 1:
		write_all(UPC_REG_COUNTER(i), random_value());
		break;
	case 2:
		write_all(UPC_REG_CONFIG(i % 32), random_fields(interrupts));
		break;
	case 3: /* the same back */
		side[0].ops->read(side[0].engine, UPC_REG_CONFIG(i % 32), &value);
		write_all(UPC_REG_CONFIG(i % 32), value);
		break;
	case 4: /* other modes, the same inputs */
		side[0].ops->read(side[0].engine, UPC_REG_CONFIG(i % 32), &value);
		write_all(UPC_REG_CONFIG(i % 32), value ^ (random64() & UINT64_C(0x0c0c0c0c0c0c0c0c)));
		break;
	case 5:
		write_all(UPC_REG_THRESHOLD, random_value());
		break;
	case 6:
		write_all(UPC_REG_START_STOP, below(3) ? random64() | 1 : random64() & ~UINT64_C(1));
		break;
	case 7:
		for (k = 1 + below(3); k; k--)
			flip_all(below(UPC_COUNTERS), below(52));
		break;
	case 8:
		write_all(below(0x1000), random64() & ~(UINT64_C(0x10) * 0x0101010101010101));
		break;
	case 9: /* a handler's rewriting of many */
		for (k = 0; k < UPC_COUNTERS; k += 1 + below(16))
			write_all(UPC_REG_COUNTER(k), random_value());
		break;
	default:
		read_all(below(2) ? 8 * below(256) : below(0x1000));
		read_all(UPC_REG_STATUS);
		read_all(UPC_REG_CONFIG(i % 32));
	}
}

static void random_case(void)
{
	static struct upci_wave wave[UPC_INPUTS];
	unsigned interrupts = below(3), i, steps;

	create_sides();
	write_all(UPC_REG_THRESHOLD, below(2) ? random_value() : 0);
	for (i = 0; i < UPC_COUNTERS; i++)
		if (below(4))
			write_all(UPC_REG_COUNTER(i), random_value());
	for (i = 0; i < 32; i++)
		if (below(8))
			write_all(UPC_REG_CONFIG(i), random_fields(interrupts));
	write_all(UPC_REG_START_STOP, below(8) != 0);
	for (steps = 2 + below(7); steps; steps--) {
		uint64_t n = random_n();

		if (below(2)) {
			random_signals(n);
			signals_all(signals, n);
		} else {
			random_waves(wave);
			waves_all(wave, n);
		}
		for (i = below(6); i; i--)
			random_access(interrupts);
	}
	read_every_register();
	destroy_sides();
}

TEST(test_random)
{
	/* Under valgrind and the like a hundredth of the speed. */
	uint64_t cases = setting("UPC_TEST_CASES", getenv("UPC_TEST_INEXACT") ? 40 : 1000);
	uint64_t first = setting("UPC_TEST_SEED", 1);

	memset(&seen, 0, sizeof(seen));
	for (case_number = first; case_number < first + cases; case_number++) {
		random_state = case_number * UINT64_C(0xd1342543de82ef95);
		random_case();
	}
	if (cases < 40)
		return;
	assert_true(seen.interrupts > cases);
	assert_true(seen.parity > cases / 20);
	assert_true(seen.runs > cases && seen.waves > cases);
}

/* ---- directed ones ----------------------------------------------------------- */

/* All counters carry at the highest rate and in step for as long as it takes every
 * latch to be taken a few times. */
TEST(test_carry_rate)
{
	struct upci_wave wave[UPC_INPUTS];
	unsigned i;

	create_sides();
	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 1, 0};
	write_all(UPC_REG_START_STOP, 1);
	for (i = 0; i < UPC_COUNTERS; i++)
		write_all(UPC_REG_COUNTER(i), 4096u - i * 16);
	for (i = 0; i < 5; i++) {
		waves_all(wave, 4096 + i);
		read_every_register();
	}
	destroy_sides();
}

/* An armed counter carries in each cycle of a block, beside others that do and do
 * not, with a parity error found in the same block. */
TEST(test_fire_in_each_cycle)
{
	unsigned at, i;

	for (at = 0; at < 40; at++) {
		create_sides();
		memset(signals, 0xff, sizeof(signals[0]) * 64);
		for (i = 0; i < 32; i++)
			write_all(UPC_REG_CONFIG(i), UINT64_C(0x1010101010101010));
		write_all(UPC_REG_START_STOP, 1);
		for (i = 0; i < UPC_COUNTERS; i++)
			write_all(UPC_REG_COUNTER(i), i % 3 ? 4095 - at : 4095 - at + 4096 * (i % 2));
		flip_all(1, 3);
		flip_all(0, 51);
		signals_all(signals, 64);
		read_every_register();
		destroy_sides();
	}
	assert_true(seen.interrupts > 0);
}

/* A sink that writes its counter anew, as a handler does: the access falls between
 * the cycle and the next, whatever the length of the run. */
#define REPEATING 1000u
#define SPELL 4998u /* cycles; a whole number of the slower input's periods */

struct handler {
	struct upci_engine *engine;
	uint64_t cycle[64];
	unsigned fired;
};

static void rewrite(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct handler *h = arg;

	assert_int_equal(event, UPCI_ENGINE_INTERRUPT);
	assert_int_equal(counter, 77);
	assert_true(h->fired < 64);
	h->cycle[h->fired++] = cycle;
	upci_engine_cycle.write(h->engine, UPC_REG_COUNTER(77), 4096 - REPEATING);
	/* From the tenth on at a third of the rate, by another input. */
	if (h->fired == 10)
		upci_engine_cycle.write(h->engine, UPC_REG_CONFIG(77 / 8), UINT64_C(0x11) << 8 * (77 % 8));
}

TEST(test_handler_writes)
{
	struct upci_wave wave[UPC_INPUTS];
	unsigned isa, i, way;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 0, 0};
	wave[77] = (struct upci_wave){1, 1, 0};
	wave[256 + 77] = (struct upci_wave){3, 1, 0};
	memset(signals, 0, sizeof(signals));
	for (i = 0; i < MOST_SIGNALS; i++) {
		signals[i].bank[0][1] = UINT64_C(1) << 13;
		signals[i].bank[1][1] = i % 3 ? 0 : UINT64_C(1) << 13;
	}
	for (isa = 0; isa < UPCI_ISAS; isa++)
		for (way = 0; way < 2; way++) {
			struct handler h = {.fired = 0};
			struct upci_engine_sink sink = {rewrite, &h};

			if (!upci_isa_usable((enum upci_isa)isa))
				continue;
			h.engine = upci_engine_cycle_create(&sink, (enum upci_isa)isa);
			assert_non_null(h.engine);
			upci_engine_cycle.write(h.engine, UPC_REG_CONFIG(77 / 8),
						UINT64_C(0x10) << 8 * (77 % 8));
			upci_engine_cycle.write(h.engine, UPC_REG_COUNTER(77), 4096 - REPEATING);
			upci_engine_cycle.write(h.engine, UPC_REG_START_STOP, 1);
			if (way == 0)
				upci_engine_cycle.run_waves(h.engine, wave, 20 * SPELL);
			else
				for (i = 0; i < 20; i++)
					upci_engine_cycle.run_signals(h.engine, signals, SPELL);
			/* Ten, then by the input that is high in the cycles that 3 divides:
			 * 10002 is the first of them, and 29 more fit. */
			assert_int_equal(h.fired, 39);
			for (i = 0; i < 10; i++)
				assert_int_equal(h.cycle[i], REPEATING * (i + 1) - 1);
			for (; i < 39; i++)
				assert_int_equal(h.cycle[i], 10002 + 3 * (REPEATING * (i - 9) - 1));
			upci_engine_cycle.destroy(h.engine);
		}
}

/* The words of waves against their definition. */
TEST(test_waves)
{
	unsigned tries, k, words;

	random_state = 7;
	for (tries = 0; tries < 3000; tries++) {
		struct upci_wave wave = random_wave();
		struct wave_lane lane;
		uint64_t from = random64() >> below(64);
		unsigned back = below(16);

		wave_start(&lane, &wave, from, back);
		for (words = 0; words < 4; words++) {
			uint64_t word = wave_next(&lane);

			for (k = 0; k < 64; k++) {
				uint64_t cycle = from + 64 * words + k - back;

				if (words == 0 && k < back)
					continue;
				if (cycle < from)
					break; /* beyond 2^64 cycles */
				assert_int_equal(word >> k & 1, upci_wave_at(&wave, cycle));
			}
		}
	}
}

TEST(test_transpose)
{
	uint64_t from[64], to[64];
	unsigned i, k;

	random_state = 11;
	for (i = 0; i < 64; i++)
		to[i] = from[i] = random64();
	wave_transpose(to);
	for (i = 0; i < 64; i++)
		for (k = 0; k < 64; k++)
			assert_int_equal(to[i] >> k & 1, from[k] >> i & 1);
}

/* The usable instruction sets fit the processor, and the plain one is always usable. */
TEST(test_isas)
{
	assert_true(upci_isa_usable(UPCI_ISA_PLAIN));
	assert_string_equal(upci_isa_name(UPCI_ISA_PLAIN), "plain");
	assert_string_equal(upci_isa_name(UPCI_ISA_AVX512), "avx512");
#ifdef __AVX2__
	assert_true(upci_isa_usable(UPCI_ISA_AVX2));
#endif
#ifndef __x86_64__
	assert_false(upci_isa_usable(UPCI_ISA_AVX2) || upci_isa_usable(UPCI_ISA_AVX512));
#endif
}

UNIT_TESTS(engine_cycle, NULL, NULL)
